import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

// Slow enough for suggestions to arrive between two letters.
const KEY_MS = 150;
const REST_MS = 1000;

inBrowser("slow typing in the playground", (stage) => {
	test("withdraws a suggestion when the new name is deleted, and suggests nothing for the original text", async () => {
		const play = await begin();
		const before = await play.text();
		await selectName(play);
		await type(play, "count");
		expect(await play.picture()).toBe("‹cnt→count› += 1;");
		await play.pressSlowly(["Backspace", "Backspace", "Backspace", "Backspace", "Backspace"], KEY_MS);
		expect(await play.text()).toContain("let  = 0;");
		expect(await play.picture()).toBe("");
		await play.passTime(REST_MS);
		expect(await play.picture()).toBe("");
		await type(play, "cnt");
		expect(await play.picture()).toBe("");
		expect(await play.text()).toBe(before);
		await play.press("Alt+\\");
		await play.passTime(REST_MS);
		expect(await play.picture()).toBe("");
	});

	test("suggests the whole name when the user stops typing, and Tab writes it everywhere", async () => {
		const play = await begin();
		await selectName(play);
		await type(play, "amo");
		expect(["", "‹cnt→amo› += 1;"]).toContain(await play.picture());
		await play.press("u");
		expect(await play.picture()).toBe("");
		await play.passTime(KEY_MS);
		expect(await play.picture()).not.toContain("amo›");
		await type(play, "nt");
		for (const place of [
			"‹cnt→amount› += 1;",
			"if (‹cnt→amount› > 10) total *= 0.95;",
			'console.log("items:", ‹cnt→amount›);',
		]) {
			expect(await play.picture()).toBe(place);
			await play.pressSlowly(["Tab"], REST_MS);
		}
		expect(await play.picture()).toBe("");
		expect(await play.text()).not.toContain("cnt");
	});

	test("does not suggest a name that already exists, nor a part of it after undo", async () => {
		const play = await begin();
		const before = await play.text();
		await selectName(play);
		await type(play, "total");
		expect(await play.text()).toContain("let total = 0;\n\tlet total = 0;");
		expect(await play.picture()).toBe("");
		while ((await play.text()) !== before) await play.pressSlowly(["Control+z"], KEY_MS);
		await play.passTime(REST_MS);
		expect(await play.picture()).toBe("");
	});

	async function begin(): Promise<PlayPage> {
		const play = await stage.open();
		await play.stopTime();
		return play;
	}
});

/** Selects the name. The first sample opens with the cursor after it. */
async function selectName(play: PlayPage): Promise<void> {
	await play.press("Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft");
}

async function type(play: PlayPage, name: string): Promise<void> {
	await play.pressSlowly([...name], KEY_MS);
	await play.passTime(REST_MS);
}
