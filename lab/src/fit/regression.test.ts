import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chanceOf, regress, type TrainingRow } from "./regression.js";

// Must equal the penalty in regression.ts.
const RIDGE = 150;

function rowsOf(...groups: readonly [count: number, inputs: readonly number[], isRight: boolean][]): TrainingRow[] {
	return groups.flatMap(([count, inputs, isRight]) => {
		return Array.from({ length: count }, (): TrainingRow => ({ inputs: Int32Array.from(inputs), isRight }));
	});
}

/** Reference implementation: plain gradient descent. */
function descend(rows: readonly TrainingRow[], count: number): number[] {
	const weights = Array<number>(count).fill(0);
	// The inverse of an upper bound on the curvature.
	const rate = 1 / (RIDGE + rows.length * count);
	for (let step = 0; step < 20_000; step++) {
		const slope = weights.map((weight) => RIDGE * weight);
		for (const { inputs, isRight } of rows) {
			const odds = [...inputs].reduce((sum, input) => sum + (weights[input] ?? 0), 0);
			for (const input of inputs) slope[input] = (slope[input] ?? 0) + 1 / (1 + Math.exp(-odds)) - (isRight ? 1 : 0);
		}
		for (const [i, one] of slope.entries()) weights[i] = (weights[i] ?? 0) - rate * one;
		if (slope.every((one) => Math.abs(one) < 1e-9)) break;
	}
	return weights;
}

describe("a regression", () => {
	test("gives unseen inputs a weight of 0", () => {
		expect([...regress([], 2)]).toEqual([0, 0]);
		const [, unseen] = regress(rowsOf([9, [0], true]), 2);
		expect(unseen).toBe(0);
	});

	test("gives positive weights to mostly right inputs and negative weights to mostly wrong ones", () => {
		const rows = rowsOf([300, [0], true], [100, [0], false], [100, [1], true], [300, [1], false]);
		const weights = regress(rows, 2);
		expect(weights[0]).toBeGreaterThan(0.3);
		expect(weights[1]).toBeCloseTo(-(weights[0] as number), 9);
		expect(chanceOf(weights, { inputs: Int32Array.of(0, 1) })).toBeCloseTo(0.5, 9);
	});

	test("approaches the observed frequency with more rows", () => {
		const chances = [4, 400, 40_000].map((count) => {
			const weights = regress(rowsOf([(count * 3) / 4, [0], true], [count / 4, [0], false]), 1);
			return chanceOf(weights, { inputs: Int32Array.of(0) });
		});
		expect(chances.map((chance) => chance.toFixed(2))).toEqual(["0.50", "0.60", "0.75"]);
	});

	test("converges to the same weights from any start", () => {
		const rows = rowsOf([300, [0, 1], true], [100, [0], false], [200, [1], true], [50, [1], false]);
		const weights = regress(rows, 2);
		const again = regress(rows, 2, Float64Array.of(1, -1));
		for (const [i, weight] of weights.entries()) expect(again[i]).toBeCloseTo(weight, 9);
	});

	test("converges to the same weights as gradient descent", () =>
		fc.assert(
			fc.property(
				fc.array(
					fc.tuple(
						fc.integer({ min: 1, max: 60 }),
						fc.subarray([0, 1, 2]).filter((inputs) => inputs.length > 0),
						fc.boolean(),
					),
					{ minLength: 1, maxLength: 6 },
				),
				(groups) => {
					const rows = rowsOf(...groups);
					const weights = regress(rows, 3);
					for (const [i, weight] of descend(rows, 3).entries()) expect(weights[i]).toBeCloseTo(weight, 6);
				},
			),
			{ numRuns: runs(20) },
		));
});
