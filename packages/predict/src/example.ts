import { diffLines, type Edit, type Text } from "@segue/text";
import { type EditedFile, editedLinesOf, type History } from "./history.js";
import { LINE_MAX, wordsOf } from "./languages/identifiers.js";
import { editsBetween, readLine } from "./line.js";

// More examples than this do not make a rule any clearer.
const EXAMPLES_MAX = 64;
// Of one document, as many lines are compared: a document that was replaced has no examples in it.
const COMPARED_MAX = 256;
// Lines are paired by trying all pairs, which for more of them takes long and means little.
const PAIRED_MAX = 16;
// A line is taken for another's new form when at least this share of their words is in both.
const ALIKE_MIN = 0.5;

/** What became of one line. */
export interface Example {
	readonly file: EditedFile;
	/** The line when editing began, without its line end; undefined where it is new. */
	readonly before: string | undefined;
	/** The line as it is; undefined where it is gone. */
	readonly after: string | undefined;
	/** Where it starts in the file's present text; where it is gone, what follows it does. */
	readonly at: number;
	/** The line's change by whole tokens, in offsets of the line before. Empty where one of the two is missing. */
	readonly edits: readonly Edit[];
	/**
	 * The line was changed by accepted suggestions alone. They follow from what the user did elsewhere, so a rule that they
	 * agree with is as likely as before; that it was accepted is the memory's to weigh.
	 */
	readonly isAccepted: boolean;
	/** The lines that came or went together with this one; undefined for a line that became another. */
	readonly block: Block | undefined;
	/** All changed lines that it stands among, with no other between them. */
	readonly hunk: Block;
	/** The line's index in `hunk.old`; undefined where it is new. */
	readonly oldIndex: number | undefined;
}

/** Lines that came, went or became others, one after the other. */
export interface Block {
	/** Without their line ends. */
	readonly old: readonly string[];
	readonly now: readonly string[];
	/** Where it starts in the file's present text; where it is gone, what follows it does. */
	readonly at: number;
}

/**
 * The changed lines of all documents, between the text when editing began and the present one: what was typed on the
 * way, in which steps and how quickly does not matter. The most recently touched is last.
 */
export function examplesOf(history: History): readonly Example[] {
	const dated = history.files.flatMap(datedExamplesOf);
	return dated
		.toSorted((a, b) => a.order - b.order)
		.slice(-EXAMPLES_MAX)
		.map(({ example }) => example);
}

const AGES = new WeakMap<readonly Example[], ReadonlyMap<Example, number>>();

/** How many changes the user has made since an example, lines that came or went together being one. */
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

// A file is a value of its own for every version, so one comparison is enough for each.
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
		let next = 0; // of the new lines
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

/** The edits between two texts, in whole lines. What is the same before and after them all is not cut into lines. */
function diffTexts(before: Text, after: Text): Edit[] {
	const { head, tail } = before.common(after);
	const start = Math.min(before.locate(head).start, after.locate(head).start);
	const rest = Math.min(followingLines(before, tail), followingLines(after, tail));
	const edits = diffLines(before.slice(start, before.length - rest), after.slice(start, after.length - rest));
	return edits.map(({ from, to, insert }) => ({ from: start + from, to: start + to, insert }));
}

/** How long the whole lines are that begin in the last so many characters. */
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
 * Says which new line became of which old one, in order. As many as before are taken one by one; otherwise those that
 * share the most words are, and the rest went or came.
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

/** The ascending pairs with the greatest likeness in all, by the table that finds a longest common subsequence. */
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

/** The share of words that two lines have in common; 0 where that is too little. */
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
