import { sameUri } from "@segue/text";
import type { View } from "./host.js";
import type { Offer } from "./offers.js";
import type { Suggestion } from "./suggestion.js";

/** What is offered to the user, as an editor draws it. Offsets are those of the document as it is now. */
export type Shown = Suggestion & {
	/**
	 * Ghost text when the edit only inserts at the cursor, a small diff beside the code otherwise, and a chip with an arrow
	 * when the place is off-screen or in another file: then the first Tab goes there.
	 */
	readonly as: "ghost" | "diff" | "chip";
};

/** How an offer is drawn for a user who looks at the active document. */
export function shownOf(
	{ suggestion, isVisited }: Offer,
	activeUri: string | undefined,
	view: View | undefined,
): Shown {
	return { ...suggestion, as: formOf(suggestion, isVisited, activeUri, view) };
}

function formOf(
	suggestion: Suggestion,
	isVisited: boolean,
	activeUri: string | undefined,
	view: View | undefined,
): Shown["as"] {
	if (suggestion.kind === "jump") return "chip";
	if (suggestion.kind === "searchAndReplace") return "diff";
	if (activeUri === undefined || !sameUri(suggestion.uri, activeUri)) return "chip";
	const at = placeOf(suggestion);
	const isInView = view?.visible === undefined || (view.visible.from <= at && at <= view.visible.to);
	if (!isInView && !isVisited) return "chip";
	if (suggestion.kind === "rename") return "diff";
	const [edit, ...others] = suggestion.edits;
	const isAtCursor = edit?.from === edit?.to && edit?.from === view?.head && view?.anchor === view?.head;
	return others.length === 0 && isAtCursor ? "ghost" : "diff";
}

/** Where a suggestion is in its document. */
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
