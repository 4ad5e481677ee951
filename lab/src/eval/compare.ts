import { readFileSync } from "node:fs";
import * as z from "zod";
import { CasesError } from "./cases.js";
import type { Report } from "./figures.js";
import type { ReplayMode } from "./replay.js";
import type { CaseResult, StateResult } from "./run.js";

const figures = z.record(z.string(), z.number().nullable());
const shape = z.object({
	mode: z.enum(["forced", "interactive"]),
	overall: figures,
	results: z.array(
		z.object({
			id: z.string(),
			states: z.array(
				z.object({
					made: z.int(),
					isFinal: z.boolean(),
					shown: z.object({ label: z.string() }).optional(),
				}),
			),
		}),
	),
});

/** The parts of an earlier run that are compared. */
export type OldRun = z.output<typeof shape>;

/** Differences from an earlier run. */
export interface Comparison {
	readonly better: readonly OutcomeChange[];
	readonly worse: readonly OutcomeChange[];
	/** Number of states in both runs. */
	readonly compared: number;
	/** States in only one of the runs, because the cases or the previously accepted suggestions differ. */
	readonly onlyOld: number;
	readonly onlyNew: number;
	/** The overall figures that changed. */
	readonly figures: Readonly<Record<string, { readonly old: number | null; readonly now: number | null }>>;
}

export interface OutcomeChange {
	readonly id: string;
	readonly made: number;
	readonly old: Outcome;
	readonly now: Outcome;
}

// From best to worst. A suggestion that only has the right location is worse than none.
const OUTCOMES = ["exact", "partial", "silent", "trivial", "loc", "wrong", "noop", "false"] as const;

/** The label of the shown suggestion, `silent` for none, or `false` for any suggestion when no steps remain. */
type Outcome = (typeof OUTCOMES)[number];

export function readOldRun(file: string, mode: ReplayMode): OldRun {
	let json: string;
	try {
		json = readFileSync(file, "utf8");
	} catch {
		throw new CasesError(`Cannot read the --diff file ${file}. Write it with segue eval --json.`);
	}
	const parsed = shape.safeParse(parse(json));
	if (!parsed.success) throw new CasesError(`${file} was not written by segue eval --json.`);
	if (parsed.data.mode !== mode)
		throw new CasesError(`${file} was written with --mode ${parsed.data.mode}. Use the same mode.`);
	return parsed.data;
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

export function compare(old: OldRun, results: readonly CaseResult[], report: Report): Comparison {
	const before = outcomesOf(old.results);
	const after = outcomesOf(results);
	const differences = [...after].flatMap(([key, { id, made, outcome: now }]): OutcomeChange[] => {
		const was = before.get(key)?.outcome;
		return was === undefined || was === now ? [] : [{ id, made, old: was, now }];
	});
	const gain = ({ old: was, now }: OutcomeChange) => OUTCOMES.indexOf(was) - OUTCOMES.indexOf(now);
	const common = [...after.keys()].filter((key) => before.has(key)).length;
	return {
		better: differences.filter((one) => gain(one) > 0).toSorted((a, b) => gain(b) - gain(a)),
		worse: differences.filter((one) => gain(one) < 0).toSorted((a, b) => gain(a) - gain(b)),
		compared: common,
		onlyOld: before.size - common,
		onlyNew: after.size - common,
		figures: Object.fromEntries(
			Object.entries(report.overall).flatMap(([name, now]: [string, number | null]) => {
				const was = old.overall[name] ?? null;
				return was === now ? [] : [[name, { old: was, now }]];
			}),
		),
	};
}

interface CaseOutcome {
	readonly id: string;
	readonly made: number;
	readonly outcome: Outcome;
}

function outcomesOf(results: OldRun["results"] | readonly CaseResult[]): ReadonlyMap<string, CaseOutcome> {
	const outcomes = results.flatMap(({ id, states }) =>
		states.map((state): [string, CaseOutcome] => {
			const { made } = state;
			return [JSON.stringify([id, made]), { id, made, outcome: outcomeOf(state) }];
		}),
	);
	return new Map(outcomes);
}

function outcomeOf({
	isFinal,
	shown,
}: Pick<StateResult, "isFinal"> & { shown?: { label: string } | undefined }): Outcome {
	if (shown === undefined) return "silent";
	return isFinal ? "false" : (OUTCOMES.find((one) => one === shown.label) ?? "wrong");
}
