import { type Change, type Document, type Edit, sameUri, type Text } from "@segue/text";
import type { ChangeCause } from "../host.js";

// Four times the number that agents request. Each entry stores a version of its document, but consecutive versions
// share most of their structure.
const ACTIONS_MAX = 64;

// A key that is held down repeats many times in this interval. After a longer pause, the cursor has reached its
// destination.
const MOVING_MS = 500;

/** A user action. Some kinds come from the specification; the others are ours and follow the same naming style. */
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
	/** The document after the action, and the cursor's offset in it. */
	readonly text: Text;
	readonly offset: number;
	readonly atMs: number;
}

/** The user's last actions. Immutable: every action returns a new history. */
export class ActionHistory {
	static readonly none = new ActionHistory([]);

	private constructor(
		/** Newest last. */
		readonly list: readonly UserAction[],
	) {}

	/** Adds a change. `document` is the version before it, `after` the text after it. */
	changed(document: Document, change: Change, after: Text, cause: ChangeCause, atMs: number): ActionHistory {
		if (change.edits.length === 0) return this;
		const { uri } = document;
		return this.add({ what: whatOf(change, document.text, cause), uri, text: after, offset: endOf(change), atMs });
	}

	/**
	 * Adds a cursor movement. Ignores a movement to the offset where the last action left the cursor, because editors
	 * report the cursor after every keystroke.
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

/** Whether a string is one character or one line ending, so that a single key press can insert or delete it. */
function isCharacter(text: string): boolean {
	return /^(?:\r\n|.)$/su.test(text);
}

/** Returns the end of the last edit, where the cursor is after a change. */
function endOf({ edits, lengthBefore, lengthAfter }: Change): number {
	const { to } = edits.at(-1) as Edit;
	return lengthAfter - (lengthBefore - to);
}
