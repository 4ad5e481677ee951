import type { Change, Edit, Text } from "@segue/text";

/**
 * Whether a change inserts text that is already there: its last lines follow it, its first lines precede it, or an
 * insertion within a line ends with the rest of that line. Brackets and blank lines alone don't count.
 */
export function repeatsNearbyLines(change: Change, text: Text): boolean {
	const { brought, gone, above, below } = linesAround(change, text);
	// A line that is changed to equal its neighbour is not a repetition, so only additional lines count.
	for (let count = 1; count <= brought.length - gone; count++) {
		if (isRepeated(brought.slice(-count), below.slice(0, count))) return true;
		if (isRepeated(brought.slice(0, count), above.slice(-count))) return true;
	}
	return change.edits.some((edit) => repeatsRest(edit, text));
}

interface Surroundings {
	/** The new lines. */
	readonly brought: readonly string[];
	/** The number of deleted lines. */
	readonly gone: number;
	/** The lines above and below the change, up to as many on each side as there are new lines. */
	readonly above: readonly string[];
	readonly below: readonly string[];
}

/** The new lines of a change and the lines around them, without blank lines. */
function linesAround({ edits }: Change, text: Text): Surroundings {
	const first = text.lineAt(edits[0]?.from ?? 0);
	const last = text.lineAt(edits.at(-1)?.to ?? 0);
	const old = linesOf(text, first, last);
	const now = newLines(edits, text, first, last);
	const most = Math.min(old.length, now.length);
	let head = 0;
	while (head < most && old[head] === now[head]) head++;
	let tail = 0;
	while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
	const brought = now.slice(head, now.length - tail).filter(isInked);
	return {
		brought,
		gone: old.slice(head, old.length - tail).filter(isInked).length,
		above: inkedFrom(text, first + head - 1, -1, brought.length).reverse(),
		below: inkedFrom(text, last - tail + 1, 1, brought.length),
	};
}

function newLines(edits: readonly Edit[], text: Text, first: number, last: number): string[] {
	let written = "";
	let done = text.lineStart(first);
	for (const { from, to, insert } of edits) {
		written += text.slice(done, from) + insert;
		done = to;
	}
	return (written + text.slice(done, text.lineEnd(last))).split(/\r\n|\r|\n/);
}

function linesOf(text: Text, first: number, last: number): string[] {
	return Array.from({ length: last - first + 1 }, (_, i) => text.line(first + i));
}

/** Returns up to `count` non-blank lines, starting at `first` and moving by `step`. */
function inkedFrom(text: Text, first: number, step: 1 | -1, count: number): string[] {
	const lines: string[] = [];
	for (let line = first; line >= 0 && line < text.lineCount && lines.length < count; line += step) {
		if (isInked(text.line(line))) lines.push(text.line(line));
	}
	return lines;
}

function isInked(line: string): boolean {
	return line.trim() !== "";
}

function isRepeated(lines: readonly string[], others: readonly string[]): boolean {
	const isSame = lines.length === others.length && lines.every((line, i) => line.trimEnd() === others[i]?.trimEnd());
	return isSame && lines.some(hasWord);
}

/** Whether an insertion within a line ends with the rest of the line. */
function repeatsRest({ from, to, insert }: Edit, text: Text): boolean {
	const rest = text.slice(to, text.lineEnd(text.lineAt(to))).trim();
	return from === to && hasWord(rest) && !/[\r\n]/.test(insert) && insert.trimEnd().endsWith(rest);
}

function hasWord(text: string): boolean {
	return /[\p{L}\p{N}_$]{2}/u.test(text);
}
