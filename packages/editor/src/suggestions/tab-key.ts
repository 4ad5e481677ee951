import { type Clock, sameUri } from "@segue/text";
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

// Users who accept one suggestion after another press Tab once too often. That key press must not indent.
const SURPLUS_MS = 1500;

/**
 * The time after an accepted edit or jump in which Tab has no effect. Each further Tab starts it again, because users keep
 * the rhythm in which they accept. It ends when the user types or moves the cursor.
 */
export class SurplusTab {
	/** Stops the timer. Undefined while Tab has its usual effect. */
	private stop: (() => void) | undefined;
	/** The cursor after the edit. Undefined while the edit is being applied. */
	private cursor: Cursor | undefined;

	constructor(
		private readonly clock: Pick<Clock, "after">,
		private readonly changed: (isIgnored: boolean) => void,
	) {}

	get isIgnored(): boolean {
		return this.stop !== undefined;
	}

	/** An edit is about to be applied, or a jump is about to move the cursor. Tab has no effect in the meantime either. */
	accepting(): void {
		this.restart();
		this.cursor = undefined;
		this.changed(true);
	}

	/** The user pressed Tab while no suggestion is shown. */
	pressed(): void {
		if (this.isIgnored) this.restart();
	}

	/** The edit has been applied, or the cursor has moved. */
	accepted(cursor: Cursor | undefined): void {
		if (cursor === undefined) this.end();
		this.cursor = cursor;
	}

	/** Ends the time if the cursor is no longer where the edit left it. */
	moved(cursor: Cursor | undefined): void {
		if (this.cursor !== undefined && !isSameCursor(this.cursor, cursor)) this.end();
	}

	end(): void {
		if (this.stop === undefined) return;
		this.stop();
		this.stop = undefined;
		this.cursor = undefined;
		this.changed(false);
	}

	private restart(): void {
		this.stop?.();
		this.stop = this.clock.after(SURPLUS_MS, () => this.end());
	}
}

interface Cursor extends Pick<DocumentView, "anchor" | "head"> {
	readonly uri: string;
}

function isSameCursor(one: Cursor, other: Cursor | undefined): boolean {
	return other !== undefined && one.uri === other.uri && one.anchor === other.anchor && one.head === other.head;
}
