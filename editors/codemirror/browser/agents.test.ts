import { BROKEN_AGENT } from "@segue/testing/plugins/broken-agent";
import { type DemoPage, inDemoPage } from "@segue/testing/plugins/demo-page";
import { expect, test } from "vitest";

const FILE = { uri: "file:///project/a.ts", languageId: "typescript", text: "const cnt = 0\nlog(cnt)\nlog(cnt)\n" };

inDemoPage("the connection of a CodeMirror page", (stage) => {
	test("starts another worker after one crashes, and suggestions continue", async () => {
		const demo = await stage.open({ agent: "worker" });
		await openAndRename(demo);
		await demo.call((demo) => demo.workers[0]?.dispatchEvent(new Event("error")));
		await expect.poll(() => demo.call(({ shown }) => shown?.kind)).toBe(undefined);
		await expect.poll(() => demo.call(({ workers }) => workers.length)).toBe(2);
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
	});

	test("returns after the server restarts, and suggestions continue", async () => {
		const demo = await stage.open({ agent: "server" });
		await openAndRename(demo);
		await stage.server.restart();
		await expect.poll(() => demo.call(({ notices }) => notices.length)).toBeGreaterThan(0);
		await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
		await ignoreFailedAttempts();
	});

	test.for([
		[
			"the server is not running",
			{ address: "ws://127.0.0.1:47999/acp" },
			"No agent answers at ws://127.0.0.1:47999/acp. Start one with `segue serve`, and check the address, the token and `--allow-origin`.",
		],
		[
			"the worker's script is missing",
			{ worker: "missing.js" },
			"The agent's worker stopped or could not be loaded. Check the address of agent-worker.js.",
		],
	] as const)("names the next step if %s, and the editor stays usable", async ([, agent, message]) => {
		const demo = await stage.open({ agent });
		await demo.open(FILE);
		const sentences = () => demo.call(({ notices }) => notices.map(({ sentence }) => sentence));
		const sinceFailure = async () => (await sentences()).slice((await sentences()).indexOf(message));
		await expect.poll(sinceFailure).toEqual([message]);
		await demo.replace(0, 6, 9, "count");
		// The editor tries again, and the reason stays.
		await demo.press("Alt+\\");
		await expect.poll(sinceFailure).toEqual([message, message]);
		expect(await demo.text()).toContain("const count");
		await ignoreFailedAttempts();
	});

	test("shows the agent's error and the next step if it cannot start", async () => {
		const demo = await stage.open({ agent: { worker: BROKEN_AGENT } });
		await demo.open(FILE);
		const status = () => demo.page.locator("#status").textContent();
		await expect.poll(status).toMatch(/^Initialize failed: .*no memory left\. Press Alt\+\\ to try again\.$/);
		await demo.type("x");
		expect(await demo.text()).toContain("x");
	});

	test("names the next step if the server refuses the page, because it comes from another origin", async () => {
		const address = `${stage.server.origin.replace("http", "ws")}/acp`;
		const demo = await stage.open({ agent: { address } });
		const sentences = () => demo.call(({ notices }) => notices.map(({ sentence }) => sentence).join("\n"));
		await expect.poll(sentences).toContain(`No agent answers at ${address}.`);
		await ignoreFailedAttempts();
	});

	/** Closes the pages, and ignores the failed attempts to connect that the browser has logged. */
	async function ignoreFailedAttempts(): Promise<void> {
		await stage.browser.leave();
		stage.browser.complaints.splice(0);
	}
});

async function openAndRename(demo: DemoPage): Promise<void> {
	await demo.open(FILE);
	await demo.replace(0, 6, 9, "count");
	await expect.poll(async () => (await demo.look()).added).toEqual(["count"]);
}
