import type { Edit } from "@segue/text";

// Documents as lists of lines. As in the benchmark, a line ends only at \n.

/** The lines in a text, without \n. */
export type Lines = readonly string[];

export function toLines(text: string): Lines {
	return text.split("\n");
}

export function sameLines(a: Lines, b: Lines): boolean {
	return a.length === b.length && a.every((line, i) => line === b[i]);
}

/** Returns the difference between two lists of lines, without common lines at the start and end. */
export function trimLines(before: Lines, after: Lines): { start: number; removed: Lines; added: Lines } {
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before[start] === after[start]) start++;
	let end = 0;
	while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	return { start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

/** Returns the smallest single edit from one text to the other that does not split surrogate pairs. */
export function editBetween(before: Lines, after: Lines): Edit {
	const [a, b] = [before.join("\n"), after.join("\n")];
	const most = Math.min(a.length, b.length);
	let from = 0;
	while (from < most && a[from] === b[from]) from++;
	let end = 0;
	while (end < most - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	if (from > 0 && isFirstHalf(a.charCodeAt(from - 1))) from--;
	if (end > 0 && isSecondHalf(a.charCodeAt(a.length - end))) end--;
	return { from, to: a.length - end, insert: b.slice(from, b.length - end) };
}

/** Applies edits whose offsets all refer to the old text. Insertions at the same offset keep their order. */
export function applyEdits(before: Lines, edits: readonly Edit[]): Lines {
	const placed = edits.map((edit, index) => ({ ...edit, index }));
	let text = before.join("\n");
	for (const { from, to, insert } of placed.toSorted((a, b) => b.from - a.from || b.index - a.index)) {
		text = text.slice(0, from) + insert + text.slice(to);
	}
	return toLines(text);
}

/** Returns the offset of a position in the joined text. Never past the line's end or the \r before it. */
export function offsetIn(lines: Lines, line: number, character: number): number {
	const above = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
	return above + Math.min(character, lines[line]?.replace(/\r$/, "").length ?? 0);
}

function isFirstHalf(unit: number): boolean {
	return unit >= 0xd800 && unit < 0xdc00;
}

function isSecondHalf(unit: number): boolean {
	return unit >= 0xdc00 && unit < 0xe000;
}
