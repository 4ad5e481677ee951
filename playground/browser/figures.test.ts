import path from "node:path";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { expect, test } from "vitest";

/** Where pictures are wanted; a plain run only looks. */
const FOLDER = process.env["SCREENSHOTS"];

inBrowser("the figures", (stage) => {
	test("the figures show what became of suggestions on this machine, beside those of this window", async () => {
		const play = await stage.open({ viewport: { width: 1300, height: 1150 } });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		await play.press("Escape");
		await play.openPanel("Figures");
		const kept = play.page.getByRole("region", { name: "Kept on this machine" });
		const again = kept.getByRole("button", { name: "Count again" });
		const row = kept.getByRole("row", { name: /^rename/ });
		await expect
			.poll(async () => {
				await again.click();
				// How many were shown meanwhile depends on how fast it was typed.
				const [, accepted, partly, rejected] = await row.getByRole("cell").allTextContents();
				return { accepted, partly, rejected };
			})
			.toEqual({ accepted: "1", partly: "0", rejected: "1" });
		expect(await kept.getByRole("row", { name: /^typescript/ }).count()).toBe(1);
		const [shown, accepted, , rejected, ignored] = await row.getByRole("cell").allTextContents();
		const here = play.page.getByRole("row", { name: /^rename/ }).first();
		expect(await here.getByRole("cell").allTextContents()).toEqual([shown, accepted, rejected, ignored]);
		const legend = play.page.locator(".legend").first();
		expect(await legend.getByRole("listitem").allTextContents()).toEqual(["shown", "accepted", "rejected", "ignored"]);
		const plot = kept.getByRole("img");
		expect((await plot.first().boundingBox())?.height).toBeGreaterThan(100);
		if (FOLDER !== undefined) await play.page.screenshot({ path: path.join(FOLDER, "figures.png") });
	});
});
