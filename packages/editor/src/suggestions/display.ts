import { type Change, type Document, sameUri, type Text } from "@segue/text";
import type { DocumentView } from "../document-view.js";
import type { EditorSuggestion } from "./suggestion.js";
import type { CurrentSuggestion } from "./suggestion-queue.js";

/** What is offered to the user, as an editor draws it. Offsets are those of the document as it is now. */
export type DisplayedSuggestion = EditorSuggestion & {
	/**
	 * Ghost text when the edit only inserts at the cursor, a small diff beside the code otherwise, and a chip with an arrow
	 * when something of it is out of sight or it is in another file: then Tab goes there first.
	 */
	readonly as: "ghost" | "diff" | "chip";
	/** Where it is; of a chip what is out of sight. Its arrow points there, and the next Tab goes there. */
	readonly place: number;
};

/** How an offer is drawn for a user who looks at the active document. */
export function displayOf(
	offer: CurrentSuggestion,
	active: Document | undefined,
	view: DocumentView | undefined,
): DisplayedSuggestion {
	const { suggestion } = offer;
	const isHere = active !== undefined && sameUri(suggestion.uri, active.uri);
	const unseen = isHere && view !== undefined ? unseenOf(offer, active.text, view) : undefined;
	const place = unseen ?? suggestionStart(suggestion);
	return { ...suggestion, as: formOf(suggestion, isHere && unseen === undefined, view), place };
}

/** What is drawn, after a change that left this of it. A chip stays with what was out of sight. */
export function carryDisplay(
	{ as, place }: DisplayedSuggestion,
	rest: EditorSuggestion,
	changedUri: string,
	change: Change,
): DisplayedSuggestion {
	if (as !== "chip") return { ...rest, as, place: suggestionStart(rest) };
	return { ...rest, as, place: sameUri(rest.uri, changedUri) ? change.map(place, "after") : place };
}

function formOf(
	suggestion: EditorSuggestion,
	isInSight: boolean,
	view: DocumentView | undefined,
): DisplayedSuggestion["as"] {
	if (suggestion.kind === "jump") return "chip";
	if (suggestion.kind === "searchAndReplace") return "diff";
	if (!isInSight) return "chip";
	if (suggestion.kind === "rename") return "diff";
	const [edit, ...others] = suggestion.edits;
	const isAtCursor = edit?.from === edit?.to && edit?.from === view?.head && view?.anchor === view?.head;
	return others.length === 0 && isAtCursor ? "ghost" : "diff";
}

/**
 * The first place of a suggestion that is out of sight, and at which the user has not been. What an edit writes is drawn
 * behind what it replaces. What is folded inside of it would go unseen; the ends of long lines there may be out of sight,
 * for hardly an edit of many lines would ever be drawn otherwise.
 */
function unseenOf(
	{ suggestion, seenTo = -1 }: CurrentSuggestion,
	text: Text,
	{ visible, hidden = [] }: DocumentView,
): number | undefined {
	const isInLines = (at: number) => visible === undefined || (visible.from <= at && at <= visible.to);
	const isHidden = (at: number) => hidden.some(({ from, to }) => from <= at && at <= to);
	const folds = hidden.filter(({ from, to }) => text.lineAt(from) !== text.lineAt(to));
	const edits =
		suggestion.kind === "edit"
			? suggestion.edits
			: [{ from: suggestionStart(suggestion), to: suggestionStart(suggestion) }];
	for (const { from, to } of edits) {
		const isNew = from > seenTo;
		if (isNew && (!isInLines(from) || isHidden(from))) return from;
		const fold = folds.find((one) => from < one.from && one.to < to && one.from > seenTo);
		if (fold !== undefined) return fold.from;
		const end = endOf(from, to, text);
		// Until the place to which the user went is in sight, nobody knows what is in sight beside it.
		if (end > seenTo && (isNew || isInLines(seenTo)) && !isInLines(end)) return end;
		if (isNew && isHidden(to)) return to;
	}
	return undefined;
}

/** Where what an edit replaces ends. Nothing changes of a line at the beginning of which that is. */
function endOf(from: number, to: number, text: Text): number {
	const { line, start } = text.locate(to);
	return from < to && to === start ? Math.max(from, text.lineEnd(line - 1)) : to;
}

/** Where a suggestion begins in its document. */
export function suggestionStart(suggestion: EditorSuggestion): number {
	switch (suggestion.kind) {
		case "edit":
			return suggestion.edits[0]?.from ?? 0;
		case "jump":
		case "rename":
			return suggestion.at;
		case "searchAndReplace":
			return 0;
	}
}
