import type { Edit } from "@segue/text";
import { isName } from "../languages/identifiers.js";
import { editFor, type Line, type Segment, type SegmentText, segmentTextFor, type Token } from "../line.js";
import type { Rewrite } from "../rewrite.js";
import { Search } from "../search/search.js";

// A line that changed in more places than this was rewritten, and its like is not found by its pieces.
const SEGMENTS_MAX = 5;
// A pattern with fewer tokens to be known by would fit nearly everywhere.
const TOKENS_MIN = 2;
// A shorter name is found nearly everywhere.
const TELLING_MIN = 3;

const ALL = Number.POSITIVE_INFINITY;

/**
 * How much of its line a change is known by, in tokens before and after it: all of the line, some tokens on either side,
 * one, some on one side only, or none but what changes. What is known by less is found in more places, and is right in fewer.
 */
const WIDTHS = { line: [ALL, ALL], wide: [3, 3], near: [1, 1], left: [2, 0], right: [0, 2], bare: [0, 0] } as const;

export type Width = keyof typeof WIDTHS;

/** All of them, those that know most first. */
export const ALL_WIDTHS = Object.keys(WIDTHS) as readonly Width[];

/** A change that may be repeated: what is looked for, and what is to be written there. */
export interface Pattern {
	readonly key: string;
	readonly width: Width;
	readonly parts: readonly PatternPart[];
	/** It is only some of what changed on the line. */
	readonly isPart: boolean;
	/** All tokens that it is known by. */
	readonly tokens: readonly string[];
	/** How many tokens go, and how many come. */
	readonly goes: number;
	readonly comes: number;
	/** Its longest word, by which its like is found; undefined where it has none. */
	readonly search: Search | undefined;
	/** How long that is, if it is a name. */
	readonly telling: number;
}

/** Some tokens of a line, and the segments among them that change. */
export interface PatternPart {
	readonly tokens: readonly string[];
	readonly segments: readonly Replacement[];
	readonly isAtStart: boolean;
	readonly isAtEnd: boolean;
}

/** The tokens `from`–`to` of a part, with the white space around them, become a text. */
export interface Replacement {
	readonly from: number;
	readonly to: number;
	readonly written: SegmentText;
}

// By the segments, which are one array for the same two lines: a line that the user changed once is there in all requests.
const PATTERNS = new WeakMap<readonly Segment[], readonly Pattern[]>();

/** What became of a line in all widths, as a whole and each change on it by itself. */
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

/** Whether a name goes. Of other changes, a part of what was done says little without what stands around it. */
function isTellingOf({ before }: Rewrite, { from, to }: Segment): boolean {
	return before.tokens.slice(from, to).some(({ text }) => text.length >= TELLING_MIN && isName(text));
}

/**
 * The same insertion at the start or the end of its line, where the tokens beside it are such that it could stand there as
 * well: a third `/` before two others is one at the start.
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

/** Whether an insertion only makes a number another one, such as `27` to `27.0`. That says nothing about other numbers. */
export function continuesNumber({ before, after }: Rewrite, { from, to, newFrom, newTo }: Segment): boolean {
	const inserted = after.tokens.slice(newFrom, newTo);
	const isNumeric = inserted.every(({ text }) => /^[\d._]+$/.test(text));
	const follows =
		after.tokens[newFrom - 1]?.to === inserted[0]?.from && /^\d/.test(before.tokens[from - 1]?.text ?? "");
	return from === to && isNumeric && follows;
}

/** Whether a line has the same tokens in another order. Without the tokens around them, that says nothing about other lines. */
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

/** The word by which a pattern is looked for: its longest name, or else its longest number or keyword. */
function anchorOf(tokens: readonly string[]): string {
	const words = tokens.filter((token) => /^[\p{L}\p{N}\p{M}_$]/u.test(token));
	const longest = (some: readonly string[]) => some.reduce((best, one) => (one.length > best.length ? one : best), "");
	return longest(words.filter((word) => isName(word))) || longest(words);
}

/** The segments with so many tokens on either side, those that meet in one part. */
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
		// What is known by nothing at all is known by where it stands.
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

/** What a pattern would do to a line: nothing where its parts are not all there, in their order. */
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

/** Where a part begins in a line, by the index of its first token from an index on; -1 where it is not there. */
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

/** Whether two tokens are the same; the end of a line is the same as another's. */
export function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
	return a?.text === b?.text;
}
