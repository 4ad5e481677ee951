import { diff } from "fast-myers-diff";
import type { Edit } from "./change.js";

// A diff with more comparisons than this (about 0.3 s) is too slow to run on every keystroke. The whole range then
// becomes one replacement, which is correct but less precise. A few changes that are far apart in a long text need few
// comparisons.
const COMPARISONS_MAX = 2 ** 22;
const TOO_DIFFERENT = new Error("too many comparisons");

/** Returns edits of whole lines that turn one text into another. */
export function diffLines(before: string, after: string): Edit[] {
	return editsBetween(splitLines(before), splitLines(after));
}

/**
 * Returns edits of whole words, runs of whitespace and single characters that turn one text into another. Intended for
 * one or a few lines.
 */
export function diffTokens(before: string, after: string): Edit[] {
	return editsBetween(splitTokens(before), splitTokens(after));
}

/** Splits a text into lines, including their line endings. */
export function splitLines(text: string): string[] {
	// A pattern that matches whole lines overflows V8's stack on a line of 16 million characters.
	const lines: string[] = [];
	const lineEnd = /\r\n?|\n/g;
	let start = 0;
	while (lineEnd.test(text)) {
		lines.push(text.slice(start, lineEnd.lastIndex));
		start = lineEnd.lastIndex;
	}
	if (start < text.length) lines.push(text.slice(start));
	return lines;
}

export function splitTokens(text: string): string[] {
	return text.match(/[\p{L}\p{N}\p{M}_$]+|\s+|./gsu) ?? [];
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
	const starts = [0];
	for (const item of before) starts.push((starts.at(-1) as number) + item.length);
	return diffItems(before, after).map(({ from, to, newFrom, newTo }) => ({
		from: starts[from] as number,
		to: starts[to] as number,
		insert: after.slice(newFrom, newTo).join(""),
	}));
}

/** Replaces the items `from`–`to` in one list with the items `newFrom`–`newTo` in the other. */
export interface Replaced {
	readonly from: number;
	readonly to: number;
	readonly newFrom: number;
	readonly newTo: number;
}

/**
 * Returns a shortest edit script between two lists, as replacements in ascending order with equal items between them.
 */
export function diffItems(before: readonly string[], after: readonly string[]): Replaced[] {
	const most = Math.min(before.length, after.length);
	let head = 0;
	while (head < most && before[head] === after[head]) head++;
	let tail = 0;
	while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;

	const result: Replaced[] = [];
	let from = head;
	let newFrom = head;
	const close = (to: number, newTo: number) => {
		if (to > from || newTo > newFrom) result.push({ from, to, newFrom, newTo });
	};
	for (const [at, newAt] of pairs(before, after, head, tail)) {
		close(at, newAt);
		from = at + 1;
		newFrom = newAt + 1;
	}
	close(before.length - tail, after.length - tail);
	return result;
}

/**
 * Returns the items that both lists keep between their common start and end, as pairs of indices in ascending order.
 */
function pairs(before: readonly string[], after: readonly string[], head: number, tail: number): [number, number][] {
	// Items that only one list contains are changed in any case. Leaving them out makes comparing very different texts
	// as fast as comparing similar texts.
	const old = shared(before, head, before.length - tail, new Set(after.slice(head, after.length - tail)));
	const now = shared(after, head, after.length - tail, new Set(before.slice(head, before.length - tail)));
	const result: [number, number][] = [];
	let i = 0;
	let j = 0;
	const keepUpTo = (end: number) => {
		while (i < end) result.push([old[i++] as number, now[j++] as number]);
	};
	let comparisons = 0;
	const isEqual = (a: number, b: number) => {
		if (++comparisons > COMPARISONS_MAX) throw TOO_DIFFERENT; // the only way to stop the library
		return before[old[a] as number] === after[now[b] as number];
	};
	try {
		for (const [oldFrom, oldTo, , newTo] of diff(old, now, isEqual)) {
			keepUpTo(oldFrom);
			i = oldTo;
			j = newTo;
		}
	} catch (error) {
		if (error === TOO_DIFFERENT) return [];
		throw error;
	}
	keepUpTo(old.length);
	return result;
}

function shared(items: readonly string[], from: number, to: number, others: ReadonlySet<string>): number[] {
	const result: number[] = [];
	for (let at = from; at < to; at++) if (others.has(items[at] as string)) result.push(at);
	return result;
}
