import path from "node:path";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { expect, test } from "vitest";

/** The folder for screenshots; undefined in other runs. */
const FOLDER = process.env["SCREENSHOTS"];

inBrowser("the statistics", (stage) => {
	test("show the outcomes in this session and on this machine", async () => {
		const play = await stage.open({ viewport: { width: 1300, height: 1150 } });
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		await play.press("Escape");
		await play.openPanel("Statistics");
		const stored = play.page.getByRole("region", { name: "Suggestions on this machine" });
		const refresh = stored.getByRole("button", { name: "Refresh" });
		const row = stored.getByRole("row", { name: /^rename/ });
		await expect
			.poll(async () => {
				await refresh.click();
				// The number of suggestions shown depends on the typing speed.
				const [, accepted, partly, rejected] = await row.getByRole("cell").allTextContents();
				return { accepted, partly, rejected };
			})
			.toEqual({ accepted: "1", partly: "0", rejected: "1" });
		expect(await stored.getByRole("row", { name: /^typescript/ }).count()).toBe(1);
		const [shown, accepted, , rejected, ignored] = await row.getByRole("cell").allTextContents();
		const here = play.page.getByRole("row", { name: /^rename/ }).first();
		expect(await here.getByRole("cell").allTextContents()).toEqual([shown, accepted, rejected, ignored]);
		const legend = play.page.locator(".legend").first();
		expect(await legend.getByRole("listitem").allTextContents()).toEqual(["Shown", "Accepted", "Dismissed", "Ignored"]);
		const plot = stored.getByRole("img");
		expect((await plot.first().boundingBox())?.height).toBeGreaterThan(100);
		if (FOLDER !== undefined) await play.page.screenshot({ path: path.join(FOLDER, "figures.png") });
	});
});
