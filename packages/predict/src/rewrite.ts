import type { Example } from "./example.js";
import { partAt } from "./languages/parts.js";
import { type Line, readLine, type Segment, segmentsBetween } from "./line.js";

/** What became of a line: the two and what is different, in indices of their tokens. */
export interface Rewrite {
	readonly example: Example;
	readonly before: Line;
	readonly after: Line;
	readonly segments: readonly Segment[];
}

const REWRITES = new WeakMap<Example, Rewrite | null>();

/** What became of the line of an example; undefined where it came, went or was only moved to the side. */
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

// A rewrite leads to many rules, and each of them asks.
const COMMENTS = new WeakMap<Rewrite, boolean>();

/** Whether the user wrote words into a comment and nothing else. A sign alone comments code out, which may be repeated. */
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
