import type { Comparison, OutcomeChange } from "./compare.js";
import type { EvalFigures, Report } from "./figures.js";

// Maximum number of changes to list. --json lists all of them.
const DIFFERENCES_MAX = 40;

/** Formats a report as tables. */
export function printReport(report: Report): string {
	const { overall, byLanguage, byPredictor, byReason, frontier, reliability } = report;
	const isInteractive = report.mode === "interactive";
	const columns = isInteractive ? [...COLUMNS, ...INTERACTIVE] : COLUMNS;
	const all: [string, EvalFigures][] = [...Object.entries(byLanguage), ["all", overall]];
	return [
		section("By language", [
			["", ...columns.map(([title]) => title)],
			...all.map(([name, figures]) => [name, ...columns.map(([, key]) => figure(key, figures[key]))]),
		]),
		section("By predictor", [
			["", "shown", "exact", "partial", "wrong", "precision", "recall", "final"],
			...Object.entries(byPredictor).map(([name, { shown, exact, partial, wrong, exactPrecision, recall, final }]) => {
				return [
					name,
					count(shown),
					count(exact),
					count(partial),
					count(wrong),
					cell(exactPrecision),
					cell(recall),
					count(final),
				];
			}),
		]),
		section("By reason for no suggestion", [
			["", "states", "best is exact", "exact found", "final"],
			...Object.entries(byReason).map(([name, { states, bestExact, found, final }]) => {
				return [name, count(states), count(bestExact), count(found), count(final)];
			}),
		]),
		section("Precision by recall, with the threshold that reaches it", [
			["recall", "threshold", "coverage", "precision", "final"],
			...frontier.map(({ recall, threshold, coverage, exactPrecision, finalFalsePositives }) => {
				return [cell(recall), cell(threshold), cell(coverage), cell(exactPrecision), cell(finalFalsePositives)];
			}),
		]),
		section("Reliability: the share of exact candidates, by confidence", [
			["confidence", "states", "mean", "exact"],
			...reliability.map(({ from, to, states, confidence, exact }) => {
				return [`${from.toFixed(1)} to ${to.toFixed(1)}`, count(states), cell(confidence), cell(exact)];
			}),
		]),
		section("Time of a prediction, in ms", [
			["p50", "p95", "p99"],
			[cell(overall.p50Ms, 2), cell(overall.p95Ms, 2), cell(overall.p99Ms, 2)],
		]),
	].join("\n");
}

/** Formats the better and worse states, and the changed figures. */
export function printComparison({ better, worse, compared, onlyOld, onlyNew, figures }: Comparison): string {
	const others = onlyOld + onlyNew === 0 ? "" : `; ${onlyOld} only in the old run, ${onlyNew} only in the new run`;
	return [
		list(`Better: ${better.length}`, better),
		list(`Worse: ${worse.length}`, worse),
		section(`Figures that changed (${compared} states compared${others})`, [
			["", "old", "new"],
			...Object.entries(figures).map(([name, { old, now }]) => [name, figure(name, old), figure(name, now)]),
		]),
	].join("\n");
}

const COLUMNS: readonly [string, keyof EvalFigures][] = [
	["cases", "cases"],
	["states", "states"],
	["shown", "coverage"],
	["precision", "exactPrecision"],
	["useful", "usefulPrecision"],
	["place", "locationPrecision"],
	["recall", "recall"],
	["oracle", "oracle"],
	["helped", "helped"],
	["final", "finalFalsePositives"],
];

const INTERACTIVE: readonly [string, keyof EvalFigures][] = [
	["automated", "automated"],
	["accepted", "acceptRate"],
];

function list(title: string, differences: readonly OutcomeChange[]): string {
	const shown = differences.slice(0, DIFFERENCES_MAX);
	const rows = shown.map(({ id, made, old, now }) => `  ${id}, step ${made}: ${old} → ${now}\n`);
	const rest = differences.length - shown.length;
	return `${title}\n${rows.join("")}${rest > 0 ? `  and ${rest} more (see --json)\n` : ""}`;
}

/** Formats a table with a title. The first column is left-aligned, the others are right-aligned. */
export function section(title: string, rows: readonly (readonly string[])[]): string {
	const [head = []] = rows;
	const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
	const lines = rows.map((row) => {
		const cells = row.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0)));
		return `  ${cells.join("  ").trimEnd()}\n`;
	});
	return `${title}\n${lines.join("")}`;
}

export function count(value: number): string {
	return String(value);
}

/** Formats a share or time without a leading zero, as in the benchmark's tables. */
export function cell(value: number | null | undefined, digits = 3): string {
	return value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^0\./, ".");
}

/** Formats a figure according to its name. */
function figure(name: string, value: number | null | undefined): string {
	if (name === "cases" || name === "states") return count(value ?? 0);
	return cell(value, name.endsWith("Ms") ? 2 : 3);
}
