import type { Example } from "./example.js";
import { partAt } from "./languages/parts.js";
import { type Line, readLine, type Segment, segmentsBetween } from "./line.js";

/** A modified line: both versions and their differences, in token indices. */
export interface Rewrite {
	readonly example: Example;
	readonly before: Line;
	readonly after: Line;
	readonly segments: readonly Segment[];
}

const REWRITES = new WeakMap<Example, Rewrite | null>();

/** Returns the rewrite of an example's line, or undefined if it was added, deleted or only reindented. */
export function rewriteOf(example: Example): Rewrite | undefined {
	let rewrite = REWRITES.get(example);
	if (rewrite === undefined) {
		rewrite = readRewrite(example);
		REWRITES.set(example, rewrite);
	}
	return rewrite ?? undefined;
}

function readRewrite(example: Example): Rewrite | null {
	if (example.before === undefined || example.after === undefined) return null;
	const before = readLine(example.before);
	const after = readLine(example.after);
	const segments = segmentsBetween(before, after);
	return segments.length === 0 ? null : { example, before, after, segments };
}

// Cached because many rules check the same rewrite.
const COMMENTS = new WeakMap<Rewrite, boolean>();

/**
 * Whether the user only wrote words in a comment. Adding only a comment marker comments out code, and that change may
 * be repeated.
 */
export function writesComment(rewrite: Rewrite): boolean {
	let isComment = COMMENTS.get(rewrite);
	if (isComment === undefined) {
		isComment = readComment(rewrite);
		COMMENTS.set(rewrite, isComment);
	}
	return isComment;
}

function readComment({ example, after, segments }: Rewrite): boolean {
	const { uri, languageId, now: text } = example.file;
	const document = { uri, languageId, version: 0, text };
	const start = text.lineStart(text.lineAt(Math.min(example.at, text.length)));
	const written = segments.flatMap(({ newFrom, newTo }) => after.tokens.slice(newFrom, newTo));
	const words = written.filter((token) => /[\p{L}\p{N}]/u.test(token.text));
	return words.length > 0 && words.every(({ from }) => partAt(document, start + from) === "comment");
}
