import { type Change, wholeEdits } from "./change.js";
import { type Encoding, offsetsOf, type Range, rangeAt } from "./position.js";
import { Text } from "./text.js";

/** One item of a change notification: a range and its new text or, without a range, the whole new text. */
export interface ContentChange {
	readonly range?: Range | null | undefined;
	readonly text: string;
}

export type SyncKind = "incremental" | "full";

/**
 * Applies content changes one after the other, each to the result of the one before. A position that is no position
 * throws a RangeError; the text given stays what it was, so a caller keeps either all of the changes or none.
 */
export function applyContentChanges(text: Text, changes: readonly ContentChange[], encoding: Encoding): Text {
	let result = text;
	for (const change of changes) {
		if (change.range) {
			const { from, to } = offsetsOf(result, change.range, encoding);
			result = result.replace(from, to, change.text);
		} else result = Text.of(change.text);
	}
	return result;
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
