import { sameUri } from "@segue/text";
import type { DocumentView } from "../document-view.js";
import type { DisplayedSuggestion } from "./display.js";

/** The text of an editor, by lines. */
export interface LineSource {
	/** Returns the ends of the line that contains an offset, without its line end. */
	lineAt(offset: number): { readonly from: number; readonly to: number };
	slice(from: number, to: number): string;
}

/**
 * Whether Tab indents in the document `uri` while a suggestion is shown: if text is selected, or in the white space at
 * the start of a line, unless the suggestion is on that line.
 */
export function tabIndents(
	shown: DisplayedSuggestion,
	uri: string,
	{ anchor, head }: Pick<DocumentView, "anchor" | "head">,
	text: LineSource,
): boolean {
	if (anchor !== head) return true;
	const line = text.lineAt(head);
	if (head === line.from || text.slice(line.from, head).trim() !== "") return false;
	// A search has no line of its own. Plugins draw it at the cursor.
	if (shown.kind === "searchAndReplace") return false;
	if (shown.as === "chip" || !sameUri(shown.uri, uri)) return true;
	return shown.place < line.from || shown.place > line.to;
}
