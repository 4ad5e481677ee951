import { readFileSync } from "node:fs";
import { inBrowserAlways } from "@segue/testing/playground/play-fixture";
import { expect, test } from "vitest";

const HEAD = '{"trace":"segue","version":1,"startedAt":"2026-01-01T00:00:00.000Z","command":["agent"]}\n';
const LINE = '{"atMs":1,"from":"client","message":{"method":"hello"}}\n';

inBrowserAlways("the page of segue inspect", (stage) => {
	test("shows live messages, keeps them when the connection ends, and reconnects", async () => {
		/** Functions that close the connections, in order. */
		const ends: (() => void)[] = [];
		const relay = await stage.relay((socket) => {
			ends.push(() => socket.close());
			socket.send(HEAD + LINE.repeat(ends.length));
		});
		const page = await stage.browser.visit(relay.address.replace("#", "#inspect&"));
		const count = page.getByTestId("message-count");
		await expect.poll(() => count.textContent()).toBe("Live: 1 of 1 messages");
		const trouble = page.getByRole("status");
		expect(await trouble.textContent()).toBe("");

		const downloading = page.waitForEvent("download");
		await page.getByRole("button", { name: "Save" }).click();
		expect(readFileSync(await (await downloading).path(), "utf8")).toBe(HEAD + LINE);

		await page.clock.install();
		ends[0]?.();
		await expect.poll(() => trouble.textContent()).toContain("segue inspect is not running");
		expect(await count.textContent()).toBe("Ended: 1 of 1 messages");
		await page.clock.runFor(5000);
		await expect.poll(() => ends.length).toBe(2);
		await page.clock.resume();
		await expect.poll(() => count.textContent()).toBe("Live: 2 of 2 messages");
		expect(await trouble.textContent()).toBe("");
	});

	test.for([
		["", "This address needs a token"],
		["another-token-than-the-right-one", "This link has expired"],
	] as const)("explains that the token “%s” is not accepted", async ([token, heading]) => {
		const page = await stage.browser.visit(`${stage.server.origin}/#inspect&token=${token}`);
		await page.getByRole("alert").getByText(heading).waitFor();
		expect(await page.getByTestId("message-count").textContent()).toContain("Refused");
		for (const complaint of stage.browser.complaints.splice(0)) {
			expect(complaint).toMatch(/401|WebSocket connection to/);
		}
	});
});
