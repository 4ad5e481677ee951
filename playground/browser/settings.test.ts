import path from "node:path";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import type { RelayedMessage } from "@segue/testing/playground/play-relay";
import { expect, test } from "vitest";

inBrowser("the settings", (stage) => {
	test("an agent in the page works offline", async () => {
		const relay = await stage.relay();
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openAdvanced();
		await play.page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("page");
		await play.openPanel("Inspector");
		await play.page.getByText("nes/start").first().waitFor();
		const asked = relay.passed.length;
		await play.page.context().setOffline(true);
		await play.page.locator(".cm-content").focus();
		await play.rename("cnt", "count");
		for (const place of ["‹cnt→count› += 1;", "if (‹cnt→count› > 10) total *= 0.95;"]) {
			await expect.poll(() => play.picture()).toBe(place);
			await play.press("Tab");
		}
		expect(relay.passed).toHaveLength(asked);

		// A panel that has already been loaded needs no server.
		await play.openAdvanced();
		await play.page.getByRole("combobox", { name: "Agent", exact: true }).waitFor();

		// The page may have been sending a request when the network went away.
		await stage.browser.leave();
		for (const complaint of stage.browser.complaints.splice(0)) expect(complaint).toContain("INTERNET_DISCONNECTED");
	});

	test("the chat panel explains that an agent in the page has no chat", async () => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript((text) => localStorage.setItem("segue-settings", text), '{"agent":"page"}');
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		await play.openPanel("Settings");
		await play.openPanel("Chat");
		await page.getByText("Chat needs the agent on the server").waitFor();
		await play.openPanel("Inspector");
		await page.getByText("nes/start").first().waitFor();
		expect(await page.getByText("session/new").count()).toBe(0);
	});

	test("every new connection opens a chat session after initialization", async () => {
		const relay = await stage.relay();
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openAdvanced();
		const begun = () => relay.passed.filter(({ text }) => JSON.parse(text).method === "session/new").length;
		await expect.poll(begun).toBe(1);
		const encoding = play.page.getByLabel("Position encoding");
		for (const [i, choice] of ["utf-8", "utf-32", "utf-16", "utf-8", "utf-32", "utf-16"].entries()) {
			await encoding.selectOption(choice);
			await expect.poll(begun).toBe(2 + i);
		}
		expect(tooEarly(relay.passed)).toEqual([]);
	});

	test("each optional kind of suggestion can be turned off and on", async () => {
		const relay = await stage.relay();
		const play = await PlayPage.open(stage.browser, relay.address);
		const kinds = () => {
			const said = relay.passed.map(({ text }) => JSON.parse(text));
			const { params } = said.findLast(({ method }) => method === "initialize");
			return Object.keys(params.clientCapabilities.nes);
		};
		expect(kinds()).toEqual(["jump"]);
		await play.openAdvanced();
		expect(await play.page.getByLabel("Edits").isDisabled()).toBe(true);
		await play.page.getByLabel("Rename").check();
		await expect.poll(kinds).toEqual(["jump", "rename"]);
		await play.page.getByLabel("Jumps").uncheck();
		await expect.poll(kinds).toEqual(["rename"]);
		await play.page.getByLabel("Search and replace").check();
		await expect.poll(kinds).toEqual(["rename", "searchAndReplace"]);
	});

	test("suggestions can be turned off and on, also by language, and the choice is kept", async () => {
		const play = await stage.open();
		await play.openPanel("Settings");
		await play.page.getByRole("switch", { name: "Show suggestions" }).uncheck();
		await play.page.reload();
		await play.ready();
		await play.rename("cnt", "count");
		await play.page.locator(".reason", { hasText: "Suggestions are turned off." }).waitFor();
		await play.openPanel("Settings");
		await play.page.getByRole("switch", { name: "Show suggestions" }).check();
		await play.page.getByText("Languages: all on").click();
		await play.page.getByRole("checkbox", { name: "TypeScript" }).uncheck();
		await play.page.getByText("Languages: off in TypeScript").waitFor();
		await play.page.locator(".cm-content").focus();
		await play.press("Alt+\\");
		await play.page.locator(".reason", { hasText: "Suggestions are turned off." }).waitFor();
		await play.page.getByRole("checkbox", { name: "TypeScript" }).check();
		await play.page.locator(".cm-content").focus();
		await play.press("Alt+\\");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
	});

	test("a click copies the command that lists the models", async () => {
		const play = await stage.open({ permissions: ["clipboard-read", "clipboard-write"] });
		await play.openPanel("Settings");
		const command = play.page.getByText(/^cd .* && npx segue models$/);
		await command.waitFor();
		await play.page.getByText(path.join(stage.server.home.home, "config.json"), { exact: true }).waitFor();
		await play.page.getByRole("button", { name: "Copy command" }).click();
		const copied = () => play.page.evaluate(() => navigator.clipboard.readText());
		await expect.poll(copied).toBe(await command.textContent());
	});

	test("shows what to write into the configuration file to keep the current values", async () => {
		const play = await stage.open({ permissions: ["clipboard-read", "clipboard-write"] });
		await play.openPanel("Settings");
		await play.page.getByRole("switch", { name: "Only when asked" }).check();
		await play.page.getByRole("combobox", { name: "Delay before showing" }).selectOption("200");
		const copied = async () => {
			await play.page.getByRole("button", { name: "Copy settings" }).click();
			return JSON.parse(await play.page.evaluate(() => navigator.clipboard.readText()));
		};
		const nextEdit = { delayMs: 200, onlyWhenAsked: true, offInCommentsAndStrings: false, giveUpAfterIgnored: 0 };
		await expect.poll(copied).toEqual({ nextEdit });
	});

	test("protocol settings are hidden until the user opens them", async () => {
		const play = await stage.open();
		await play.openPanel("Settings");
		const encoding = play.page.getByLabel("Position encoding");
		await play.page.getByLabel("Eagerness").waitFor();
		expect(await encoding.isVisible()).toBe(false);
		await play.page.getByRole("heading", { name: "Advanced" }).click();
		await encoding.waitFor();
	});

	test("a snooze stops suggestions, shows that it did, and can be ended", async () => {
		const play = await PlayPage.open(stage.browser, stage.server.address);
		await play.openPanel("Settings");
		await play.page.getByRole("combobox", { name: "Snooze" }).selectOption("15");
		await play.page.locator(".cm-content").focus();
		await play.rename("cnt", "count");
		await play.page.locator(".reason", { hasText: "Suggestions are snoozed." }).waitFor();
		await play.page.getByRole("combobox", { name: "Snooze" }).selectOption("0");
		await play.page.locator(".cm-content").focus();
		await play.press("ArrowDown");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
	});

	test.for([
		'{"kinds":null,"sync":7,"theme":"dark"}',
		'{"kinds":{"jump":"x"},"theme":"dark"}',
		'{"theme":"dark","encoding":[]}',
	])("uses the valid settings of %s", async (kept) => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript((text) => localStorage.setItem("segue-settings", text), kept);
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
		await play.openAdvanced();
		expect(await page.getByLabel("Jumps").isChecked()).toBe(true);
		expect(await page.getByLabel("Position encoding").inputValue()).toBe("utf-16");
		expect(await page.getByLabel("Document sync").inputValue()).toBe("events");
	});
});

/** Requests that were sent before the response to `initialize`. */
function tooEarly(passed: readonly RelayedMessage[]): string[] {
	let isIntroduced = false;
	return passed.flatMap(({ from, text }) => {
		const { method, result } = JSON.parse(text);
		if (method === "initialize") isIntroduced = false;
		else if (from === "agent" && result?.protocolVersion !== undefined) isIntroduced = true;
		else if (from === "client" && !isIntroduced) return [method];
		return [];
	});
}
