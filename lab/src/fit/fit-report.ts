import type { Option } from "../eval/choices.js";

/** The parts of an option that reports show. */
type RankedOption = Pick<Option, "predictor" | "isRight">;

/** A point in a commit at which a suggestion is requested, with all possible suggestions. */
export interface RankingMoment<O extends RankedOption = RankedOption> {
	readonly repository: string;
	readonly language: string;
	/** Whether all steps are done. */
	readonly isFinal: boolean;
	readonly options: readonly O[];
}

/** A point in a commit, with the probability of each possible suggestion. */
export interface ScoredMoment {
	readonly choice: RankingMoment;
	readonly chances: readonly number[];
}

/** Prints the progress of a fit. */
export function printStatus(what: string): void {
	process.stderr.write(`${what}\n`);
}

export function printSection(title: string, table: string): void {
	process.stdout.write(`${title}\n\n${table}\n\n`);
}

const RECALLS = [0.05, 0.1, 0.12, 0.14, 0.15, 0.18, 0.2];

/** Formats precision, recall and false positives by threshold, repository, language and predictor. */
export function summaryOf(scored: readonly ScoredMoment[], thresholds: readonly number[]): string {
	const shown = scored.map(bestOf);
	const rows = thresholds.map((threshold) => rowOf(`from ${threshold}`, shown, threshold));
	const middle = thresholds.find((one) => one >= 0.5) ?? 0.5;
	const groups = [
		...groupBy(shown, ({ choice }) => choice.repository),
		...groupBy(shown, ({ choice }) => choice.language),
		...groupBy(shown, ({ predictor }) => predictor ?? "none"),
	];
	const others = groups.map(([name, group]) => rowOf(`${name}, from ${middle}`, group, middle));
	const head = ["", "moments", "coverage", "precision", "recall", "final false positives", "oracle"];
	return tableOf([head, ...rows, ...others]);
}

/** Formats the precision at several recalls, using the highest threshold that reaches each recall. */
export function frontierOf(scored: readonly ScoredMoment[]): string {
	const open = scored.filter(({ choice }) => !choice.isFinal);
	const surest = open.map(bestOf).toSorted((a, b) => b.chance - a.chance);
	const rows: string[][] = [["recall", "precision", "threshold"]];
	let right = 0;
	for (const [i, { isRight, chance }] of surest.entries()) {
		if (isRight) right++;
		// With few moments, a single suggestion may reach several recalls.
		const reached = RECALLS.slice(rows.length - 1).filter((recall) => right / open.length >= recall);
		for (const recall of reached) rows.push([figure(recall), figure(right / (i + 1)), figure(chance)]);
	}
	return tableOf(rows);
}

const PRECISIONS = [0.85, 0.75, 0.62];

/**
 * Formats the largest recall with at least a given precision, with the threshold and the final false positives there, for
 * all moments and for each language.
 */
export function precisionsOf(scored: readonly ScoredMoment[]): string {
	const shown = scored.map(bestOf);
	const groups: [string, Best[]][] = [["all", shown], ...groupBy(shown, ({ choice }) => choice.language)];
	const head = PRECISIONS.flatMap((precision) => [`P ≥ ${figure(precision)}`, "from", "final"]);
	return tableOf([["", "moments", ...head], ...groups.map(([name, group]) => precisionRow(name, group))]);
}

function precisionRow(name: string, all: readonly Best[]): string[] {
	const open = all.filter(({ choice }) => !choice.isFinal).length;
	const surest = all.filter(({ chance }) => chance > 0).toSorted((a, b) => b.chance - a.chance);
	const found = PRECISIONS.map(() => ({ right: 0, final: 0, chance: 1 }));
	let [shown, right, final] = [0, 0, 0];
	for (const { choice, chance, isRight } of surest) {
		if (choice.isFinal) final++;
		else {
			shown++;
			if (isRight) right++;
		}
		for (const [i, precision] of PRECISIONS.entries()) {
			if (right >= precision * shown) found[i] = { right, final, chance };
		}
	}
	const cells = found.flatMap((at) => [share(at.right, open), figure(at.chance), share(at.final, all.length - open)]);
	return [name, `${open}`, ...cells];
}

/** Formats the share of right candidates by probability. */
export function reliabilityOf(scored: readonly ScoredMoment[]): string {
	const bins = Array.from({ length: 10 }, () => ({ count: 0, right: 0, chance: 0 }));
	for (const { choice, chances } of scored) {
		for (const [i, chance] of chances.entries()) {
			const bin = bins[Math.min(Math.floor(chance * 10), 9)];
			if (bin === undefined) continue;
			bin.count++;
			bin.chance += chance;
			if (choice.options[i]?.isRight) bin.right++;
		}
	}
	const rows = bins.map(({ count, right, chance }) => {
		return [`${count}`, figure(chance / Math.max(count, 1)), figure(right / Math.max(count, 1))];
	});
	return tableOf([["candidates", "chance", "right"], ...rows]);
}

interface Best {
	readonly choice: RankingMoment;
	readonly predictor: string | undefined;
	readonly chance: number;
	readonly isRight: boolean;
	readonly isFound: boolean;
}

function bestOf({ choice, chances }: ScoredMoment): Best {
	let best = -1;
	for (const [i, chance] of chances.entries()) if (best === -1 || chance > (chances[best] as number)) best = i;
	const option = choice.options[best];
	return {
		choice,
		predictor: option?.predictor,
		chance: chances[best] ?? 0,
		isRight: option?.isRight ?? false,
		isFound: choice.options.some(({ isRight }) => isRight),
	};
}

function rowOf(name: string, all: readonly Best[], threshold: number): string[] {
	const open = all.filter(({ choice }) => !choice.isFinal);
	const ends = all.filter(({ choice }) => choice.isFinal);
	const shown = open.filter(({ chance }) => chance >= threshold);
	const right = shown.filter(({ isRight }) => isRight).length;
	return [
		name,
		`${open.length}`,
		share(shown.length, open.length),
		share(right, shown.length),
		share(right, open.length),
		share(ends.filter(({ chance }) => chance >= threshold).length, ends.length),
		share(open.filter(({ isFound }) => isFound).length, open.length),
	];
}

function groupBy(all: readonly Best[], keyOf: (one: Best) => string): [string, Best[]][] {
	const groups = new Map<string, Best[]>();
	for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
	return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function share(part: number, whole: number): string {
	return whole === 0 ? "" : figure(part / whole);
}

function figure(value: number): string {
	return value.toFixed(3).replace(/^0/, "");
}

function tableOf(rows: readonly (readonly string[])[]): string {
	const widths = rows.reduce<number[]>((all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)), []);
	return rows
		.map((row) =>
			row
				.map((cell, i) => cell.padEnd(widths[i] ?? 0))
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}
