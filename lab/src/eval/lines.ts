import type { Position, Range } from "@segue/text";

// Documents as lists of lines, as the benchmark counts them: a line ends at \n and nowhere else. Wires and `Text` also end
// one at \r, so a text with bare \r would be told wrongly; it is told wrongly in the same way by every tool of the
// benchmark, and figures can only be compared if all do alike.

/** A text as its lines, none with its \n. */
export type Lines = readonly string[];

/** An edit as the wire says it. */
export interface WireEdit {
	readonly range: Range;
	readonly newText: string;
}

export function linesOf(text: string): Lines {
	return text.split("\n");
}

export function sameLines(a: Lines, b: Lines): boolean {
	return a.length === b.length && a.every((line, i) => line === b[i]);
}

/** What is different between two lists: lines from `start` on that went, and those that came instead. */
export function trimLines(before: Lines, after: Lines): { start: number; removed: Lines; added: Lines } {
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before[start] === after[start]) start++;
	let end = 0;
	while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	return { start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

/** The smallest change of one stretch, as an editor would send it. */
export function changeBetween(before: Lines, after: Lines): { range: Range; text: string } {
	const [a, b] = [before.join("\n"), after.join("\n")];
	const most = Math.min(a.length, b.length);
	let from = 0;
	while (from < most && a[from] === b[from]) from++;
	let end = 0;
	while (end < most - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	if (from > 0 && isFirstHalf(a.charCodeAt(from - 1))) from--;
	if (end > 0 && isSecondHalf(a.charCodeAt(a.length - end))) end--;
	const range = { start: placeAt(a, from), end: placeAt(a, a.length - end) };
	return { range, text: b.slice(from, b.length - end) };
}

/** The lines after edits, all of which refer to the lines before. Several inserts at one place keep their order. */
export function applyEdits(before: Lines, edits: readonly WireEdit[]): Lines {
	const placed = edits.map(({ range, newText }, index) => {
		return { from: offsetOfPlace(before, range.start), to: offsetOfPlace(before, range.end), newText, index };
	});
	let text = before.join("\n");
	for (const { from, to, newText } of placed.toSorted((a, b) => b.from - a.from || b.index - a.index)) {
		text = text.slice(0, from) + newText + text.slice(to);
	}
	return linesOf(text);
}

function isFirstHalf(unit: number): boolean {
	return unit >= 0xd800 && unit < 0xdc00;
}

function isSecondHalf(unit: number): boolean {
	return unit >= 0xdc00 && unit < 0xe000;
}

function placeAt(text: string, offset: number): Position {
	const head = text.slice(0, offset).split("\n");
	return { line: head.length - 1, character: head.at(-1)?.length ?? 0 };
}

/** Past a line's end is its end, past the last line is the end of all. */
function offsetOfPlace(lines: Lines, { line, character }: Position): number {
	const above = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
	const own = lines[line];
	return own === undefined ? above - 1 : above + Math.min(character, own.length);
}
