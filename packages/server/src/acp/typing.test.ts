import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isAll } from "@segue/testing/setup/tier";
import { plansOfStories, TYPING_PLANS, type TypingPlan } from "@segue/testing/typing/typing-plan";
import { simulateTyping, TYPING_VARIANTS, type TypingFigures } from "@segue/testing/typing/typing-simulation";
import { describe, expect, test } from "vitest";

// Simulates typing with the editor library, the real server and a slow model that usually predicts the next edit.

const folder = path.join(import.meta.dirname, "..", "..", "..", "..", "stories");
const stories = readdirSync(folder)
	.filter((name) => name.endsWith(".story.md"))
	.flatMap((name) => plansOfStories(readFileSync(path.join(folder, name), "utf8")))
	// The benchmark uses all plans.
	.filter((_, i) => i % 3 === 0);

const SETS: [string, readonly TypingPlan[]][] = [["typing plans", TYPING_PLANS]];
if (isAll) SETS.push(["every third story", stories]);

describe.each(SETS)("%s", (_, plans) => {
	const play = (variant: keyof typeof TYPING_VARIANTS, mistakes = 0) => {
		return simulateTyping(plans, { ...TYPING_VARIANTS[variant], mistakes });
	};

	test("caching, rebasing and prefetching show suggestions for 1.5 times as many keys without more requests", async () => {
		const without = await play("no cache");
		const all = await play("rebasing cache and speculation");
		for (const figures of [without, all]) expectCalm(figures);
		expect(shareOf(all)).toBeGreaterThanOrEqual(1.5 * shareOf(without));
		expect(all.requests).toBeLessThanOrEqual(without.requests);
	});

	test("suggestions neither flicker nor go stale without prefetching", async () => {
		expectCalm(await play("rebasing cache"));
	});

	test("suggestions neither flicker nor go stale with typing mistakes and wrong predictions", async () => {
		expectCalm(await play("rebasing cache and speculation", 5));
	});
});

function shareOf({ covered, keys }: TypingFigures): number {
	return covered / keys;
}

function expectCalm({ flickers, stale }: TypingFigures): void {
	expect(flickers).toEqual([]);
	expect(stale).toEqual([]);
}
