import { diffTokens, type Edit, type Text } from "@segue/text";
import { indentOf, isName } from "./languages/identifiers.js";
import { VersionCache } from "./version-cache.js";

// A line as rules see it: words and signs, whatever white space lies between them.

/** A line and its tokens: words and single signs. Equal lines are most often one object, and what is known is kept by it. */
export class Line {
	private counted: ReadonlyMap<string, number> | undefined;
	private named: readonly Token[] | undefined;

	constructor(
		readonly text: string,
		readonly tokens: readonly Token[],
	) {}

	/** How often it has each of its tokens. */
	get counts(): ReadonlyMap<string, number> {
		this.counted ??= countsOf(this.tokens);
		return this.counted;
	}

	/** Those of its tokens that are names. */
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

// Rules look at the same lines with every keystroke, and several rules look at one. So many are kept, and as many that
// were asked for before them: those of the user's changes are asked for again and again, and are never lost.
const LINES_MAX = 2048;
let lines = new Map<string, Line>();
let olderLines: ReadonlyMap<string, Line> = new Map();

export function readLine(text: string): Line {
	let line = lines.get(text);
	if (line === undefined) {
		line = olderLines.get(text) ?? readAnew(text);
		if (lines.size >= LINES_MAX) {
			olderLines = lines;
			lines = new Map();
		}
		lines.set(text, line);
	}
	return line;
}

function readAnew(text: string): Line {
	const tokens = Array.from(text.matchAll(/[\p{L}\p{N}\p{M}_$]+|\S/gu), ({ 0: found, index }) => {
		return { text: found, from: index, to: index + found.length };
	});
	return new Line(text, tokens);
}

// To cut a line out of a text and look it up takes longer than most of what is asked of it.
const LINES_OF = new VersionCache<Map<number, Line>>();

/** A line of a text; an empty one beyond its ends. */
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

/** Tokens `from`–`to` were replaced by tokens `newFrom`–`newTo`. Between two segments there is a token that stayed. */
export interface Segment {
	readonly from: number;
	readonly to: number;
	readonly newFrom: number;
	readonly newTo: number;
}

// The lines that the user changed are compared with each other, and with those like them, on every request.
const DIFFERENCES = new WeakMap<Line, WeakMap<Line, Difference>>();

interface Difference {
	readonly edits: readonly Edit[];
	readonly segments: readonly Segment[];
}

/** What is different between two lines; the same array for the same two. */
export function segmentsBetween(a: Line, b: Line): readonly Segment[] {
	return differenceOf(a, b).segments;
}

/** The edits in whole tokens that turn one line into another. */
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

/** Edits in whole tokens as segments. Those with nothing but white space between them are one. */
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

/** Where the white space before a token begins: at the end of the token before it, or after the indent. */
function gapBefore({ text, tokens }: Line, index: number): number {
	return tokens[index - 1]?.to ?? indentOf(text).length;
}

/** Where the white space after a token ends, the one before `index`: at the token that follows, or after the last. */
function gapAfter(line: Line, index: number): number {
	const { text, tokens } = line;
	return Math.max(tokens[index]?.from ?? tokens.at(-1)?.to ?? text.length, gapBefore(line, index));
}

/**
 * What is written for a segment, and whether the white space on either side belongs to it: where tokens only came or went,
 * and where it is not the same before and after, it does. At the ends of a line there is none to say so.
 */
export interface SegmentText {
	readonly insert: string;
	/** Where the insert begins in the line after. */
	readonly from: number;
	readonly takesGapBefore: boolean;
	readonly takesGapAfter: boolean;
}

export function segmentTextFor(
	{ before, after }: { readonly before: Line; readonly after: Line },
	segment: Segment,
): SegmentText {
	const { from, to, newFrom, newTo } = segment;
	const isReplaced = from < to && newFrom < newTo;
	const gap = ({ text, tokens }: Line, index: number) => text.slice(tokens[index - 1]?.to ?? 0, tokens[index]?.from);
	const [isAtStart, isAtEnd] = [from === 0, to === before.tokens.length];
	const takesGapBefore = !isAtStart && (!isReplaced || gap(before, from) !== gap(after, newFrom));
	const takesGapAfter = !isAtEnd && (!isReplaced || (!isAtStart && gap(before, to) !== gap(after, newTo)));
	const start = takesGapBefore ? gapBefore(after, newFrom) : (after.tokens[newFrom]?.from ?? 0);
	const end = takesGapAfter ? gapAfter(after, newTo) : (after.tokens[newTo - 1]?.to ?? 0);
	return { insert: after.text.slice(start, Math.max(end, start)), from: start, takesGapBefore, takesGapAfter };
}

/** The edit that writes it for the tokens `from`–`to` of a line; undefined where it changes nothing. */
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

/** An edit without the white space that it leaves as it was at its start and end; undefined where it changes nothing. */
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

/** A line after edits that are in order and apart. */
export function writeLine(text: string, edits: readonly Edit[]): string {
	let written = "";
	let done = 0;
	for (const { from, to, insert } of edits) {
		written += text.slice(done, from) + insert;
		done = to;
	}
	return written + text.slice(done);
}

/** The share of tokens that two lines have in common, in whatever order. */
export function similarity(a: Line, b: Line): number {
	const [few, many] = a.counts.size < b.counts.size ? [a.counts, b.counts] : [b.counts, a.counts];
	let common = 0;
	for (const [token, count] of few) common += Math.min(count, many.get(token) ?? 0);
	return (2 * common) / Math.max(a.tokens.length + b.tokens.length, 1);
}

/** The most that the similarity of two lines can be, by the number of their tokens. */
export function similarityMax(a: Line, b: Line): number {
	return (2 * Math.min(a.tokens.length, b.tokens.length)) / Math.max(a.tokens.length + b.tokens.length, 1);
}
