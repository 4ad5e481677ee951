import type { Edit } from "@segue/text";
import { isName } from "../languages/identifiers.js";
import { editFor, type Line, type Segment, type SegmentText, segmentTextFor, type Token } from "../line.js";
import type { Rewrite } from "../rewrite.js";
import { Search } from "../search/search.js";

// A line with more changes than this was rewritten as a whole.
const SEGMENTS_MAX = 5;
// A pattern with fewer tokens than this matches nearly everywhere.
const TOKENS_MIN = 2;
// Shorter names occur nearly everywhere.
const TELLING_MIN = 3;

const ALL = Number.POSITIVE_INFINITY;

/**
 * The context of a pattern, as the number of tokens before and after the change. A narrower pattern matches more
 * places, but is correct in fewer of them.
 */
const WIDTHS = { line: [ALL, ALL], wide: [3, 3], near: [1, 1], left: [2, 0], right: [0, 2], bare: [0, 0] } as const;

export type Width = keyof typeof WIDTHS;

/** All widths, widest first. */
export const ALL_WIDTHS = Object.keys(WIDTHS) as readonly Width[];

/** A repeatable change: the tokens to find, and their replacement. */
export interface Pattern {
	readonly key: string;
	readonly width: Width;
	readonly parts: readonly PatternPart[];
	/** The pattern covers only some of the changes on the line. */
	readonly isPart: boolean;
	/** All tokens to find, including the context. */
	readonly tokens: readonly string[];
	/** The number of deleted tokens. */
	readonly goes: number;
	/** The number of inserted tokens. */
	readonly comes: number;
	/** A search for the pattern's longest word. Undefined if it has no words. */
	readonly search: Search | undefined;
	/** The length of the longest word if it is a name, otherwise 0. */
	readonly telling: number;
}

/** Consecutive tokens on a line, and the segments of them that change. */
export interface PatternPart {
	readonly tokens: readonly string[];
	readonly segments: readonly Replacement[];
	readonly isAtStart: boolean;
	readonly isAtEnd: boolean;
}

/** Replaces the tokens `from`–`to` of a part, with the whitespace around them. */
export interface Replacement {
	readonly from: number;
	readonly to: number;
	readonly written: SegmentText;
}

// A cache, because every request has the same changed lines. The key is the array of segments: it is computed once for
// each pair of lines, so equal pairs have the same array.
const PATTERNS = new WeakMap<readonly Segment[], readonly Pattern[]>();

/** Returns the patterns of a changed line at all widths: for all its changes together, and for each change alone. */
export function patternsOf(rewrite: Rewrite): readonly Pattern[] {
	let patterns = PATTERNS.get(rewrite.segments);
	if (patterns === undefined) {
		patterns = readPatterns(rewrite);
		PATTERNS.set(rewrite.segments, patterns);
	}
	return patterns;
}

function readPatterns(rewrite: Rewrite): Pattern[] {
	const { segments } = rewrite;
	const [only, ...more] = segments;
	if (only === undefined || segments.length > SEGMENTS_MAX) return [];
	if (more.length === 0) {
		const slid = slidToEdge(rewrite, only);
		const own = ALL_WIDTHS.flatMap((width) => patternOf(rewrite, segments, width));
		return slid === undefined ? own : [...own, ...patternOf(rewrite, [slid], "bare")];
	}
	const choices = [segments, ...segments.map((one) => [one])];
	return ALL_WIDTHS.flatMap((width) => {
		return (width === "line" ? [segments] : choices).flatMap((choice) => {
			const isPart = choice.length < segments.length;
			if (isPart && width === "bare" && !isTellingOf(rewrite, choice[0] as Segment)) return [];
			return patternOf(rewrite, choice, width);
		});
	});
}

/** Whether a segment removes a name. Other partial changes need context. */
function isTellingOf({ before }: Rewrite, { from, to }: Segment): boolean {
	return before.tokens.slice(from, to).some(({ text }) => text.length >= TELLING_MIN && isName(text));
}

/**
 * Moves an insertion to the start or end of its line if that has the same result. For example, a `/` inserted into `//`
 * can be inserted at the start.
 */
function slidToEdge({ before, after }: Rewrite, { from, to, newFrom, newTo }: Segment): Segment | undefined {
	const { length } = before.tokens;
	if (from !== to || from === 0 || from === length) return undefined;
	let up = 0;
	while (up < from && isSameToken(after.tokens[newTo - up - 1], after.tokens[newFrom - up - 1])) up++;
	let down = 0;
	while (from + down < length && isSameToken(after.tokens[newFrom + down], after.tokens[newTo + down])) down++;
	const by = up === from ? -up : from + down === length ? down : 0;
	return by === 0 ? undefined : { from: from + by, to: to + by, newFrom: newFrom + by, newTo: newTo + by };
}

/** Whether an insertion only extends a number, such as `27` to `27.0`. This says nothing about other numbers. */
export function continuesNumber({ before, after }: Rewrite, { from, to, newFrom, newTo }: Segment): boolean {
	const inserted = after.tokens.slice(newFrom, newTo);
	const isNumeric = inserted.every(({ text }) => /^[\d._]+$/.test(text));
	const follows =
		after.tokens[newFrom - 1]?.to === inserted[0]?.from && /^\d/.test(before.tokens[from - 1]?.text ?? "");
	return from === to && isNumeric && follows;
}

/** Whether a change only reorders tokens. Without context, this says nothing about other lines. */
function isPermutation({ before, after, segments }: Rewrite): boolean {
	const textsOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text);
	const goes = segments.flatMap(({ from, to }) => textsOf(before.tokens.slice(from, to)));
	const comes = segments.flatMap(({ newFrom, newTo }) => textsOf(after.tokens.slice(newFrom, newTo)));
	return segments.length > 1 && goes.toSorted().join(" ") === comes.toSorted().join(" ");
}

function patternOf(rewrite: Rewrite, segments: readonly Segment[], width: Width): Pattern[] {
	if (width === "bare" && isPermutation(rewrite)) return [];
	if (WIDTHS[width][0] === 0 && segments.some((one) => continuesNumber(rewrite, one))) return [];
	const parts = partsOf(rewrite, segments, WIDTHS[width]);
	const tokens = parts.flatMap((part) => part.tokens);
	const anchor = anchorOf(tokens);
	const isAtEdge = parts.every((part) => part.isAtStart || part.isAtEnd);
	if (parts.some((part) => part.tokens.length === 0) && !isAtEdge) return [];
	if (width !== "bare" && (tokens.length < TOKENS_MIN || anchor === "")) return [];
	const known = parts.map((part) => [
		part.tokens,
		part.segments.map(({ from, to, written }) => [from, to, written.insert]),
		...(part.tokens.length === 0 ? [part.isAtStart] : []),
	]);
	const pattern: Pattern = {
		key: `${width} ${JSON.stringify(known)}`,
		width,
		parts,
		isPart: segments.length < rewrite.segments.length,
		tokens,
		goes: segments.reduce((sum, { from, to }) => sum + to - from, 0),
		comes: segments.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
		search: anchor === "" ? undefined : new Search(anchor),
		telling: isName(anchor) ? anchor.length : 0,
	};
	return [pattern];
}

/** Returns the word to search for: the longest name, or if there is none, the longest number or keyword. */
function anchorOf(tokens: readonly string[]): string {
	const words = tokens.filter((token) => /^[\p{L}\p{N}\p{M}_$]/u.test(token));
	const longest = (some: readonly string[]) => some.reduce((best, one) => (one.length > best.length ? one : best), "");
	return longest(words.filter((word) => isName(word))) || longest(words);
}

/** Extends segments by `left` and `right` tokens of context, and merges segments that then meet. */
function partsOf(
	rewrite: Rewrite,
	segments: readonly Segment[],
	[left, right]: readonly [number, number],
): PatternPart[] {
	const { tokens } = rewrite.before;
	const spans: { from: number; to: number; segments: Segment[] }[] = [];
	for (const segment of segments) {
		const from = Math.max(segment.from - left, 0);
		const to = Math.min(segment.to + right, tokens.length);
		const last = spans.at(-1);
		if (last !== undefined && from <= last.to) {
			last.to = to;
			last.segments.push(segment);
		} else spans.push({ from, to, segments: [segment] });
	}
	return spans.map(({ from, to, segments: own }) => {
		// A part without tokens can match only at the start or end of a line.
		const isEmpty = from === to;
		return {
			tokens: tokens.slice(from, to).map(({ text }) => text),
			segments: own.map((one) => ({
				from: one.from - from,
				to: one.to - from,
				written: segmentTextFor(rewrite, one),
			})),
			isAtStart: (left > 0 || isEmpty) && (own[0]?.from === 0 || left > tokens.length),
			isAtEnd: (right > 0 || isEmpty) && (own.at(-1)?.to === tokens.length || right > tokens.length),
		};
	});
}

/** Returns the edits that a pattern makes on a line. Empty unless all its parts occur in order. */
export function editsOn(line: Line, { parts }: Pick<Pattern, "parts">): Edit[] {
	const edits: Edit[] = [];
	const isOnly = parts.length === 1;
	let index = 0;
	for (const part of parts) {
		let at = findPart(line, part, index);
		if (at === -1) return [];
		for (; at !== -1; at = isOnly && part.tokens.length > 0 ? findPart(line, part, index) : -1) {
			for (const { from, to, written } of part.segments) {
				const edit = editFor(line, at + from, at + to, written);
				if (edit === undefined) continue;
				if (edit.from < (edits.at(-1)?.to ?? 0)) return [];
				edits.push(edit);
			}
			index = at + Math.max(part.segments.at(-1)?.to ?? 0, 1);
		}
	}
	return edits;
}

/** Returns the index of the first token of a part in a line, at or after `from`, or -1 if the part does not occur. */
export function findPart({ tokens }: Line, { tokens: wanted, isAtStart, isAtEnd }: PatternPart, from: number): number {
	if (tokens.length === 0) return -1;
	const last = isAtStart ? 0 : tokens.length - wanted.length;
	for (let at = from; at <= last; at++) {
		if (isAtEnd && at + wanted.length !== tokens.length) continue;
		let same = 0;
		while (same < wanted.length && tokens[at + same]?.text === wanted[same]) same++;
		if (same === wanted.length) return at;
	}
	return -1;
}

/** Whether two tokens are equal. Undefined stands for the end of a line. */
export function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
	return a?.text === b?.text;
}
