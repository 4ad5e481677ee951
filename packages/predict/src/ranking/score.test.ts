import fc from "fast-check";
import { expect, test } from "vitest";
import type { Features, PooledFeatures } from "../candidate.js";
import { CROSSED, descriptionOf, FEATURES } from "./features.js";
import { contributionsOf, inputsOf, score, shift } from "./score.js";
import { TREES } from "./trees.js";
import { WEIGHTS } from "./weights.js";

function pooled(features: Features): PooledFeatures {
	return new Map(Object.entries(features));
}

test("every feature has a description and sorted steps", () => {
	for (const [name, { says, steps }] of Object.entries(FEATURES)) {
		expect(says, name).toMatch(/\w+ \w+/);
		expect(steps, name).toEqual(steps.toSorted((a, b) => a - b));
	}
	for (const name of CROSSED.flat()) expect(Object.keys(FEATURES)).toContain(name);
	for (const name of TREES.names) expect(descriptionOf(name), name).toMatch(/\w+ \w+/);
});

test("every weight belongs to a known feature or pair", () => {
	const crossed = CROSSED.map(([a, b]) => [a, b].join(" "));
	for (const input of Object.keys(WEIGHTS)) {
		const names = input.split(" ").filter((word) => Number.isNaN(Number(word)));
		const isKnown = input === "all" || (names.length === 1 ? names[0] : crossed.find((one) => one === names.join(" ")));
		expect(isKnown, input).toBeTruthy();
	}
});

test("adds the weight of every step that a feature reaches, and ignores unknown features", () => {
	const plain = (features: Record<string, number>) =>
		inputsOf(pooled(features)).filter((input) => input.split(" ").length === 2);
	expect(plain({ rank: 2, unheard: 1 })).toEqual(["rank 1", "rank 2"]);
	expect(plain({ rank: 0 })).toEqual([]);
	expect(inputsOf(pooled({}))).toContain("support 0 age 0");
	expect(inputsOf(pooled({ support: 9, age: 1 }))).toContain("support 4 age 1");
});

test("the score is a probability, and can be shifted", () => {
	const chance = score(pooled({ repeat: 1, "repeat.line": 1, support: 2, similar: 1 }));
	expect(chance).toBeGreaterThan(0);
	expect(chance).toBeLessThan(1);
	expect(shift(chance, 0)).toBeCloseTo(chance);
	expect(shift(0.5, 1)).toBeCloseTo(0.73, 2);
});

test("scores a change higher the more often the user made it", () => {
	const features = { repeat: 1, "repeat.wide": 1, similar: 0.9, rules: 3, predictors: 2 };
	const twice = { support: 2, "repeat.support": 2, "repeat.wide.support": 2, share: 0.67 };
	const once = { support: 1, "repeat.support": 1, "repeat.wide.support": 1, share: 0.5 };
	expect(score(pooled({ ...features, ...twice }))).toBeGreaterThan(score(pooled({ ...features, ...once })));
});

test("uses hand-set weights for predictors without benchmark data, unless a fitted predictor also applies", () => {
	for (const name of ["calls", "paste", "diagnostic", "jump"])
		expect(score(pooled({ [name]: 1 })), name).toBeGreaterThan(0.6);
	for (const name of ["calls", "paste"]) {
		expect(score(pooled({ [name]: 1, repeat: 1 })), name).toBeLessThan(score(pooled({ [name]: 1 })));
	}
	expect(score(pooled({ diagnostic: 1, repeat: 1 }))).toBe(score(pooled({ diagnostic: 1 })));
});

const someFeatures = fc.dictionary(
	fc.constantFrom(...Object.keys(FEATURES), "diagnostic", "diagnostic.error", "jump", "jump.about", "unheard"),
	fc.constantFrom(0, 0.25, 0.5, 0.75, 1, 2, 3, 5, 20),
);

test("the log-odds of all contributions add up to the chance", () => {
	const check = (features: Record<string, number>) => {
		const contributions = contributionsOf({
			features: pooled(features),
			confidence: score(pooled(features)),
			predictor: "repeat",
		});
		const odds = contributions.reduce((sum, one) => sum + one.odds, 0);
		expect(1 / (1 + Math.exp(-odds))).toBeCloseTo(score(pooled(features)), 10);
		for (const { names, values, says } of contributions) {
			expect(says).toMatch(/\w+ \w+/);
			expect(values).toEqual(names.map((name) => features[name] ?? 0));
		}
	};
	fc.assert(fc.property(someFeatures, check));
	check({ rename: 1, "rename.declared": 1, "rename.only": 1, behind: 1, comment: 1, elsewhere: 1 });
});

test("adds a contribution for a more likely site of the same rename", () => {
	const features = pooled({ rename: 1, "rename.declared": 1, comment: 1 });
	const renamed = contributionsOf({ features, confidence: 0.9, predictor: "rename" });
	const odds = renamed.reduce((sum, one) => sum + one.odds, 0);
	expect(1 / (1 + Math.exp(-odds))).toBeCloseTo(0.9, 10);
});

test("mentions a more likely site only for a rename", () => {
	const features = pooled({ repeat: 1, support: 3 });
	const says = contributionsOf({ features, confidence: 0.9, predictor: "model" }).map((one) => one.says);
	expect(says).not.toContain("another site of the same rename is more likely");
});

test("without a comparison, the score is the sum of the weights of its inputs", () => {
	const isFitted = (features: Record<string, number>) => {
		return !["diagnostic", "jump", "calls", "paste", "candidates"].some((name) => name in features);
	};
	fc.assert(
		fc.property(someFeatures.filter(isFitted), (features) => {
			const odds = inputsOf(pooled(features)).reduce((sum, input) => sum + (WEIGHTS[input] ?? 0), 0);
			expect(1 / (1 + Math.exp(-odds))).toBeCloseTo(score(pooled(features)), 10);
		}),
	);
});

test("sorts contributions by size and omits zeros", () => {
	const features = pooled({ repeat: 1, support: 3, similar: 0.9, unheard: 1 });
	const odds = contributionsOf({ features, confidence: score(features), predictor: "repeat" }).map((one) =>
		Math.abs(one.odds),
	);
	expect(odds.length).toBeGreaterThan(5);
	expect(odds).toEqual(odds.toSorted((a, b) => b - a));
	expect(odds).not.toContain(0);
});
