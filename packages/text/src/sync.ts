import { Change, wholeEdits } from "./change.js";
import { type Encoding, offsetsOf, type Range, rangeAt } from "./position.js";
import { trim } from "./rebase.js";
import type { Text } from "./text.js";

/** One item of a change notification: a range and its new text or, without a range, the whole new text. */
export interface ContentChange {
	readonly range?: Range | null | undefined;
	readonly text: string;
}

export type SyncKind = "incremental" | "full";

/**
 * Returns the change that results from these content changes, each of which applies to the result of the previous one.
 * Throws a RangeError for an invalid position, so that a caller gets either all changes or none.
 */
export function readContentChanges(text: Text, changes: readonly ContentChange[], encoding: Encoding): Change {
	let result = text;
	const steps: Change[] = [];
	for (const [index, { range, text: insert }] of changes.entries()) {
		const edit = range
			? { insert, ...offsetsOf(result, range, encoding) }
			: trim({ from: 0, to: result.length, insert }, result);
		const change = Change.of([edit], result.length);
		steps.push(change);
		// Usually there is only one change, which the caller is about to apply.
		if (index < changes.length - 1) result = change.apply(result);
	}
	return composeAll(steps, 0, steps.length) ?? Change.of([], text.length);
}

/**
 * Composes consecutive changes. Splits the list in half recursively, so that changes by a thousand cursors are composed
 * quickly.
 */
function composeAll(steps: readonly Change[], from: number, to: number): Change | undefined {
	if (to - from <= 1) return steps[from];
	const middle = (from + to) >> 1;
	const second = composeAll(steps, middle, to);
	return second && composeAll(steps, from, middle)?.compose(second);
}

/**
 * Returns the content changes that update a peer from `text` to the version after `change`. Incremental changes are
 * ordered from the end of the text to the start, so that none of them moves the ranges of the following ones.
 */
export function contentChangesOf(text: Text, change: Change, kind: SyncKind, encoding: Encoding): ContentChange[] {
	if (kind === "full") return [{ text: change.apply(text).toString() }];
	return wholeEdits(change.edits, text)
		.toReversed()
		.map((edit) => ({ range: rangeAt(text, edit.from, edit.to, encoding), text: edit.insert }));
}
