/** One measurement, as the benchmark took it. */
export interface Measurement {
	readonly figure: string;
	readonly value: number;
	readonly unit: Unit;
	/** What it is measured against, in the same unit. */
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
	| "% of the rests"
	| "% of the states"
	| "% of those shown"
	| "a minute"
	| "times";

/** What is asked of a figure: to be that many times faster than the other, at most or at least that many times the other, or small. */
type Target =
	| { readonly fasterAtLeast: number }
	| { readonly timesAtMost: number }
	| { readonly timesAtLeast: number }
	| { readonly valueBelow: number };

/** A line of the report. Where a figure has nothing to be compared with, or no target, the members are null. */
export interface Figure {
	readonly figure: string;
	readonly value: number;
	readonly unit: Unit;
	readonly against: string | null;
	/** How many times the other's value this one is; with a target of "faster", how many times the other's is this one. */
	readonly ratio: number | null;
	readonly target: string | null;
	readonly ok: boolean | null;
}

/** Writes the report to standard output: a table for people, or JSON where the arguments ask for it. */
export function report(measurements: readonly Measurement[], args: readonly string[]): void {
	const figures = measurements.map(figureOf);
	process.stdout.write(args.includes("--json") ? `${JSON.stringify(figures, null, 2)}\n` : printTable(figures));
}

export function figureOf({ figure, value, unit, against, target }: Measurement): Figure {
	const isSpeed = target !== undefined && "fasterAtLeast" in target;
	// Nothing is so many times nothing.
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
	if (ratio === null) throw new Error("a target for a ratio needs something to compare with");
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

// Timings on a shared machine are not known any better than to three digits.
const DIGITS = 3;

function round(value: number): number {
	return Math.abs(value) >= 10 ** DIGITS ? Math.round(value) : Number(value.toPrecision(DIGITS));
}

function print(value: number): string {
	return round(value).toLocaleString("en-US", { maximumFractionDigits: 6 });
}
