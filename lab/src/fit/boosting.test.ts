import { ForestScorer } from "@segue/predict";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BoostingOptions, type BoostingRow, boost, correctionOf, packForest } from "./boosting.js";

const OPTIONS: BoostingOptions = {
	...{ trees: 40, depth: 3, rate: 0.3, ridge: 1, leafMin: 1 },
	...{ rowShare: 0.9, featureShare: 1, seed: 1 },
};

/** A row with the values of the features 0, 1 and so on. */
function row(isRight: boolean, ...dense: readonly number[]): BoostingRow {
	const present = dense.flatMap((value, feature) => (value === 0 ? [] : [{ feature, value }]));
	const [features, values] = [present.map(({ feature }) => feature), present.map(({ value }) => value)];
	return { features, values, odds: 0, isRight, weight: 1 };
}

function repeated(count: number, ...rows: readonly BoostingRow[]): BoostingRow[] {
	return Array.from({ length: count }, () => rows).flat();
}

function chance(trees: ReturnType<typeof boost>, ...dense: readonly number[]): number {
	return 1 / (1 + Math.exp(-correctionOf(trees, row(false, ...dense))));
}

test("trees learn a rule that no single feature shows", () => {
	// Right if exactly one of the two features is set.
	const rows = repeated(50, row(false, 0, 0), row(true, 1, 0), row(true, 0, 1), row(false, 1, 1), row(true, 1, 0));
	const trees = boost({ width: 2, rows }, OPTIONS);
	expect(chance(trees, 1, 0)).toBeGreaterThan(0.9);
	expect(chance(trees, 0, 1)).toBeGreaterThan(0.9);
	expect(chance(trees, 0, 0)).toBeLessThan(0.1);
	expect(chance(trees, 1, 1)).toBeLessThan(0.1);
});

test("trees find the threshold of a feature, also among negative values", () => {
	const rows = Array.from({ length: 200 }, (_, i) => row(i - 100 >= -20, i - 100));
	const trees = boost({ width: 1, rows }, OPTIONS);
	expect(chance(trees, -60)).toBeLessThan(0.2);
	expect(chance(trees, 0)).toBeGreaterThan(0.8);
	expect(chance(trees, 60)).toBeGreaterThan(0.8);
});

test("odds that are right already are hardly corrected", () => {
	const rows = repeated(100, { ...row(true, 1), odds: 5 }, { ...row(false, 0), odds: -5 });
	const trees = boost({ width: 1, rows }, OPTIONS);
	expect(Math.abs(correctionOf(trees, row(true, 1)))).toBeLessThan(0.5);
});

test("a row with a larger weight counts more", () => {
	const rows = repeated(50, { ...row(true, 1), weight: 3 }, row(false, 1));
	expect(chance(boost({ width: 1, rows: [...rows, ...repeated(100, row(false, 0))] }, OPTIONS), 1)).toBeGreaterThan(
		0.6,
	);
});

const someRows = fc.array(
	fc.record({
		isRight: fc.boolean(),
		dense: fc.array(fc.constantFrom(0, 0, 0.25, 1, 3, -2), { minLength: 4, maxLength: 4 }),
	}),
	{ minLength: 5, maxLength: 60 },
);

test("the same rows give the same trees, and packed trees give the same corrections", () => {
	const names = ["a", "b", "c", "d"];
	fc.assert(
		fc.property(someRows, (some) => {
			const rows = some.map(({ isRight, dense }) => row(isRight, ...dense));
			const trees = boost({ width: 4, rows }, OPTIONS);
			expect(boost({ width: 4, rows }, OPTIONS)).toEqual(trees);
			const scorer = new ForestScorer(packForest(names, trees));
			for (const { dense } of some) {
				const features = new Map(dense.map((value, i) => [names[i] as string, value]));
				// Packed values are rounded.
				expect(scorer.oddsOf(features)).toBeCloseTo(correctionOf(trees, row(true, ...dense)), 1);
			}
		}),
		{ numRuns: 30 },
	);
});
