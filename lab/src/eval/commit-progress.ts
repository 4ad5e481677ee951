import type { Case, CommitStep } from "./cases.js";
import { type Lines, sameLines, toLines, trimLines } from "./lines.js";

// Maximum distance between an edit and the remaining step it is compared with. Equal lines above or below can shift the
// diff between two texts.
const SLIP_LINES_MAX = 40;

/**
 * The label of a suggestion. `exact`: leads to the text after one remaining step, or several consecutive ones.
 * `trivial`: exact, but changes only whitespace and punctuation. `partial`: a correct part of a remaining step. `loc`:
 * at the location of a remaining step. `wrong`: anything else. `noop`: changes nothing.
 */
export type Label = "exact" | "partial" | "loc" | "trivial" | "wrong" | "noop";

/** A label, and the steps that the suggestion completes or overlaps. */
export interface Judgement {
	readonly label: Label;
	readonly steps: readonly number[];
}

/** A partly completed commit: the finished steps and the resulting files. Immutable. */
export class CommitProgress {
	static of(kase: Case): CommitProgress {
		return new CommitProgress(kase, new Set());
	}

	private readonly texts = new Map<string, Lines>();

	private constructor(
		private readonly kase: Case,
		private readonly done: ReadonlySet<number>,
	) {}

	/** Number of finished steps. */
	get count(): number {
		return this.done.size;
	}

	isDone(step: number): boolean {
		return this.done.has(step);
	}

	with(steps: readonly number[]): CommitProgress {
		return new CommitProgress(this.kase, new Set([...this.done, ...steps]));
	}

	/** Returns the current lines of a file. */
	linesOf(path: string): Lines {
		let lines = this.texts.get(path);
		if (lines === undefined) {
			lines = this.write(path);
			this.texts.set(path, lines);
		}
		return lines;
	}

	/** Returns the line number of a step in the current text, whether the step is done or not. */
	lineOf(index: number): number {
		const { path, oldStart } = this.step(index);
		return stepsOf(this.kase, path)
			.filter((other) => other < index && this.done.has(other))
			.reduce((line, other) => line + growthOf(this.step(other)), oldStart);
	}

	/** Labels a change from a file's current text to `after`. */
	judge(path: string, after: Lines): Judgement {
		const before = this.linesOf(path);
		const { start, removed, added } = trimLines(before, after);
		if (removed.length === 0 && added.length === 0) return { label: "noop", steps: [] };
		const end = start + removed.length;
		const left = this.leftIn(path);
		const matters = [...removed, ...added].some((line) => /\w/.test(line));
		const near = (run: Run) => start <= run.to + SLIP_LINES_MAX && end >= run.from - SLIP_LINES_MAX;
		const run = runThatLeads(left, before, after, near);
		if (run !== undefined) return { label: matters ? "exact" : "trivial", steps: run };
		const met = left.find((one) => meets(one, start, end));
		if (met === undefined) return { label: "wrong", steps: [] };
		const label = isPart(met.step, removed, added, matters) ? "partial" : "loc";
		return { label, steps: [met.index] };
	}

	/** Returns the remaining steps in a file, from top to bottom. Context files have none. */
	private leftIn(path: string): readonly Left[] {
		if (this.kase.files[path] === undefined) return [];
		let shift = 0;
		const left: Left[] = [];
		for (const index of stepsOf(this.kase, path)) {
			const step = this.step(index);
			const from = step.oldStart + shift;
			if (this.done.has(index)) shift += growthOf(step);
			else left.push({ index, step, from, to: from + step.oldLines.length });
		}
		return left;
	}

	private write(path: string): Lines {
		const { files, context } = this.kase;
		const old = toLines(files[path] ?? context[path] ?? "");
		const lines: string[] = [];
		let at = 0;
		for (const index of stepsOf(this.kase, path)) {
			if (!this.done.has(index)) continue;
			const { oldStart, oldLines, newLines } = this.step(index);
			lines.push(...old.slice(at, oldStart), ...newLines);
			at = oldStart + oldLines.length;
		}
		return [...lines, ...old.slice(at)];
	}

	private step(index: number): CommitStep {
		return this.kase.steps[index] as CommitStep;
	}
}

const STEPS = new WeakMap<Case, ReadonlyMap<string, readonly number[]>>();

/** Returns the steps in a file, from top to bottom. */
function stepsOf(kase: Case, path: string): readonly number[] {
	let byPath = STEPS.get(kase);
	if (byPath === undefined) {
		const made = new Map<string, number[]>();
		for (const [index, step] of kase.steps.entries()) made.set(step.path, [...(made.get(step.path) ?? []), index]);
		byPath = made;
		STEPS.set(kase, byPath);
	}
	return byPath.get(path) ?? [];
}

function growthOf({ oldLines, newLines }: CommitStep): number {
	return newLines.length - oldLines.length;
}

/** A range of lines in the current text. */
interface Run {
	readonly from: number;
	readonly to: number;
}

/** A remaining step and its current location. */
interface Left extends Run {
	readonly index: number;
	readonly step: CommitStep;
}

/** Finds consecutive steps that together turn one text into another. */
function runThatLeads(
	left: readonly Left[],
	before: Lines,
	after: Lines,
	isNear: (run: Run) => boolean,
): readonly number[] | undefined {
	const growth = after.length - before.length;
	const { head, tail } = commonLines(before, after);
	for (const [a, { from }] of left.entries()) {
		let grown = 0;
		for (let b = a; b < left.length; b++) {
			const last = left[b] as Left;
			grown += growthOf(last.step);
			// Both texts are equal outside the run of steps, so compare only the lines that it spans.
			const isPossible = grown === growth && from <= head && before.length - last.to <= tail;
			if (!isPossible || !isNear({ from, to: last.to })) continue;
			const run = left.slice(a, b + 1);
			if (isMadeBy(run, before, after)) return run.map(({ index }) => index);
		}
	}
	return undefined;
}

/** Returns the numbers of common lines at the start and at the end. These lines may overlap. */
function commonLines(before: Lines, after: Lines): { head: number; tail: number } {
	const most = Math.min(before.length, after.length);
	let head = 0;
	while (head < most && before[head] === after[head]) head++;
	let tail = 0;
	while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
	return { head, tail };
}

/** Whether a run of steps turns the lines it spans into those of `after`. */
function isMadeBy(run: readonly Left[], before: Lines, after: Lines): boolean {
	let at = run[0]?.from ?? 0;
	let now = at;
	const continuesWith = (lines: Lines) => lines.every((line) => line === after[now++]);
	return run.every(({ from, to, step }) => {
		const isSame = continuesWith(before.slice(at, from)) && continuesWith(step.newLines);
		at = to;
		return isSame;
	});
}

/** Whether a change to these lines is at the location of a step. Empty ranges also match adjacent lines. */
function meets(step: Run, from: number, to: number): boolean {
	if (from < step.to && step.from < to) return true;
	if (from === to && step.from <= from && from <= step.to) return true;
	return step.from === step.to && from <= step.from && step.from <= to;
}

/**
 * Whether a change at a step is a correct part of that step: some tokens of a line, or the first lines of an insertion.
 */
function isPart({ oldLines, newLines }: CommitStep, removed: Lines, added: Lines, matters: boolean): boolean {
	const [old, now, wanted] = [removed[0], added[0], newLines[0]];
	const isLine = removed.length === 1 && added.length === 1 && oldLines.length === 1 && newLines.length === 1;
	if (isLine && old === oldLines[0]) return isOnTheWay(tokensOf(old), tokensOf(now), tokensOf(wanted));
	if (removed.length > 0 || oldLines.length > 0 || added.length === 0 || !matters) return false;
	return sameLines(added, newLines.slice(0, added.length));
}

/** Whether a line is an intermediate step: every changed token brings the line closer to the target. */
function isOnTheWay(from: readonly string[], via: readonly string[], to: readonly string[]): boolean {
	const step = distance(from, via);
	return step > 0 && step + distance(via, to) === distance(from, to) && via.some((token) => !from.includes(token));
}

function tokensOf(line: string | undefined): readonly string[] {
	return line?.match(/[A-Za-z_$][\w$]*|\d[\w.]*|[^\w\s]/gu) ?? [];
}

/** Returns the number of tokens to remove and insert. */
function distance(a: readonly string[], b: readonly string[]): number {
	let row = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (const [i, token] of a.entries()) {
		const next = [i + 1];
		for (const [j, other] of b.entries()) {
			const [corner, above, left] = [row[j], row[j + 1], next[j]] as [number, number, number];
			next.push(token === other ? corner : 1 + Math.min(above, left));
		}
		row = next;
	}
	return row[b.length] as number;
}
