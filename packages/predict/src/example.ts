import { diffLines, type Edit, type Text } from "@segue/text";
import { type EditedFile, editedLinesOf, type History } from "./history.js";
import { LINE_MAX, wordsOf } from "./languages/identifiers.js";
import { editsBetween, readLine } from "./line.js";

// More examples than this would not make a rule any clearer.
const EXAMPLES_MAX = 64;
// Limit per document. If more lines differ, the document was replaced and has no useful examples.
const COMPARED_MAX = 256;
// Pairing compares every old line with every new one; for larger hunks this is slow and unreliable.
const PAIRED_MAX = 16;
// The minimum share of words in common for two lines to be paired as old and new.
const ALIKE_MIN = 0.5;

/** One changed line. */
export interface Example {
	readonly file: EditedFile;
	/** The line as it was when editing began, without its line break; undefined if it was added. */
	readonly before: string | undefined;
	/** The current line; undefined if it was deleted. */
	readonly after: string | undefined;
	/** The start of the line in the current text, or of the following line if it was deleted. */
	readonly at: number;
	/** The edits, expanded to whole tokens, as offsets in `before`. Empty if the line was added or deleted. */
	readonly edits: readonly Edit[];
	/**
	 * Only accepted suggestions changed the line. They were derived from the user's other edits, so they are not
	 * additional evidence for a rule. `Memory` accounts for the acceptance.
	 */
	readonly isAccepted: boolean;
	/** The lines added or deleted together with this one; undefined for a modified line. */
	readonly block: Block | undefined;
	/** The run of changed lines that contains it. */
	readonly hunk: Block;
	/** The line's index in `hunk.old`; undefined if it was added. */
	readonly oldIndex: number | undefined;
}

/** Consecutive lines that were added, deleted or modified. */
export interface Block {
	/** Without line breaks. */
	readonly old: readonly string[];
	readonly now: readonly string[];
	/** The start of the hunk in the current text, or of the following line if all lines were deleted. */
	readonly at: number;
}

/**
 * The changed lines in all documents. Compares the text from when editing began with the current text, so intermediate
 * steps don't matter. The most recently edited line is last.
 */
export function examplesOf(history: History): readonly Example[] {
	const dated = history.files.flatMap(datedExamplesOf);
	return dated
		.toSorted((a, b) => a.order - b.order)
		.slice(-EXAMPLES_MAX)
		.map(({ example }) => example);
}

const AGES = new WeakMap<readonly Example[], ReadonlyMap<Example, number>>();

/** Counts the changes since an example. Lines added or deleted together count as one change. */
export function ageOf(examples: readonly Example[], example: Example): number {
	let ages = AGES.get(examples);
	if (ages === undefined) {
		const made = new Map<Example, number>();
		const seen = new Set<object>();
		for (const one of examples.toReversed()) {
			const what = one.block ?? one;
			made.set(one, seen.has(what) ? seen.size - 1 : seen.size);
			seen.add(what);
		}
		AGES.set(examples, made);
		ages = made;
	}
	return ages.get(example) ?? 0;
}

interface Dated {
	readonly example: Example;
	readonly order: number;
}

// Each version of a file is a new object, so it is compared only once.
const KNOWN = new WeakMap<EditedFile, readonly Dated[]>();

function datedExamplesOf(file: EditedFile): readonly Dated[] {
	let dated = KNOWN.get(file);
	if (dated === undefined) {
		dated = compare(file);
		KNOWN.set(file, dated);
	}
	return dated;
}

function compare(file: EditedFile): Dated[] {
	const { start, now, touches, removals } = file;
	if (start === now) return [];
	const touched = touches.map((one) => ({ one, ...editedLinesOf(one, now) }));
	const touchOf = (line: number) => touched.findLast(({ first, last }) => first <= line && line <= last)?.one;
	const result: Dated[] = [];
	let shift = 0;
	for (const { from, to, insert } of diffTexts(start, now)) {
		const oldLines = linesBetween(start, from, to);
		const newEnd = from + shift + insert.length;
		const newLines = linesBetween(now, from + shift, newEnd);
		shift += insert.length - (to - from);
		const hunk: Block = {
			old: oldLines.map((line) => line.text),
			now: newLines.map((line) => line.text),
			at: from + shift - (insert.length - (to - from)),
		};
		let next = 0; // index in the new lines
		let block: { old: string[]; now: string[]; at: number } | undefined;
		for (const [i, j] of pairLines(oldLines, newLines)) {
			const before = i === undefined ? undefined : oldLines[i]?.text;
			const after = j === undefined ? undefined : newLines[j]?.text;
			const at = newLines[next]?.from ?? newEnd;
			if (j !== undefined) next++;
			if (before !== undefined && after !== undefined) block = undefined;
			else {
				const isOfOther = block !== undefined && (before === undefined ? block.now : block.old).length === 0;
				if (block === undefined || isOfOther) block = { old: [], now: [], at };
				if (before !== undefined) block.old.push(before);
				if (after !== undefined) block.now.push(after);
			}
			if ((before?.length ?? 0) > LINE_MAX || (after?.length ?? 0) > LINE_MAX) continue;
			const edits = before === undefined || after === undefined ? [] : editsBetween(readLine(before), readLine(after));
			const touch = after === undefined ? removals.findLast(({ from }) => from === at) : undefined;
			const { order = 0, isAccepted = false } = touch ?? touchOf(now.lineAt(at)) ?? {};
			result.push({ example: { file, before, after, at, edits, isAccepted, block, hunk, oldIndex: i }, order });
			if (result.length > COMPARED_MAX) return result;
		}
	}
	return result;
}

/** Returns the line-by-line edits between two versions of a text. Skips their common prefix and suffix. */
function diffTexts(before: Text, after: Text): Edit[] {
	const { head, tail } = before.common(after);
	const start = Math.min(before.locate(head).start, after.locate(head).start);
	const rest = Math.min(followingLines(before, tail), followingLines(after, tail));
	const edits = diffLines(before.slice(start, before.length - rest), after.slice(start, after.length - rest));
	return edits.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
}

/** Returns the length of the lines that begin within the last `tail` characters. */
function followingLines(text: Text, tail: number): number {
	const next = text.lineAt(text.length - tail) + 1;
	return next < text.lineCount ? text.length - text.lineStart(next) : 0;
}

interface Line {
	readonly from: number;
	readonly text: string;
}

function linesBetween(text: Text, from: number, to: number): Line[] {
	const lines: Line[] = [];
	for (let line = text.lineAt(from); from < to && line < text.lineCount; line++) {
		const start = text.lineStart(line);
		if (start >= to) break;
		lines.push({ from: start, text: text.line(line) });
	}
	return lines;
}

/**
 * Pairs old lines with new ones, in order. If there are as many old lines as new ones, they are paired by index;
 * otherwise by common words. Unpaired lines were deleted or added.
 */
function pairLines(old: readonly Line[], now: readonly Line[]): [number | undefined, number | undefined][] {
	if (old.length === now.length) return old.map((_, i) => [i, i]);
	const isFew = old.length <= PAIRED_MAX && now.length <= PAIRED_MAX;
	const pairs = isFew ? mostAlike(old, now) : [];
	const result: [number | undefined, number | undefined][] = [];
	let i = 0;
	let j = 0;
	for (const [oldIndex, newIndex] of [...pairs, [old.length, now.length] as const]) {
		while (i < oldIndex) result.push([i++, undefined]);
		while (j < newIndex) result.push([undefined, j++]);
		if (i < old.length && j < now.length) result.push([i++, j++]);
	}
	return result;
}

/** Finds the pairs, in ascending order, with the greatest total similarity, as in a longest common subsequence. */
function mostAlike(old: readonly Line[], now: readonly Line[]): [number, number][] {
	const words = now.map((line) => wordsOf(line.text.slice(0, LINE_MAX)));
	const likeness = old.map((line) => {
		const own = wordsOf(line.text.slice(0, LINE_MAX));
		return words.map((others) => likenessOf(own, others));
	});
	const best = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
	const at = (i: number, j: number) => best[i]?.[j] ?? 0;
	const paired = (i: number, j: number) => at(i + 1, j + 1) + (likeness[i]?.[j] ?? 0);
	for (let i = old.length - 1; i >= 0; i--) {
		for (let j = now.length - 1; j >= 0; j--) {
			(best[i] as number[])[j] = Math.max(at(i + 1, j), at(i, j + 1), paired(i, j));
		}
	}
	const pairs: [number, number][] = [];
	let i = 0;
	let j = 0;
	while (i < old.length && j < now.length) {
		const isPair = (likeness[i]?.[j] ?? 0) > 0 && at(i, j) === paired(i, j);
		if (isPair) pairs.push([i++, j++]);
		else if (at(i, j) === at(i + 1, j)) i++;
		else j++;
	}
	return pairs;
}

/** The share of words that two lines have in common; 0 if below `ALIKE_MIN`. */
function likenessOf(left: readonly string[], right: readonly string[]): number {
	const rest = [...right];
	const common = left.filter((word) => {
		const index = rest.indexOf(word);
		if (index !== -1) rest.splice(index, 1);
		return index !== -1;
	});
	const share = (2 * common.length) / Math.max(left.length + right.length, 1);
	return share >= ALIKE_MIN ? share : 0;
}
