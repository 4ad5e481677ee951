import { Change, type Document, diffTokens, type Text } from "@segue/text";
import { type Example, examplesOf } from "../example.js";
import { LINE_MAX } from "../languages/identifiers.js";
import { syntaxOf } from "../languages/languages.js";
import type { Scene } from "../scene.js";

// Each matching example costs one parse, and users repeat a multi-line change by hand only a few times.
const EXAMPLES_TRIED = 3;

/**
 * Whether a change adds syntax errors to lines without any. Undefined if the text cannot be parsed, or if the lines
 * already have errors.
 */
export function addsErrors(change: Change, document: Document, { parse }: Scene): boolean | undefined {
	if (parse === undefined) return undefined;
	const { text } = document;
	const from = text.lineStart(text.lineAt(change.edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(change.edits.at(-1)?.to ?? 0));
	const before = parse(document, { from, to });
	if (before === undefined || before.inRange > 0) return undefined;
	const after = parse({ ...document, text: change.apply(text) }, { from, to: change.map(to, "after") });
	if (after === undefined) return undefined;
	// An unclosed bracket is often reported far below, so errors outside the lines count too.
	return after.inRange > 0 || after.total > before.total;
}

/**
 * Completes a one-line change that adds syntax errors: also deletes the lines that the user deleted around the same
 * change elsewhere. For example, `if (b) {` can become `} else if (b) {` only if the `}` above it is deleted. The
 * deleted lines must have the same shape as the user's. Undefined if no such change exists, or if it adds errors too.
 */
export function completeChange(change: Change, document: Document, scene: Scene): Change | undefined {
	const { text, languageId } = document;
	const { keywords } = syntaxOf(languageId);
	const line = text.lineAt(change.edits[0]?.from ?? 0);
	const [start, end] = [text.lineStart(line), text.lineEnd(line)];
	const old = text.slice(start, end);
	const now = change.apply(text).slice(start, change.map(end, "after"));
	const isOneLine = (change.edits.at(-1)?.to ?? 0) <= end && !/[\r\n]/.test(now);
	if (!isOneLine || Math.max(old.length, now.length) > LINE_MAX) return undefined;
	const shape = changeShapeOf(old, now, keywords);
	const examples = examplesOf(scene.history).filter(({ file, before, after, hunk }) => {
		if (file.languageId !== languageId || before === undefined || after === undefined) return false;
		return hunk.old.length > 1 && hunk.now.length === 1 && changeShapeOf(before, after, keywords) === shape;
	});
	for (const example of examples.slice(-EXAMPLES_TRIED)) {
		const whole = wholeChange(example, text, line, now, keywords);
		if (whole !== undefined && addsErrors(whole, document, scene) === false) return whole;
	}
	return undefined;
}

/** Changes a line to `now` and deletes the lines that were deleted around the example, if they have the same shape. */
function wholeChange(
	{ hunk, oldIndex = 0 }: Example,
	text: Text,
	line: number,
	now: string,
	keywords: ReadonlySet<string>,
): Change | undefined {
	const first = line - oldIndex;
	const last = first + hunk.old.length - 1;
	if (first < 0 || last >= text.lineCount) return undefined;
	const isAlike = hunk.old.every((old, i) => shapeOf(old, keywords) === shapeOf(text.line(first + i), keywords));
	if (!isAlike) return undefined;
	const start = text.lineStart(first);
	const edits = diffTokens(text.slice(start, text.lineEnd(last)), now);
	const moved = edits.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
	return Change.of(moved, text.length);
}

/** Returns the keywords and punctuation that a change deletes and inserts. */
function changeShapeOf(before: string, after: string, keywords: ReadonlySet<string>): string {
	const swaps = diffTokens(before, after).map(({ from, to, insert }) => {
		return [shapeOf(before.slice(from, to), keywords), shapeOf(insert, keywords)];
	});
	return JSON.stringify(swaps);
}

/** Replaces the names and numbers in a text with a placeholder, and normalizes its whitespace. */
function shapeOf(source: string, keywords: ReadonlySet<string>): string {
	const tokens = source.match(/[\p{L}\p{N}_$]+|\S/gu) ?? [];
	return tokens.map((token) => (/[\p{L}\p{N}_$]/u.test(token) && !keywords.has(token) ? "a" : token)).join(" ");
}
