import { type Change, type Document, sameUri, type Text } from "@segue/text";
import type { DocumentView } from "../document-view.js";
import type { EditorSuggestion } from "./suggestion.js";
import type { CurrentSuggestion } from "./suggestion-queue.js";

/** A suggestion and how to draw it. Offsets refer to the current text of the document. */
export type DisplayedSuggestion = EditorSuggestion & {
	/**
	 * "ghost": ghost text, for an edit that only inserts at the cursor. "diff": a small diff beside the code. "chip": a
	 * chip with an arrow, for a suggestion that is in another file or partly not visible; Tab goes there first.
	 */
	readonly as: "ghost" | "diff" | "chip";
	/**
	 * The start of the suggestion or, for a chip, the first part that is not visible. The arrow points there, and Tab
	 * goes there.
	 */
	readonly place: number;
};

/** Returns how to draw a suggestion for a user who is looking at the active document. */
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

/**
 * Updates a displayed suggestion after a change. `rest` is the part of it that remains. A chip still points to the same
 * code.
 */
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
 * Returns the first position in a suggestion that is not visible and that the user has not visited. Both ends of an
 * edit are checked, because new text is drawn after the text it replaces, and so is code folded inside an edit. Hidden
 * ends of long lines inside an edit are ignored; checking them would leave hardly any multi-line edit that can be
 * shown.
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
		// Until the visited position has scrolled into view, it is unknown what else will be visible.
		if (end > seenTo && (isNew || isInLines(seenTo)) && !isInLines(end)) return end;
		if (isNew && isHidden(to)) return to;
	}
	return undefined;
}

/**
 * Returns the end of the replaced text. If that is the start of a line, returns the end of the previous line, because
 * the line itself does not change.
 */
function endOf(from: number, to: number, text: Text): number {
	const { line, start } = text.locate(to);
	return from < to && to === start ? Math.max(from, text.lineEnd(line - 1)) : to;
}

/** Returns the offset at which a suggestion starts. */
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
