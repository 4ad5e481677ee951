import { readFileSync } from "node:fs";
import { readTrace } from "@segue/rpc/trace";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import { PlayPage } from "@segue/testing/playground/play-page";
import type { RelayedMessage } from "@segue/testing/playground/play-relay";
import { expect, test } from "vitest";

inBrowser("the inspector", (stage) => {
	test("lists and saves every message between the page and the server", async () => {
		const relay = await stage.relay();
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.openPanel("Inspector");
		await play.page.locator(".cm-content").focus();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.press("Tab");
		await expect.poll(() => play.picture()).toContain("if (‹cnt→count›");

		const count = play.page.getByTestId("message-count");
		const isWhole = async () => (await count.textContent())?.includes(`: ${relay.passed.length} of`);
		await expect.poll(isWhole).toBe(true);
		const downloading = play.page.waitForEvent("download");
		await play.page.getByRole("button", { name: "Save" }).click();
		const { records } = readTrace(readFileSync(await (await downloading).path(), "utf8"));
		expect(records.length).toBeGreaterThan(10);
		// The order is defined only among messages from the same side.
		for (const from of ["client", "agent"] as const) expect(said(records, from)).toEqual(said(relay.passed, from));
	});

	test("can load the same file again", async () => {
		const play = await stage.open();
		await play.openPanel("Inspector");
		const head = '{"trace":"segue","version":1,"startedAt":"2026-01-01T00:00:00.000Z"}\n';
		const input = play.page.locator("input[type=file]");
		await input.setInputFiles({ name: "a.jsonl", mimeType: "application/json", buffer: Buffer.from(head) });
		await expect.poll(() => play.page.getByTestId("message-count").textContent()).toContain("a.jsonl");
		// A browser fires no event if the value stays the same.
		expect(await input.inputValue()).toBe("");
	});

	test("pairs a request with its response, and filters messages", async () => {
		const play = await stage.open();
		await play.openPanel("Inspector");
		await play.page.getByLabel("Filter by method").fill("initialize");
		const rows = play.page.getByRole("listbox", { name: "Messages" }).getByRole("option");
		await expect.poll(() => rows.count()).toBe(2);
		await rows.first().click();
		await play.page.getByRole("button", { name: "Show response" }).click();
		await play.page.getByRole("heading", { name: "initialize (response)" }).waitFor();
	});

	test("shows that the agent has the same text as the editor after typing", async () => {
		const play = await stage.open();
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		await play.openPanel("Inspector");
		await play.page.getByRole("button", { name: "Compare" }).click();
		await expect.poll(() => play.page.getByTestId("held").count()).toBe(3);
		for (const held of await play.page.getByTestId("held").all()) {
			expect(await held.getAttribute("data-same")).toBe("true");
		}
	});

	test("highlights the lines that differ between the agent and the editor", async () => {
		const relay = await stage.relay();
		const play = await PlayPage.open(stage.browser, relay.address);
		await play.rename("cnt", "count");
		await expect.poll(() => play.picture()).toBe("‹cnt→count› += 1;");
		relay.loses = (text) => JSON.parse(text).method === "document/didChange";
		await play.press("Escape");
		await play.type("er");
		await play.openPanel("Inspector");
		await play.page.getByRole("button", { name: "Compare" }).click();
		const differing = play.page.locator("[data-testid=held][data-same=false]");
		await differing.waitFor();
		expect(await differing.count()).toBe(1);
		expect(await differing.locator("mark").allTextContents()).toEqual(["\tlet count = 0;\n", "\tlet counter = 0;\n"]);
		const [red, word] = await differing.evaluate((held) => {
			return [held.querySelector("mark"), held.querySelector(".trouble")].map(
				(one) => getComputedStyle(one ?? held).color,
			);
		});
		expect(red).toBe(word);
	});
});

function said(messages: readonly RelayedMessage[], from: RelayedMessage["from"]): unknown[] {
	return messages.filter((message) => message.from === from).map(({ text }) => JSON.parse(text));
}
