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
 * The change that content changes make of a text, one after the other, each of the result of the one before. A position
 * that is no position throws a RangeError, so a caller gets either all of the changes or none.
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
		// Most often there is one change, and the caller is about to apply it.
		if (index < changes.length - 1) result = change.apply(result);
	}
	return composeAll(steps, 0, steps.length) ?? Change.of([], text.length);
}

/** Some changes, one after the other, as one. They are joined by halves, so that a thousand cursors are quickly read. */
function composeAll(steps: readonly Change[], from: number, to: number): Change | undefined {
	if (to - from <= 1) return steps[from];
	const middle = (from + to) >> 1;
	const second = composeAll(steps, middle, to);
	return second && composeAll(steps, from, middle)?.compose(second);
}

/**
 * The content changes that take a peer from `text` to the version after `change`. Incremental ones run from the end to
 * the start, so that none moves the ranges of those that follow.
 */
export function contentChangesOf(text: Text, change: Change, kind: SyncKind, encoding: Encoding): ContentChange[] {
	if (kind === "full") return [{ text: change.apply(text).toString() }];
	return wholeEdits(change.edits, text)
		.toReversed()
		.map((edit) => ({ range: rangeAt(text, edit.from, edit.to, encoding), text: edit.insert }));
}
