import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isAll, runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedEmbeddedStore, openEmbeddedStore } from "./embedded.js";
import { type Feedback, type SeenSuggestion, SUGGESTIONS_MAX } from "./feedback.js";

const NOW = new Date("2030-06-15T12:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
const opened: OpenedEmbeddedStore[] = [];

beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "segue-feedback-"));
});
afterEach(async () => {
	for (const { store } of opened.splice(0)) await store.close();
	rmSync(folder, { recursive: true });
});

async function open(): Promise<Feedback> {
	const one = await openEmbeddedStore(path.join(folder, "segue.db"), NOW);
	opened.push(one);
	return one.feedback;
}

/** Creates a suggestion from the given number of days ago. */
function seen(id: string, daysAgo: number, more: Partial<SeenSuggestion> = {}): SeenSuggestion {
	return {
		...{ id, at: new Date(NOW.getTime() - daysAgo * DAY_MS).toISOString(), predictor: "rename", model: undefined },
		...{ language: "typescript", kind: "edit", trigger: "automatic", latencyMs: 1.5, chance: 0.8 },
		...{ features: { rank: 1, "rename.left": 2 }, verdict: undefined, ...more },
	};
}

async function allOf(feedback: Feedback, since = ""): Promise<SeenSuggestion[]> {
	const all: SeenSuggestion[] = [];
	for await (const one of feedback.since(since)) all.push(one);
	return all;
}

async function idsOf(feedback: Feedback, since = ""): Promise<string[]> {
	return (await allOf(feedback, since)).map(({ id }) => id);
}

test("returns feedback stored since a time, oldest first", async () => {
	const feedback = await open();
	const all = [
		seen("c", 1, { verdict: "rejected" }),
		seen("b", 2, { predictor: "model", model: "local/coder", verdict: "partly" }),
		seen("a", 3),
	];
	await feedback.keep(all, NOW);
	const other = await open();
	expect(await allOf(other)).toEqual(all.toReversed());
	expect(await idsOf(other, all[1]?.at)).toEqual(["b", "c"]);
	const outcomes = all.toReversed().map(({ id: _, kind: _k, trigger: _t, chance: _c, features: _f, ...one }) => one);
	expect(await other.outcomes("")).toEqual(outcomes);
	expect(await other.outcomes(all[0]?.at ?? "")).toEqual(outcomes.slice(2));
	expect(await other.clear()).toBe(3);
	expect(await feedback.outcomes("")).toEqual([]);
});

test("does not count a jump as accepted", async () => {
	const feedback = await open();
	await feedback.keep([seen("a", 2, { kind: "jump", verdict: "accepted" }), seen("b", 1)], NOW);
	expect(await idsOf(feedback)).toEqual(["a", "b"]);
	expect(await feedback.outcomes("")).toHaveLength(1);
});

test("returns each suggestion once, with its last verdict", async () => {
	const feedback = await open();
	const someSteps = fc.array(
		fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("accepted", "ignored", undefined))),
	);
	await fc.assert(
		fc.asyncProperty(someSteps, async (steps) => {
			await feedback.clear();
			const model = new Map<string, string | undefined>();
			for (const step of steps) {
				// Within a batch, the last verdict counts.
				const batch = new Map(step);
				for (const [id, verdict] of batch) model.set(id, verdict);
				await feedback.keep(
					[...batch].map(([id, verdict]) => seen(id, 1, { verdict })),
					NOW,
				);
			}
			const stored = await allOf(feedback);
			expect(new Map(stored.map(({ id, verdict }) => [id, verdict]))).toEqual(model);
		}),
		{ numRuns: runs(30) },
	);
});

test("deletes feedback older than half a year", async () => {
	const feedback = await open();
	await feedback.keep([seen("old", 181), seen("young", 179)], NOW);
	expect(await idsOf(feedback)).toEqual(["young"]);
});

test.runIf(isAll)("deletes the oldest feedback if there is too much", async () => {
	const feedback = await open();
	const many = Array.from({ length: SUGGESTIONS_MAX }, (_, i) => seen(`${i}`.padStart(6, "0"), 100, { features: {} }));
	await feedback.keep(many, NOW);
	await (await open()).keep([seen("next", 99), seen("last", 98)], NOW);
	const ids = await idsOf(feedback);
	expect(ids).toHaveLength(SUGGESTIONS_MAX);
	expect([ids[0], ...ids.slice(-2)]).toEqual(["000002", "next", "last"]);
});

test("stores feedback from concurrent writers", async () => {
	const all = await Promise.all([open(), open(), open()]);
	await Promise.all(
		all.flatMap((feedback, k) => Array.from({ length: 20 }, (_, i) => feedback.keep([seen(`${k} ${i}`, 1)], NOW))),
	);
	expect(await idsOf(await open())).toHaveLength(60);
});
