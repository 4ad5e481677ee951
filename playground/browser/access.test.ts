import { PlayAgent } from "@segue/testing/playground/play-agent";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PANELS, PlayPage } from "@segue/testing/playground/play-page";
import axe from "axe-core";
import { expect, test } from "vitest";

inBrowser("accessibility of the playground", (stage) => {
	test.for([
		["light", 1280],
		["dark", 1280],
		["light", 390],
	] as const)("passes axe in every panel, in the %s theme at %i pixels", async ([colorScheme, width]) => {
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
		await play.press("Escape");
		await play.press("F1");
		await play.page.getByRole("dialog").waitFor();
		expect(await barriersOn(play)).toEqual([]);
	});

	test("can be used with only the keyboard, and lets the focus leave the editor", async () => {
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
		await play.press("ArrowRight", "End");
		expect(await play.page.getByRole("tab", { name: "Inspector" }).evaluate((tab) => tab.matches(":focus"))).toBe(true);
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

	test("selects projects and files with the keyboard, and opens nothing before Enter", async () => {
		for (let i = 1; i <= 12; i++) stage.server.home.write(`project/file-${i}.ts`, `// ${i}\n\n`);
		const play = await stage.open();
		const project = play.page.getByRole("button", { name: "Project" });
		await project.focus();
		await play.press("Enter");
		const options = play.page.getByRole("option");
		await expect.poll(() => options.count()).toBe(4);
		await play.press("ArrowDown", "ArrowDown");
		const walked = play.page.getByRole("option", { selected: true });
		await expect.poll(() => walked.textContent()).toBe("Rust: log reader");
		expect(await barriersOn(play)).toEqual([]);
		expect(await play.file.textContent()).toBe("cart.ts");
		await play.press("Escape");
		await expect.poll(() => options.count()).toBe(0);
		expect(await project.evaluate((button) => button.matches(":focus"))).toBe(true);
		await play.press("Enter");
		await expect.poll(() => options.count()).toBe(4);
		await play.press("ArrowDown", "ArrowDown", "Enter");
		await expect.poll(() => project.textContent()).toBe("Rust: log reader");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);

		await play.openFolder(stage.server.home.project, "file-1.ts");
		const files = play.page.getByRole("button", { name: "Open a file" });
		await files.focus();
		await play.press("Enter");
		await expect.poll(() => options.count()).toBeGreaterThan(10);
		await play.type("TS file-1");
		await expect.poll(() => options.allTextContents()).toEqual(["file-10.ts", "file-11.ts", "file-12.ts"]);
		await play.press("ArrowDown");
		expect(await barriersOn(play)).toEqual([]);
		await play.press("Enter");
		await expect.poll(() => play.file.textContent()).toBe("file-11.ts");
		await expect.poll(() => play.page.locator(".cm-content:focus").count()).toBe(1);
		expect(await play.text()).toContain("// 11");
	});

	test.for([
		["Enter", "replaces"],
		["Escape", "leaves"],
		["Cancel", "leaves"],
	] as const)("after %s in a preview, %s the text and returns the focus to the editor", async ([end]) => {
		const agent = new PlayAgent();
		agent.suggest = ({ uri }) => [{ id: "1", kind: "searchAndReplace", uri, search: "cnt", replace: "count" }];
		const relay = await stage.relay(agent.join);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openAdvanced();
		await play.page.getByLabel("Search and replace").check();
		await play.page.locator(".cm-content").focus();
		await expect
			.poll(async () => {
				await play.press("Alt+\\");
				return play.chip.count();
			})
			.toBe(1);
		await play.press("Tab");
		const dialog = play.page.getByRole("dialog");
		await dialog.waitFor();
		if (end === "Cancel") await dialog.getByRole("button", { name: end }).click();
		else await play.press(end);
		await dialog.waitFor({ state: "detached" });
		expect(await play.page.locator(".cm-content:focus").count()).toBe(1);
		expect(await play.text()).toContain(end === "Enter" ? "let count = 0" : "let cnt = 0");
	});

	test.for(["Escape", "Cancel", "a folder"])("returns the focus after %s in the folder dialog", async (end) => {
		const play = await stage.open();
		const opener = play.page.getByRole("button", { name: "Open folder" });
		await opener.focus();
		await play.press("Enter");
		const dialog = play.page.getByRole("dialog");
		await dialog.waitFor();
		if (end === "Escape") await play.press(end);
		else if (end === "Cancel") await dialog.getByRole("button", { name: end }).click();
		else {
			await dialog.getByRole("textbox").fill(stage.server.home.project);
			await play.press("Enter");
		}
		await dialog.waitFor({ state: "detached" });
		expect(await opener.evaluate((button) => button.matches(":focus"))).toBe(true);
	});

	test("announces the selected message while it is drawn; Home and End select the first and last message", async () => {
		const play = await stage.open();
		await play.openPanel("Inspector");
		const list = play.page.getByRole("listbox", { name: "Messages" });
		await list.focus();
		const chosen = async () => {
			const id = await list.getAttribute("aria-activedescendant");
			return id === null ? undefined : Number(id.replace("message-", ""));
		};
		const count = async () => {
			const text = await play.page.getByTestId("message-count").textContent();
			return Number(/of ([\d,]+)/.exec(text ?? "")?.[1]);
		};
		// A message that arrives after the key is not selected.
		await expect
			.poll(async () => {
				await play.press("End");
				return (await count()) - ((await chosen()) ?? 0);
			})
			.toBe(1);
		await play.press("Home");
		await expect.poll(chosen).toBe(0);
		await play.page.locator(".cm-content").focus();
		await expect
			.poll(async () => {
				await play.press("x", "Alt+\\");
				await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
				return list.evaluate((element) => element.querySelector("#message-0") === null);
			})
			.toBe(true);
		await expect.poll(chosen).toBeUndefined();
		expect(await barriersOn(play)).toEqual([]);
		await list.focus();
		await play.press("ArrowDown");
		await expect.poll(chosen).toBe(1);
	});
});

/** Returns the serious problems that axe finds. */
async function barriersOn({ page }: PlayPage): Promise<string[]> {
	const isThere = await page.evaluate(() => "axe" in globalThis);
	if (!isThere) await page.evaluate(axe.source);
	const { violations } = await page.evaluate(() => {
		return (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] });
	});
	return violations
		.filter(({ id, impact }) => impact === "serious" || impact === "critical" || id === "heading-order")
		.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/**
 * Presses Esc, then Tab. The editor expects both keys within a few seconds, so the clock is stopped in case the machine
 * is slow. The first Esc may dismiss a suggestion that has just arrived.
 */
async function leaveEditor({ page }: PlayPage): Promise<void> {
	await page.clock.setFixedTime(Date.now());
	await expect
		.poll(async () => {
			await page.keyboard.press("Escape");
			await page.keyboard.press("Tab");
			return page.locator(".cm-content:focus").count();
		})
		.toBe(0);
}

/** Presses a key until the element with this name has the focus, and checks that the focus is visible. */
async function walkTo({ page }: PlayPage, name: string, key: string): Promise<void> {
	// More than the number of controls on the page.
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
	throw new Error(`${key} does not reach ${name}, only ${passed.join(", ")}`);
}
