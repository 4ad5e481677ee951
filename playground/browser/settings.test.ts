import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import { PlayRelay, type RelayedMessage } from "@segue/testing/playground/play-relay";
import { expect, test } from "vitest";

inBrowser("the settings", (stage) => {
	test("an agent in the page renames with the network switched off, and shows its messages and documents", async () => {
		await using relay = await PlayRelay.start(stage.server);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Settings");
		await play.page.getByLabel("The agent runs").selectOption("page");
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

		// What was loaded before is there without a server.
		await play.openPanel("Settings");
		await play.page.getByLabel("The agent runs").waitFor();
	});

	test("an agent in the page says that it does not chat, and is not asked to", async () => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript((text) => localStorage.setItem("segue-settings", text), '{"agent":"page"}');
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		await play.openPanel("Settings");
		await play.openPanel("Chat");
		await page.getByText("does not chat").waitFor();
		await play.openPanel("Inspector");
		await page.getByText("nes/start").first().waitFor();
		expect(await page.getByText("session/new").count()).toBe(0);
	});

	test("with every new connection the chat begins anew, after the agent has introduced itself", async () => {
		await using relay = await PlayRelay.start(stage.server);
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Settings");
		const begun = () => relay.passed.filter(({ text }) => JSON.parse(text).method === "session/new").length;
		await expect.poll(begun).toBe(1);
		const encoding = play.page.getByLabel("Positions are counted in");
		for (const [i, choice] of ["utf-8", "utf-32", "utf-16", "utf-8", "utf-32", "utf-16"].entries()) {
			await encoding.selectOption(choice);
			await expect.poll(begun).toBe(2 + i);
		}
		expect(tooEarly(relay.passed)).toEqual([]);
	});

	test("each kind of suggestions besides edits can be switched off and on", async () => {
		await using relay = await PlayRelay.start(stage.server);
		const play = await PlayPage.open(stage.browser, relay.address);
		const kinds = () => {
			const said = relay.passed.map(({ text }) => JSON.parse(text));
			const { params } = said.findLast(({ method }) => method === "initialize");
			return Object.keys(params.clientCapabilities.nes);
		};
		expect(kinds()).toEqual(["jump"]);
		await play.openPanel("Settings");
		expect(await play.page.getByLabel("Edits").isDisabled()).toBe(true);
		await play.page.getByLabel("Rename").check();
		await expect.poll(kinds).toEqual(["jump", "rename"]);
		await play.page.getByLabel("Jumps").uncheck();
		await expect.poll(kinds).toEqual(["rename"]);
		await play.page.getByLabel("Search and replace").check();
		await expect.poll(kinds).toEqual(["rename", "searchAndReplace"]);
	});

	test("a snooze keeps suggestions back and says so, and ends where it was set", async () => {
		const play = await PlayPage.open(stage.browser, stage.server.address);
		await play.openPanel("Settings");
		await play.page.getByLabel("Snooze").selectOption("15");
		await play.page.locator(".cm-content").focus();
		await play.rename("cnt", "count");
		await play.page.getByText("Suggestions are snoozed.").waitFor();
		await play.page.getByLabel("Snooze").selectOption("0");
		await play.page.locator(".cm-content").focus();
		await play.press("ArrowDown");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
	});

	test.for([
		'{"kinds":null,"sync":7,"theme":"dark"}',
		'{"kinds":{"jump":"x"},"theme":"dark"}',
		'{"theme":"dark","encoding":[]}',
	])("of what is kept as %s the settings hold that are any, and the page works", async (kept) => {
		const page = await stage.browser.blank(stage.server.origin);
		await page.addInitScript((text) => localStorage.setItem("segue-settings", text), kept);
		await page.goto(stage.server.address);
		const play = new PlayPage(page);
		await play.ready();
		expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
		await play.openPanel("Settings");
		expect(await page.getByLabel("Jumps").isChecked()).toBe(true);
		expect(await page.getByLabel("Positions are counted in").inputValue()).toBe("utf-16");
		expect(await page.getByLabel("The agent learns of documents by").inputValue()).toBe("events");
	});
});

/** What was asked of an agent that had not introduced itself yet. */
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
