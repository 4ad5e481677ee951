import { PANELS, type PlayPage } from "@segue/testing/play-page";
import { inBrowser } from "@segue/testing/play-stage";
import axe from "axe-core";
import { expect, test } from "vitest";

inBrowser("the playground for everybody", (stage) => {
	test.for([
		["light", 1280],
		["dark", 1280],
		["light", 390],
	] as const)("every panel can be read and operated by all, %s and %i pixels wide", async ([colorScheme, width]) => {
		const play = await stage.open({ colorScheme, viewport: { width, height: 800 } });
		await play.rename("cnt", "count");
		await play.added.first().waitFor();
		for (const panel of PANELS) {
			await play.openPanel(panel);
			expect([panel, await barriersOn(play)]).toEqual([panel, []]);
		}
		await play.page.getByRole("button", { name: "Open folder" }).click();
		await play.page.getByRole("dialog").waitFor();
		expect(await barriersOn(play)).toEqual([]);
	});

	test("everything is reached by keyboard alone, and the editor lets go of it", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		await expect.poll(() => play.text()).toContain("count += 1;");
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");
		await play.press("Escape");
		await expect.poll(() => play.picture()).toBe("");
		await leaveEditor(play);

		await walkTo(play, "Stories", "Tab");
		await play.press("ArrowRight");
		// Where arrows do not go through the tabs, Tab does.
		if (!(await play.page.getByRole("tab", { name: "Inspector" }).evaluate((tab) => tab.matches(":focus")))) {
			await walkTo(play, "Inspector", "Tab");
		}
		await play.press("Enter");
		await play.page.getByTestId("message-count").waitFor();
		await walkTo(play, "Messages", "Tab");
		await play.press("ArrowDown", "ArrowDown");
		await play.page.getByRole("heading", { name: /\((request|response|notification)\)/ }).waitFor();
		await walkTo(play, "Theme", "Shift+Tab");
		await walkTo(play, "Open folder", "Shift+Tab");
		await play.press("Enter");
		await play.page.getByRole("dialog").waitFor();
		await play.press("Escape");
		await play.page.getByRole("dialog").waitFor({ state: "detached" });
		await walkTo(play, "Text of", "Tab");
		await play.type("x");
		await expect.poll(() => play.text()).toContain("x");
	});
});

/** What axe finds that keeps somebody out. */
async function barriersOn({ page }: PlayPage): Promise<string[]> {
	const isThere = await page.evaluate(() => "axe" in globalThis);
	if (!isThere) await page.evaluate(axe.source);
	const { violations } = await page.evaluate(() => {
		return (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] });
	});
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Esc, then Tab. Between the two the editor counts seconds, and this machine may be slow, so its time stands still. */
async function leaveEditor({ page }: PlayPage): Promise<void> {
	await page.clock.setFixedTime(Date.now());
	await page.keyboard.press("Escape");
	await page.keyboard.press("Tab");
	await expect.poll(() => page.locator(".cm-content:focus").count()).toBe(0);
}

/** Presses a key until what is named so has the focus, which then must be seen. */
async function walkTo({ page }: PlayPage, name: string, key: string): Promise<void> {
	// More than there is on the page.
	const stepsMax = 60;
	const passed: string[] = [];
	for (let step = 0; step < stepsMax; step++) {
		await page.keyboard.press(key);
		const focused = await page.evaluate(() => {
			const element = document.activeElement;
			const { outlineStyle, boxShadow } = getComputedStyle(element ?? document.body);
			return {
				name: `${element?.getAttribute("aria-label") ?? element?.textContent}`,
				isSeen: outlineStyle !== "none" || boxShadow !== "none" || element?.closest(".cm-editor") !== null,
			};
		});
		passed.push(focused.name);
		if (!focused.name.startsWith(name)) continue;
		expect(focused.isSeen).toBe(true);
		return;
	}
	throw new Error(`${key} does not lead to ${name}, but to ${passed.join(", ")}`);
}
