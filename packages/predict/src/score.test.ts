import { expect, test } from "vitest";
import { CROSSED, FEATURES } from "./features.js";
import { inputsOf, score, shift } from "./score.js";
import { WEIGHTS } from "./weights.js";

test("explains every feature in words", () => {
	for (const [name, { says, steps }] of Object.entries(FEATURES)) {
		expect(says, name).toMatch(/\w+ \w+/);
		expect(steps, name).toEqual(steps.toSorted((a, b) => a - b));
	}
	for (const name of CROSSED.flat()) expect(Object.keys(FEATURES)).toContain(name);
});

test("has weights for nothing else", () => {
	const crossed = CROSSED.map(([a, b]) => [a, b].join(" "));
	for (const input of Object.keys(WEIGHTS)) {
		const names = input.split(" ").filter((word) => Number.isNaN(Number(word)));
		const isKnown = input === "all" || (names.length === 1 ? names[0] : crossed.find((one) => one === names.join(" ")));
		expect(isKnown, input).toBeTruthy();
	}
});

test("weighs every step that a feature reaches, and what is not in the table not at all", () => {
	const plain = (features: Record<string, number>) =>
		inputsOf(features).filter((input) => input.split(" ").length === 2);
	expect(plain({ rank: 2, unheard: 1 })).toEqual(["rank 1", "rank 2"]);
	expect(plain({ rank: 0 })).toEqual([]);
	expect(inputsOf({})).toContain("support 0 age 0");
	expect(inputsOf({ support: 9, age: 1 })).toContain("support 4 age 1");
});

test("is a chance, and a shift moves it", () => {
	const chance = score({ repeat: 1, "repeat.line": 1, support: 2, similar: 1 });
	expect(chance).toBeGreaterThan(0);
	expect(chance).toBeLessThan(1);
	expect(shift(chance, 0)).toBeCloseTo(chance);
	expect(shift(0.5, 1)).toBeCloseTo(0.73, 2);
});

test("believes in what the user did more often", () => {
	const features = { repeat: 1, "repeat.wide": 1, similar: 0.9, rules: 3, predictors: 2 };
	const twice = { support: 2, "repeat.support": 2, "repeat.wide.support": 2, share: 0.67 };
	const once = { support: 1, "repeat.support": 1, "repeat.wide.support": 1, share: 0.5 };
	expect(score({ ...features, ...twice })).toBeGreaterThan(score({ ...features, ...once }));
});

test("is set by hand for what the benchmark hardly has, unless something else speaks that was fitted", () => {
	for (const name of ["calls", "paste", "diagnostic", "jump"]) expect(score({ [name]: 1 }), name).toBeGreaterThan(0.6);
	for (const name of ["calls", "paste"]) expect(score({ [name]: 1, repeat: 1 }), name).toBeLessThan(0.5);
	expect(score({ diagnostic: 1, repeat: 1 })).toBe(score({ diagnostic: 1 }));
});
