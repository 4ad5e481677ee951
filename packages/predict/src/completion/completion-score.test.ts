import fc from "fast-check";
import { expect, test } from "vitest";
import { COMPLETION_CROSSED, COMPLETION_FEATURES } from "./completion-features.js";
import { chanceOfCompletion, completionInputsOf } from "./completion-score.js";
import { COMPLETION_WEIGHTS } from "./completion-weights.js";

test("describes every completion feature", () => {
	for (const [name, { says, steps }] of Object.entries(COMPLETION_FEATURES)) {
		expect(says, name).toMatch(/\w+ \w+/);
		expect(steps, name).toEqual(steps.toSorted((a, b) => a - b));
	}
	for (const name of COMPLETION_CROSSED.flat()) expect(Object.keys(COMPLETION_FEATURES)).toContain(name);
});

test("has no weights for unknown inputs", () => {
	const steps = (name: string) => COMPLETION_FEATURES[name]?.steps ?? [];
	const plain = Object.keys(COMPLETION_FEATURES).flatMap((name) => steps(name).map((step) => `${name} ${step}`));
	const crossed = COMPLETION_CROSSED.flatMap(([a, b]) => {
		return [0, ...steps(a)].flatMap((one) => [0, ...steps(b)].map((other) => `${a} ${one} ${b} ${other}`));
	});
	const known = new Set(["all", ...plain, ...crossed]);
	for (const input of Object.keys(COMPLETION_WEIGHTS)) expect(known, input).toContain(input);
});

test("adds the weights of the inputs", () => {
	const someFeatures = fc.dictionary(
		fc.constantFrom(...Object.keys(COMPLETION_FEATURES), "unheard-of"),
		fc.constantFrom(0, 0.25, 0.5, 0.75, 1, 2, 3, 5, 20),
	);
	fc.assert(
		fc.property(someFeatures, (features) => {
			const odds = completionInputsOf(features).reduce((sum, input) => sum + (COMPLETION_WEIGHTS[input] ?? 0), 0);
			expect(chanceOfCompletion(features)).toBeCloseTo(1 / (1 + Math.exp(-odds)), 10);
		}),
	);
});

test("gives a higher chance if more lines agree, and a lower one if there are other continuations", () => {
	const clear = { places: 3, documents: 1, share: 1, matched: 5, lead: 5, whole: 1, above: 1, tokens: 3, typed: 5 };
	expect(chanceOfCompletion(clear)).toBeGreaterThan(0.5);
	expect(chanceOfCompletion({ ...clear, places: 1 })).toBeLessThan(chanceOfCompletion(clear));
	expect(chanceOfCompletion({ ...clear, others: 4, share: 0.4, lead: 0 })).toBeLessThan(chanceOfCompletion(clear));
});
