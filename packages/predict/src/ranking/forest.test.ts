import fc from "fast-check";
import { expect, test } from "vitest";
import { ForestScorer, LEAF } from "./forest.js";
import { TREES } from "./trees.js";

/** A tree over `support` (with the threshold 2) and `age` (with the thresholds 1 and 4). */
const NAMES = ["support", "age"];
const SMALL = {
	names: NAMES,
	thresholds: [[2], [1, 4]],
	nodes: [
		// support < 2: -0.5. Otherwise, age < 4: 1, or 0.25.
		...[0, 0, 100, LEAF, -500, 1, 1, 700, LEAF, 1000, LEAF, 250],
		// age < 1: 0. Otherwise: -0.125.
		...[1, 0, -50, LEAF, 0, LEAF, -125],
	],
};

test.each([
	[{}, -0.5],
	[{ support: 2 }, 1],
	[{ support: 2, age: 1 }, 0.875],
	[{ support: 9, age: 4 }, 0.125],
	[{ support: 1, age: 9, unheard: 1 }, -0.625],
])("the trees add up for %j", (features, odds) => {
	expect(new ForestScorer(SMALL).oddsOf(new Map(Object.entries(features)))).toBeCloseTo(odds, 10);
});

test("a branch contributes the difference between its value and the next one's", () => {
	const parts = new ForestScorer(SMALL).contributionsOf(new Map([["support", 2]]));
	expect([...parts].map(([name, odds]) => [name, Number(odds.toFixed(3))])).toEqual([
		["", 0.05],
		["support", 0.6],
		["age", 0.35],
	]);
});

test("without trees, there is no correction", () => {
	const empty = new ForestScorer({ names: [], thresholds: [], nodes: [] });
	expect(empty.oddsOf(new Map([["support", 2]]))).toBe(0);
	expect(empty.contributionsOf(new Map([["support", 2]])).size).toBe(0);
});

test("the contributions add up to the correction, with the trees that Segue uses", () => {
	const scorer = new ForestScorer(TREES);
	const features = fc.dictionary(fc.constantFrom(...NAMES, ...TREES.names), fc.constantFrom(0.25, 0.5, 1, 2, 5, 40));
	fc.assert(
		fc.property(features, (values) => {
			const candidate = new Map(Object.entries(values));
			const sum = [...scorer.contributionsOf(candidate).values()].reduce((total, odds) => total + odds, 0);
			expect(sum).toBeCloseTo(scorer.oddsOf(candidate), 8);
		}),
	);
});
