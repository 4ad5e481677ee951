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
		const session = play.page.getByRole("region", { name: "Suggestions this session" });
		const here = session.getByRole("row", { name: /^Rename/ });
		await here.waitFor();
		const cellsHere = await here.getByRole("cell").allTextContents();
		const summary = /^You accepted 1 of \d+ suggestions that you decided on \(\d+ %\)/;
		const summaryHere = await session.getByText(summary).textContent();
		expect(await here.locator("abbr").getAttribute("title")).toBe("Renames the other uses of a name");
		await play.page.getByRole("button", { name: "On this machine" }).click();
		const stored = play.page.getByRole("region", { name: "Suggestions on this machine" });
		const refresh = stored.getByRole("button", { name: "Refresh" });
		const row = stored.getByRole("row", { name: /^Rename/ });
		await expect
			.poll(async () => {
				await refresh.click();
				// The number of suggestions shown depends on the typing speed.
				const [accepted, , rejected] = await row.getByRole("cell").allTextContents();
				return { accepted, rejected };
			})
			.toEqual({ accepted: "1", rejected: "1" });
		expect(await stored.getByRole("row", { name: /^typescript/ }).count()).toBe(1);
		const cells = await row.getByRole("cell").allTextContents();
		const [accepted, share, rejected, ignored, other, shown] = cells;
		expect(share).toBe(`${Math.round(100 / (2 + Number(ignored)))} %`);
		const sum = [accepted, rejected, ignored, other].reduce((total, count) => total + Number(count), 0);
		expect(sum).toBe(Number(shown));
		expect(cellsHere).toEqual(cells);
		expect(await stored.getByText(summary).textContent()).toBe(summaryHere);
		expect(await session.count()).toBe(0);
		await play.page.setViewportSize({ width: 800, height: 800 });
		const panel = play.page.getByRole("tabpanel");
		// Plots get their new size in the next frame.
		await expect.poll(() => panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
		const last = stored.getByRole("columnheader", { name: "Shown" });
		await last.scrollIntoViewIfNeeded();
		const box = await last.boundingBox();
		expect((box?.x ?? 800) + (box?.width ?? 800)).toBeLessThanOrEqual(800);
		await play.page.setViewportSize({ width: 1300, height: 1150 });
		const legend = play.page.locator(".legend").first();
		expect(await legend.getByRole("listitem").allTextContents()).toEqual(["Accepted", "Dismissed", "Ignored", "Other"]);
		const plot = stored.getByRole("img");
		expect((await plot.first().boundingBox())?.height).toBeGreaterThan(100);
		if (FOLDER !== undefined) await play.page.screenshot({ path: path.join(FOLDER, "figures.png") });
	});
});
