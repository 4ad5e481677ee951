/** One measurement in a benchmark. */
export interface Measurement {
	readonly figure: string;
	readonly value: number;
	readonly unit: Unit;
	/** The baseline's value, in the same unit. */
	readonly against?: { readonly name: string; readonly value: number };
	readonly target?: Target;
}

type Unit =
	| "ms"
	| "µs"
	| "MB"
	| "bytes"
	| "messages"
	| "% of a frame"
	| "% of the keys"
	| "% of the pauses"
	| "% of the states"
	| "% of the suggestions"
	| "per minute"
	| "times";

/**
 * The target of a figure: a minimum speedup over the baseline, a bound on the ratio to the baseline, or an upper bound.
 */
type Target =
	| { readonly fasterAtLeast: number }
	| { readonly timesAtMost: number }
	| { readonly timesAtLeast: number }
	| { readonly valueBelow: number };

/** A line in the report. `against`, `ratio`, `target` and `ok` are null if the figure has no baseline or no target. */
export interface Figure {
	readonly figure: string;
	readonly value: number;
	readonly unit: Unit;
	readonly against: string | null;
	/** The value divided by the baseline's value, or the inverse if the target is a speedup. */
	readonly ratio: number | null;
	readonly target: string | null;
	readonly ok: boolean | null;
}

/** Writes the report to standard output, as a table or, with `--json`, as JSON. */
export function report(measurements: readonly Measurement[], args: readonly string[]): void {
	const figures = measurements.map(figureOf);
	process.stdout.write(args.includes("--json") ? `${JSON.stringify(figures, null, 2)}\n` : printTable(figures));
}

export function figureOf({ figure, value, unit, against, target }: Measurement): Figure {
	const isSpeed = target !== undefined && "fasterAtLeast" in target;
	// The ratio to 0 is undefined.
	const ratio =
		against === undefined || against.value === 0 ? null : isSpeed ? against.value / value : value / against.value;
	return {
		figure,
		value: round(value),
		unit,
		against: against === undefined ? null : `${against.name}: ${print(against.value)} ${unit}`,
		ratio: ratio === null ? null : round(ratio),
		target: target === undefined ? null : printTarget(target, unit),
		ok: target === undefined ? null : isMet(target, value, ratio),
	};
}

function isMet(target: Target, value: number, ratio: number | null): boolean {
	if ("valueBelow" in target) return value < target.valueBelow;
	if (ratio === null) throw new Error("a ratio target needs a baseline");
	if ("timesAtLeast" in target) return ratio >= target.timesAtLeast;
	return "fasterAtLeast" in target ? ratio >= target.fasterAtLeast : ratio <= target.timesAtMost;
}

function printTarget(target: Target, unit: Unit): string {
	if ("valueBelow" in target) return `< ${print(target.valueBelow)} ${unit}`;
	if ("timesAtLeast" in target) return `≥ ${target.timesAtLeast}×`;
	return "fasterAtLeast" in target ? `≥ ${target.fasterAtLeast}× faster` : `≤ ${target.timesAtMost}×`;
}

export function printTable(figures: readonly Figure[]): string {
	const rows = [
		["figure", "value", "against", "ratio", "target", "ok"],
		...figures.map((each) => [
			each.figure,
			`${print(each.value)} ${each.unit}`,
			each.against ?? "",
			each.ratio === null ? "" : `${print(each.ratio)}×`,
			each.target ?? "",
			each.ok === null ? "" : each.ok ? "yes" : "NO",
		]),
	];
	const isNumber = [false, true, false, true, false, false];
	const widths = isNumber.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	return rows.map((row) => `${printRow(row, widths, isNumber)}\n`).join("");
}

function printRow(row: readonly string[], widths: readonly number[], isNumber: readonly boolean[]): string {
	const cells = row.map((cell, column) => {
		const width = widths[column] ?? 0;
		return isNumber[column] ? cell.padStart(width) : cell.padEnd(width);
	});
	return cells.join("  ").trimEnd();
}

// Timings on a shared machine are accurate to three digits at most.
const DIGITS = 3;

function round(value: number): number {
	return Math.abs(value) >= 10 ** DIGITS ? Math.round(value) : Number(value.toPrecision(DIGITS));
}

function print(value: number): string {
	return round(value).toLocaleString("en-US", { maximumFractionDigits: 6 });
}
