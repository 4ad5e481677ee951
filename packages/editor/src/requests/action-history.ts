import { type Change, type Document, type Edit, sameUri, type Text } from "@segue/text";
import type { ChangeCause } from "../host.js";

// Four times what agents ask for. Each keeps a version of its document, which shares nearly all of the next one.
const ACTIONS_MAX = 64;

// A key that is held down repeats many times in this; whoever rests longer has arrived somewhere.
const MOVING_MS = 500;

/** Something that the user did. The specification names some of the words; the others are ours, in the same manner. */
export interface UserAction {
	readonly what:
		| "insertChar"
		| "deleteChar"
		| "insertText"
		| "deleteText"
		| "replaceText"
		| "paste"
		| "undo"
		| "redo"
		| "cursorMovement";
	readonly uri: string;
	/** The document's text after the action, and where in it the user was. */
	readonly text: Text;
	readonly offset: number;
	readonly atMs: number;
}

/** What the user did last. A value: every action makes another. */
export class ActionHistory {
	static readonly none = new ActionHistory([]);

	private constructor(
		/** Newest last. */
		readonly list: readonly UserAction[],
	) {}

	/** A document changed. `document` is the version before, `after` the text that the change led to. */
	changed(document: Document, change: Change, after: Text, cause: ChangeCause, atMs: number): ActionHistory {
		if (change.edits.length === 0) return this;
		const { uri } = document;
		return this.add({ what: whatOf(change, document.text, cause), uri, text: after, offset: endOf(change), atMs });
	}

	/**
	 * The cursor went somewhere. Where the last action has left it anyway it did not move: editors tell of the cursor after
	 * every keystroke.
	 */
	moved({ uri, text }: Document, offset: number, atMs: number): ActionHistory {
		const action = { what: "cursorMovement", uri, text, offset, atMs } as const;
		const last = this.list.at(-1);
		if (last === undefined || !sameUri(last.uri, uri)) return this.add(action);
		if (last.offset === offset) return this;
		const isMoving = last.what === "cursorMovement" && atMs - last.atMs <= MOVING_MS;
		return isMoving ? new ActionHistory([...this.list.slice(0, -1), action]) : this.add(action);
	}

	private add(action: UserAction): ActionHistory {
		return new ActionHistory([...this.list, action].slice(-ACTIONS_MAX));
	}
}

function whatOf({ edits }: Change, before: Text, cause: ChangeCause): UserAction["what"] {
	if (cause === "paste" || cause === "undo" || cause === "redo") return cause;
	if (edits.every(({ from, to }) => from === to)) {
		return edits.every(({ insert }) => isCharacter(insert)) ? "insertChar" : "insertText";
	}
	if (edits.some(({ insert }) => insert !== "")) return "replaceText";
	return edits.every(({ from, to }) => isCharacter(before.slice(from, to))) ? "deleteChar" : "deleteText";
}

/** Whether a text is one character, or one line end, as a key inserts or deletes it. */
function isCharacter(text: string): boolean {
	return /^(?:\r\n|.)$/su.test(text);
}

/** Where the user is after a change: behind the last thing it wrote. */
function endOf({ edits, lengthBefore, lengthAfter }: Change): number {
	const { to } = edits.at(-1) as Edit;
	return lengthAfter - (lengthBefore - to);
}
