import { diffTokens, type Edit, type Text } from "@segue/text";
import { indentOf, isName } from "./languages/identifiers.js";
import { VersionCache } from "./version-cache.js";

/**
 * A line and its tokens: words and single characters, without whitespace. Lines are interned, so caches are keyed by
 * them.
 */
export class Line {
	private counted: ReadonlyMap<string, number> | undefined;
	private named: readonly Token[] | undefined;

	constructor(
		readonly text: string,
		readonly tokens: readonly Token[],
	) {}

	/** The number of occurrences of each token in the line. */
	get counts(): ReadonlyMap<string, number> {
		this.counted ??= countsOf(this.tokens);
		return this.counted;
	}

	/** The tokens that are names, in order. */
	get names(): readonly Token[] {
		this.named ??= this.tokens.filter(({ text }) => isName(text));
		return this.named;
	}
}

function countsOf(tokens: readonly Token[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const { text } of tokens) counts.set(text, (counts.get(text) ?? 0) + 1);
	return counts;
}

export interface Token {
	readonly text: string;
	readonly from: number;
	readonly to: number;
}

// Many rules read the same lines on every keystroke. The cache has two generations of this size, so the lines of the
// user's edits, which are read on every request, are never evicted.
const LINES_MAX = 2048;
let lines = new Map<string, Line>();
let olderLines: ReadonlyMap<string, Line> = new Map();

export function readLine(text: string): Line {
	let line = lines.get(text);
	if (line === undefined) {
		line = olderLines.get(text) ?? tokenize(text);
		if (lines.size >= LINES_MAX) {
			olderLines = lines;
			lines = new Map();
		}
		lines.set(text, line);
	}
	return line;
}

function tokenize(text: string): Line {
	const tokens = Array.from(text.matchAll(/[\p{L}\p{N}\p{M}_$]+|\S/gu), ({ 0: found, index }) => {
		return { text: found, from: index, to: index + found.length };
	});
	return new Line(text, tokens);
}

// Cached, because slicing a line out of a text and looking it up takes longer than most uses of the line.
const LINES_OF = new VersionCache<Map<number, Line>>();

/** A line of a text; empty if the index is out of range. */
export function lineOf(text: Text, index: number): Line {
	let known = LINES_OF.get(text);
	if (known === undefined) {
		known = new Map();
		LINES_OF.set(text, known);
	}
	let line = known.get(index);
	if (line === undefined) {
		line = readLine(index >= 0 && index < text.lineCount ? text.line(index) : "");
		known.set(index, line);
	}
	return line;
}

/**
 * Tokens `from`–`to` were replaced by tokens `newFrom`–`newTo`. At least one unchanged token separates two segments.
 */
export interface Segment {
	readonly from: number;
	readonly to: number;
	readonly newFrom: number;
	readonly newTo: number;
}

// The edited lines are compared with each other and with similar lines on every request.
const DIFFERENCES = new WeakMap<Line, WeakMap<Line, Difference>>();

interface Difference {
	readonly edits: readonly Edit[];
	readonly segments: readonly Segment[];
}

/** The differences between two lines. Returns the same array for the same lines. */
export function segmentsBetween(a: Line, b: Line): readonly Segment[] {
	return differenceOf(a, b).segments;
}

/** Returns the edits, each of whole tokens, that turn one line into another. */
export function editsBetween(a: Line, b: Line): readonly Edit[] {
	return differenceOf(a, b).edits;
}

function differenceOf(a: Line, b: Line): Difference {
	let others = DIFFERENCES.get(a);
	if (others === undefined) {
		others = new WeakMap();
		DIFFERENCES.set(a, others);
	}
	let difference = others.get(b);
	if (difference === undefined) {
		const edits = diffTokens(a.text, b.text);
		difference = { edits, segments: segmentsOf(a, edits) };
		others.set(b, difference);
	}
	return difference;
}

/** Converts edits of whole tokens to segments. Edits with only whitespace between them are merged. */
function segmentsOf({ tokens }: Line, edits: readonly Edit[]): Segment[] {
	const segments: Segment[] = [];
	let shift = 0;
	for (const edit of edits) {
		const from = indexFrom(tokens, edit.from);
		const to = indexFrom(tokens, edit.to);
		const count = readLine(edit.insert).tokens.length;
		if (from === to && count === 0) continue;
		const newFrom = from + shift;
		shift += count - (to - from);
		const last = segments.at(-1);
		const segment = { from, to, newFrom, newTo: newFrom + count };
		if (last !== undefined && last.to === from) {
			segments[segments.length - 1] = { ...segment, from: last.from, newFrom: last.newFrom };
		} else segments.push(segment);
	}
	return segments;
}

/** The index of the first token at or after an offset. */
function indexFrom(tokens: readonly Token[], offset: number): number {
	const index = tokens.findIndex(({ from }) => from >= offset);
	return index === -1 ? tokens.length : index;
}

/** The start of the whitespace before a token: the end of the previous token, or of the indent. */
function gapBefore({ text, tokens }: Line, index: number): number {
	return tokens[index - 1]?.to ?? indentOf(text).length;
}

/** The end of the whitespace before token `index`: the start of that token, or the end of the last token. */
function gapAfter(line: Line, index: number): number {
	const { text, tokens } = line;
	return Math.max(tokens[index]?.from ?? tokens.at(-1)?.to ?? text.length, gapBefore(line, index));
}

/**
 * The replacement for a segment, and whether it includes the whitespace on either side. Whitespace that the user did not
 * change is not included, because another line can have other whitespace there.
 */
export interface SegmentText {
	readonly insert: string;
	/** The start of `insert` in the new line. */
	readonly from: number;
	readonly takesGapBefore: boolean;
	readonly takesGapAfter: boolean;
}

export function segmentTextFor(
	{ before, after }: { readonly before: Line; readonly after: Line },
	segment: Segment,
): SegmentText {
	const { from, to, newFrom, newTo } = segment;
	const gap = ({ text, tokens }: Line, index: number) => text.slice(tokens[index - 1]?.to ?? 0, tokens[index]?.from);
	// At the ends of a line, the whitespace is its indent or trailing.
	const takesGapBefore = from > 0 && gap(before, from) !== gap(after, newFrom);
	// The line before or after has no tokens here, and so one gap less: the other gap comes or goes with the tokens.
	const isJoint = (from === to || newFrom === newTo) && !takesGapBefore;
	const takesGapAfter = to < before.tokens.length && (isJoint || gap(before, to) !== gap(after, newTo));
	const start = takesGapBefore ? gapBefore(after, newFrom) : (after.tokens[newFrom]?.from ?? after.text.length);
	const end = takesGapAfter ? gapAfter(after, newTo) : (after.tokens[newTo - 1]?.to ?? 0);
	return { insert: after.text.slice(start, Math.max(end, start)), from: start, takesGapBefore, takesGapAfter };
}

/** The edit that replaces the tokens `from`–`to` of a line; undefined if it changes nothing. */
export function editFor(
	line: Line,
	from: number,
	to: number,
	written: SegmentText,
	insert = written.insert,
): Edit | undefined {
	const start = written.takesGapBefore ? gapBefore(line, from) : (line.tokens[from]?.from ?? gapBefore(line, from));
	const end = written.takesGapAfter ? gapAfter(line, to) : (line.tokens[to - 1]?.to ?? 0);
	return trimEdit(line.text, { from: start, to: Math.max(end, start), insert });
}

/** Trims unchanged whitespace from both ends of an edit. Returns undefined if it changes nothing. */
function trimEdit(text: string, { from, to, insert }: Edit): Edit | undefined {
	if (text.slice(from, to) === insert) return undefined;
	let head = 0;
	while (from + head < to && text[from + head] === insert[head] && /\s/.test(insert[head] ?? "")) head++;
	let tail = 0;
	const most = Math.min(to - from, insert.length) - head;
	while (
		tail < most &&
		text[to - 1 - tail] === insert[insert.length - 1 - tail] &&
		/\s/.test(text[to - 1 - tail] ?? "")
	)
		tail++;
	return { from: from + head, to: to - tail, insert: insert.slice(head, insert.length - tail) };
}

/** Applies sorted, non-overlapping edits to a line. */
export function writeLine(text: string, edits: readonly Edit[]): string {
	let written = "";
	let done = 0;
	for (const { from, to, insert } of edits) {
		written += text.slice(done, from) + insert;
		done = to;
	}
	return written + text.slice(done);
}

/** The share of tokens that two lines have in common, in any order. */
export function similarity(a: Line, b: Line): number {
	const [few, many] = a.counts.size < b.counts.size ? [a.counts, b.counts] : [b.counts, a.counts];
	let common = 0;
	for (const [token, count] of few) common += Math.min(count, many.get(token) ?? 0);
	return (2 * common) / Math.max(a.tokens.length + b.tokens.length, 1);
}

/** An upper bound for `similarity`, from the token counts. */
export function similarityMax(a: Line, b: Line): number {
	return (2 * Math.min(a.tokens.length, b.tokens.length)) / Math.max(a.tokens.length + b.tokens.length, 1);
}
