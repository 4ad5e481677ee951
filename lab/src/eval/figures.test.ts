import { describe, expect, test } from "vitest";
import type { Label } from "./commit-progress.js";
import { reportOf } from "./figures.js";
import type { CaseResult, StateResult } from "./run.js";

const state: StateResult = {
	made: 1,
	isFinal: false,
	shown: undefined,
	silence: "nothing-found",
	best: undefined,
	isFound: false,
	ms: 1,
};

function shown(label: Label, confidence: number, predictor = "rename", steps = 1): StateResult {
	const one = { label, confidence, predictor, steps, why: "" };
	return { ...state, shown: one, silence: undefined, best: one, isFound: label === "exact" };
}

function hidden(label: Label, confidence: number): StateResult {
	return { ...state, silence: "below-threshold", best: { label, confidence }, isFound: true };
}

const results: CaseResult[] = [
	{
		id: "one",
		language: "go",
		steps: 6,
		states: [
			{ ...shown("exact", 0.9, "rename", 2), ms: 5 },
			shown("exact", 0.8, "repeat"),
			shown("partial", 0.8),
			{ ...shown("wrong", 0.7), isFinal: true },
		],
	},
	{
		id: "two",
		language: "python",
		steps: 4,
		states: [shown("noop", 0.6), hidden("exact", 0.4), hidden("loc", 0.4), state, { ...state, isFinal: true }],
	},
];

test("computes the benchmark's figures", () => {
	const { overall, byLanguage } = reportOf(results, "forced");
	expect(overall).toEqual({
		cases: 2,
		states: 7,
		coverage: 0.571,
		exactPrecision: 0.5,
		usefulPrecision: 0.75,
		locationPrecision: 0.75,
		wrong: 0.25,
		recall: 0.286,
		oracle: 0.571,
		helped: 0.5,
		finalFalsePositives: 0.5,
		p50Ms: 1,
		p95Ms: 5,
		p99Ms: 5,
	});
	expect(Object.keys(byLanguage)).toEqual(["go", "python"]);
	expect(byLanguage["python"]).toMatchObject({ cases: 1, states: 4, exactPrecision: 0, finalFalsePositives: 0 });
});

test("includes the work saved in an interactive run", () => {
	const { overall } = reportOf(results, "interactive");
	expect(overall).toMatchObject({ automated: 0.3, acceptRate: 0.5, shownPerStep: 0.4 });
});

test("computes figures for each predictor and reason, most frequent first", () => {
	const { byPredictor, byReason } = reportOf(results, "forced");
	expect(Object.keys(byPredictor)).toEqual(["rename", "repeat"]);
	expect(byPredictor["rename"]).toEqual({
		shown: 3,
		exact: 1,
		partial: 1,
		wrong: 1,
		exactPrecision: 0.333,
		recall: 0.143,
		final: 1,
	});
	expect(byReason).toEqual({
		"below-threshold": { states: 2, bestExact: 1, found: 2, final: 0 },
		"nothing-found": { states: 1, bestExact: 0, found: 0, final: 1 },
	});
});

describe("the frontier", () => {
	test("lowers the threshold until the recall is reached, including candidates of equal confidence", () => {
		const { frontier } = reportOf(results, "forced");
		expect(frontier[0]).toEqual({
			recall: 0.05,
			threshold: 0.9,
			coverage: 0.143,
			exactPrecision: 1,
			finalFalsePositives: 0,
		});
		expect(frontier[3]).toEqual({
			recall: 0.2,
			threshold: 0.8,
			coverage: 0.429,
			exactPrecision: 0.667,
			finalFalsePositives: 0,
		});
	});

	test("has no values if no threshold reaches the recall", () => {
		const few = [{ ...(results[1] as CaseResult), states: [...Array(9).fill(state), hidden("exact", 0.2)] }];
		const precisions = reportOf(few, "forced").frontier.map(({ exactPrecision }) => exactPrecision);
		expect(precisions).toEqual([1, 1, null, null]);
	});
});

test("computes the reliability from the best candidate of each state, shown or not", () => {
	const { reliability } = reportOf(results, "forced");
	const filled = reliability.filter(({ states }) => states > 0);
	expect(filled.map(({ from, states, confidence, exact }) => [from, states, confidence, exact])).toEqual([
		[0.4, 2, 0.4, 0.5],
		[0.6, 1, 0.6, 0],
		[0.8, 2, 0.8, 0.5],
		[0.9, 1, 0.9, 1],
	]);
	const certain = reportOf([{ ...(results[0] as CaseResult), states: [shown("exact", 1)] }], "forced");
	expect(certain.reliability.at(-1)).toMatchObject({ states: 1, exact: 1 });
});

test("returns null for shares of an empty run", () => {
	const { overall } = reportOf([], "forced");
	expect(overall).toMatchObject({ states: 0, exactPrecision: null, recall: null, p50Ms: null });
});
