import { inTier, runs } from "@segue/testing/setup/tier";
import {
	BACKSPACE,
	DECLARE,
	ELSEWHERE,
	NAME_KEYS,
	NAME_SAMPLES,
	type NamePlan,
	OTHER_FILE,
	REST,
	simulateNames,
	UNDO,
} from "@segue/testing/typing/typing-names";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Sample = (typeof NAME_SAMPLES)[number];
const [CART, REPORT] = NAME_SAMPLES as [Sample, Sample];

describe("typing over a name", () => {
	test.for<[string, number]>([
		["total", 150],
		["count…⌫⌫⌫⌫⌫", 150],
		["amo…unt", 150],
		["amount…↓", 150],
		["amount…⇄", 150],
	])("shows no stale suggestion for the keys %s at %i ms per key", async ([keys, keyMs]) => {
		const figures = await simulateNames([{ ...CART, keys, keyMs, latencyMs: 5 }]);
		expect(figures.staleAtRest).toEqual([]);
		expect(figures.staleNames).toEqual([]);
	});

	test("keeps a suggestion's origin if, after an edit in another file, a letter is typed and deleted", async () => {
		const figures = await simulateNames([{ ...REPORT, keys: "aa⇄a⌫a", keyMs: 100, latencyMs: 0 }]);
		expect(figures.staleNames).toEqual([]);
	});

	test.each(inTier([30, 150], [30, 90, 150, 400]))(
		"settles on the suggestion for the final text, at %i ms per key",
		async (keyMs) => {
			const plans = NAME_SAMPLES.flatMap((sample) =>
				NAME_KEYS.map((keys) => ({ ...sample, keys, keyMs, latencyMs: 20 })),
			);
			const figures = await simulateNames(plans);
			expect(figures.staleAtRest).toEqual([]);
			expect(figures.staleNames).toEqual([]);
			expect(figures.shownAtRest).toBeGreaterThan(plans.length / 4);
		},
	);

	test("settles on the suggestion for the final text with random speed, corrections and undo", async () => {
		const someKey = fc.oneof(
			{ weight: 8, arbitrary: fc.constantFrom(..."acnotul") },
			{ weight: 3, arbitrary: fc.constant(BACKSPACE) },
			fc.constantFrom(DECLARE, ELSEWHERE, OTHER_FILE),
			fc.constant(UNDO),
			fc.constant(REST),
		);
		const someKeys = fc.oneof(
			fc.constantFrom(...NAME_KEYS),
			fc.array(someKey, { minLength: 1, maxLength: 10 }).map((keys) => keys.join("")),
		);
		const somePlan: fc.Arbitrary<NamePlan> = fc
			.record({
				sample: fc.constantFrom(...NAME_SAMPLES),
				keys: someKeys,
				keyMs: fc.integer({ min: 30, max: 400 }),
				latencyMs: fc.integer({ min: 0, max: 300 }),
			})
			.map(({ sample, ...typed }) => ({ ...sample, ...typed }));
		await fc.assert(
			fc.asyncProperty(somePlan, async (plan) => {
				const { staleAtRest, staleNames } = await simulateNames([plan]);
				expect([staleAtRest, staleNames]).toEqual([[], []]);
			}),
			{ numRuns: runs(600) },
		);
	});
});
