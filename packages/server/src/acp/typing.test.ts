import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isAll } from "@segue/testing/setup/tier";
import { plansOfStories, TYPING_PLANS, type TypingPlan } from "@segue/testing/typing/typing-plan";
import { simulateTyping, TYPING_VARIANTS, type TypingFigures } from "@segue/testing/typing/typing-simulation";
import { describe, expect, test } from "vitest";

// People type, in the editor's library and against the real server, and a model that needs its time knows mostly what comes next.

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => plansOfStories(readFileSync(path.join(folder, name), "utf8")))
	// The benchmark plays them all.
	.filter((_, i) => i % 3 === 0);

const SETS: [string, readonly TypingPlan[]][] = [["a dozen things that people type", TYPING_PLANS]];
if (isAll) SETS.push(["every third story, typed by hand", stories]);

describe.each(SETS)("%s", (_, plans) => {
	const play = (way: keyof typeof TYPING_VARIANTS, mistakes = 0) => {
		return simulateTyping(plans, { ...TYPING_VARIANTS[way], mistakes });
	};

	test("what is kept, carried along and asked ahead is on the screen at half as many keys again, for fewer requests", async () => {
		const without = await play("nothing kept");
		const all = await play("all three");
		for (const figures of [without, all]) expectCalm(figures);
		expect(shareOf(all)).toBeGreaterThanOrEqual(1.5 * shareOf(without));
		expect(all.requests).toBeLessThanOrEqual(without.requests);
	});

	test("nothing flickers and nothing is stale where nothing is asked ahead", async () => {
		expectCalm(await play("kept and carried along"));
	});

	test("nothing flickers and nothing is stale where the user mistypes and the model is wrong", async () => {
		expectCalm(await play("all three", 5));
	});
});

function shareOf({ covered, keys }: TypingFigures): number {
	return covered / keys;
}

function expectCalm({ flickers, stale }: TypingFigures): void {
	expect(flickers).toEqual([]);
	expect(stale).toEqual([]);
}
