import type { Label } from "./commit-progress.js";
import type { ReplayMode } from "./replay.js";
import type { CaseResult, StateResult } from "./run.js";

// Recalls at which the precision is reported.
const RECALLS = [0.05, 0.1, 0.15, 0.2];
// Few enough bins for a table, with enough states in each.
export const BINS = 10;

/** The results of a run. A share of zero items is null. */
export interface Report {
	readonly mode: ReplayMode;
	readonly overall: EvalFigures;
	readonly byLanguage: Readonly<Record<string, EvalFigures>>;
	readonly byPredictor: Readonly<Record<string, PredictorFigures>>;
	readonly byReason: Readonly<Record<string, ReasonFigures>>;
	readonly frontier: readonly Mark[];
	readonly reliability: readonly Bin[];
}

/** Named as in the benchmark. Final states count only for `finalFalsePositives` and the times. */
export interface EvalFigures {
	readonly cases: number;
	readonly states: number;
	/** The share of states with a suggestion. */
	readonly coverage: number | null;
	/** The shares of suggestions that are exact, exact or partial, at the right location, and wrong. */
	readonly exactPrecision: number | null;
	readonly usefulPrecision: number | null;
	readonly locationPrecision: number | null;
	readonly wrong: number | null;
	/** The share of states with an exact suggestion. */
	readonly recall: number | null;
	/** The share of states with an exact candidate. */
	readonly oracle: number | null;
	/** The share of cases with an exact suggestion. */
	readonly helped: number | null;
	/** The share of cases with a suggestion when no steps remain. */
	readonly finalFalsePositives: number | null;
	readonly p50Ms: number | null;
	readonly p95Ms: number | null;
	readonly p99Ms: number | null;
	/** Interactive runs only: the share of automated steps, and of accepted suggestions. */
	readonly automated?: number | null;
	readonly acceptRate?: number | null;
	readonly shownPerStep?: number | null;
}

/** Figures for the suggestions from one predictor. */
interface PredictorFigures {
	readonly shown: number;
	readonly exact: number;
	readonly partial: number;
	readonly wrong: number;
	readonly exactPrecision: number | null;
	readonly recall: number | null;
	/** Number of suggestions in final states. */
	readonly final: number;
}

/** Figures for the states in which one reason prevented a suggestion. */
interface ReasonFigures {
	readonly states: number;
	/** Numbers of states in which the best candidate, or any candidate, is exact. */
	readonly bestExact: number;
	readonly found: number;
	/** Number of final states. */
	readonly final: number;
}

/** The figures at the highest threshold that reaches a recall. Null if no threshold does. */
interface Mark {
	readonly recall: number;
	readonly threshold: number | null;
	readonly coverage: number | null;
	readonly exactPrecision: number | null;
	readonly finalFalsePositives: number | null;
}

/** States whose best candidate has a confidence in this bin: the mean confidence, and the share of exact candidates. */
interface Bin {
	readonly from: number;
	readonly to: number;
	readonly states: number;
	readonly confidence: number | null;
	readonly exact: number | null;
}

export function reportOf(results: readonly CaseResult[], mode: ReplayMode): Report {
	const languages = [...new Set(results.map(({ language }) => language))].toSorted();
	const all = results.flatMap(({ states }) => states);
	return {
		mode,
		overall: figuresOf(results, mode),
		byLanguage: Object.fromEntries(
			languages.map((name) => [
				name,
				figuresOf(
					results.filter(({ language }) => language === name),
					mode,
				),
			]),
		),
		byPredictor: byName(
			all,
			({ shown }) => shown?.predictor,
			(own) => predictorFiguresOf(own, all),
		),
		byReason: byName(all, ({ silence }) => silence, reasonFiguresOf),
		frontier: RECALLS.map((recall) => markAt(recall, all)),
		reliability: Array.from({ length: BINS }, (_, i) => binOf(i / BINS, (i + 1) / BINS, all)),
	};
}

function figuresOf(results: readonly CaseResult[], mode: ReplayMode): EvalFigures {
	const all = results.flatMap(({ states }) => states);
	const [states, finals] = [all.filter(isOpen), all.filter(({ isFinal }) => isFinal)];
	const shown = states.flatMap((state) => state.shown ?? []);
	const count = (...labels: Label[]) => shown.filter(({ label }) => labels.includes(label)).length;
	const exact = count("exact");
	const wrong = count("wrong", "noop");
	const helped = results.filter((result) => result.states.some((state) => state.shown?.label === "exact"));
	const times = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
	const steps = results.reduce((sum, result) => sum + result.steps, 0);
	const automated = shown.reduce((sum, one) => sum + (one.label === "exact" ? one.steps : 0), 0);
	return {
		cases: results.length,
		states: states.length,
		coverage: share(shown.length, states.length),
		exactPrecision: share(exact, shown.length),
		usefulPrecision: share(exact + count("partial"), shown.length),
		locationPrecision: share(shown.length - wrong, shown.length),
		wrong: share(wrong, shown.length),
		recall: share(exact, states.length),
		oracle: share(states.filter(({ isFound }) => isFound).length, states.length),
		helped: share(helped.length, results.length),
		finalFalsePositives: share(finals.filter((state) => state.shown).length, finals.length),
		p50Ms: percentileOrNull(times, 0.5),
		p95Ms: percentileOrNull(times, 0.95),
		p99Ms: percentileOrNull(times, 0.99),
		...(mode === "interactive" && {
			automated: share(automated, steps),
			acceptRate: share(exact, shown.length),
			shownPerStep: share(shown.length, steps),
		}),
	};
}

function predictorFiguresOf(own: readonly StateResult[], all: readonly StateResult[]): PredictorFigures {
	const open = own.filter(isOpen);
	const count = (...labels: Label[]) => open.filter(({ shown }) => shown && labels.includes(shown.label)).length;
	const exact = count("exact");
	return {
		shown: open.length,
		exact,
		partial: count("partial"),
		wrong: count("wrong", "noop"),
		exactPrecision: share(exact, open.length),
		recall: share(exact, all.filter(isOpen).length),
		final: own.length - open.length,
	};
}

function reasonFiguresOf(own: readonly StateResult[]): ReasonFigures {
	const open = own.filter(isOpen);
	return {
		states: open.length,
		bestExact: open.filter(({ best }) => best?.label === "exact").length,
		found: open.filter(({ isFound }) => isFound).length,
		final: own.length - open.length,
	};
}

/** Computes the figures at the highest threshold that reaches a recall. */
function markAt(recall: number, all: readonly StateResult[]): Mark {
	const states = all.filter(isOpen);
	const finals = all.filter(({ isFinal }) => isFinal);
	const exact = states
		.flatMap(({ best }) => (best?.label === "exact" ? [best.confidence] : []))
		.toSorted((a, b) => b - a);
	const threshold = exact[Math.max(Math.ceil(recall * states.length), 1) - 1];
	if (threshold === undefined) {
		return { recall, threshold: null, coverage: null, exactPrecision: null, finalFalsePositives: null };
	}
	const isShown = ({ best }: StateResult) => best !== undefined && best.confidence >= threshold;
	const shown = states.filter(isShown);
	return {
		recall,
		threshold: round(threshold, 3),
		coverage: share(shown.length, states.length),
		exactPrecision: share(shown.filter(({ best }) => best?.label === "exact").length, shown.length),
		finalFalsePositives: share(finals.filter(isShown).length, finals.length),
	};
}

/** Computes the figures for a bin. The last bin includes its upper bound. */
function binOf(from: number, to: number, all: readonly StateResult[]): Bin {
	const own = all.filter(isOpen).flatMap(({ best }) => {
		return best && best.confidence >= from && (best.confidence < to || to === 1) ? [best] : [];
	});
	const sum = own.reduce((total, { confidence }) => total + confidence, 0);
	const exact = own.filter(({ label }) => label === "exact").length;
	return { from, to, states: own.length, confidence: share(sum, own.length), exact: share(exact, own.length) };
}

/** Groups states by name, most frequent first, and computes figures for each group. */
function byName<F>(
	states: readonly StateResult[],
	nameOf: (state: StateResult) => string | undefined,
	figures: (own: readonly StateResult[]) => F,
): Record<string, F> {
	const groups = new Map<string, StateResult[]>();
	for (const state of states) {
		const name = nameOf(state);
		if (name === undefined) continue;
		const group = groups.get(name);
		if (group === undefined) groups.set(name, [state]);
		else group.push(state);
	}
	const sorted = [...groups].toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
	return Object.fromEntries(sorted.map(([name, own]) => [name, figures(own)]));
}

/** Whether any steps of the commit remain. */
function isOpen({ isFinal }: StateResult): boolean {
	return !isFinal;
}

export function share(part: number, whole: number): number | null {
	return whole === 0 ? null : round(part / whole, 3);
}

export function percentileOrNull(sorted: readonly number[], part: number): number | null {
	const value = sorted[Math.floor(sorted.length * part)];
	return value === undefined ? null : round(value, 2);
}

function round(value: number, digits: number): number {
	return Math.round(value * 10 ** digits) / 10 ** digits;
}
