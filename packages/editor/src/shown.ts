import { sameUri } from "@segue/text";
import type { View } from "./host.js";
import type { Offer } from "./offers.js";
import type { Suggestion } from "./suggestion.js";

/** What is offered to the user, as an editor draws it. Offsets are those of the document as it is now. */
export type Shown = Suggestion & {
	/**
	 * Ghost text when the edit only inserts at the cursor, a small diff beside the code otherwise, and a chip with an arrow
	 * when something of it is out of sight or it is in another file: then the first Tab goes there.
	 */
	readonly as: "ghost" | "diff" | "chip";
	/** Where it is. A chip's arrow points there, and the first Tab goes there. */
	readonly place: number;
};

/** How an offer is drawn for a user who looks at the active document. */
export function shownOf(
	{ suggestion, isVisited }: Offer,
	activeUri: string | undefined,
	view: View | undefined,
): Shown {
	const isHere = activeUri !== undefined && sameUri(suggestion.uri, activeUri);
	const unseen = isHere && !isVisited && view !== undefined ? unseenOf(suggestion, view) : undefined;
	const place = unseen ?? placeOf(suggestion);
	return { ...suggestion, as: formOf(suggestion, isHere && unseen === undefined, view), place };
}

function formOf(suggestion: Suggestion, isInSight: boolean, view: View | undefined): Shown["as"] {
	if (suggestion.kind === "jump") return "chip";
	if (suggestion.kind === "searchAndReplace") return "diff";
	if (!isInSight) return "chip";
	if (suggestion.kind === "rename") return "diff";
	const [edit, ...others] = suggestion.edits;
	const isAtCursor = edit?.from === edit?.to && edit?.from === view?.head && view?.anchor === view?.head;
	return others.length === 0 && isAtCursor ? "ghost" : "diff";
}

/** The first place of a suggestion that is out of sight. What an edit writes is drawn behind what it replaces. */
function unseenOf(suggestion: Suggestion, { visible, hidden = [] }: View): number | undefined {
	const isHidden = (at: number) => hidden.some(({ from, to }) => from <= at && at <= to);
	const edits =
		suggestion.kind === "edit" ? suggestion.edits : [{ from: placeOf(suggestion), to: placeOf(suggestion) }];
	const unseen = edits.find(({ from, to }) => {
		const isInLines = visible === undefined || (visible.from <= from && from <= visible.to);
		return !isInLines || isHidden(from) || isHidden(to);
	});
	return unseen?.from;
}

/** Where a suggestion begins in its document. */
export function placeOf(suggestion: Suggestion): number {
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
