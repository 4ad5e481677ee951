import path from "node:path";
import { inBrowser } from "@segue/testing/play-stage";
import { expect, test } from "vitest";

/** Where `npm run screenshots` wants pictures; a plain run only looks. */
const FOLDER = process.env["SCREENSHOTS"];

inBrowser("how the playground looks", (stage) => {
	test.for([
		["light", { width: 1100, height: 620 }],
		["dark", { width: 1100, height: 620 }],
		["narrow", { width: 390, height: 700 }],
	] as const)("a suggestion and the way to take it are in sight: %s", async ([name, viewport]) => {
		const colorScheme = name === "dark" ? "dark" : "light";
		const play = await stage.open({ viewport, colorScheme, deviceScaleFactor: 1.5 });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		const { page } = play;
		for (const part of [play.added, play.why, page.getByRole("tablist")]) {
			const box = await part.boundingBox();
			expect(box?.x).toBeGreaterThanOrEqual(0);
			expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
			expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
		}
		const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
		expect(scrollWidth).toBeLessThanOrEqual(viewport.width);
		const taken = await page.locator(".cm-line", { has: play.added }).evaluate((line) => {
			const { color, backgroundColor } = getComputedStyle(line.querySelector("[data-segue=added]") ?? line);
			return { color, backgroundColor, page: getComputedStyle(document.body).backgroundColor };
		});
		// What would be added is told from what is there.
		expect(taken.backgroundColor).not.toBe(taken.page);
		if (FOLDER === undefined) return;
		await page.screenshot({ path: path.join(FOLDER, `playground-${name}.png`), animations: "disabled" });
	});
});
