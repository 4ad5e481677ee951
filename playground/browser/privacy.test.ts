import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inBrowser } from "@segue/testing/playground/play-fixture";
import type { PlayPage } from "@segue/testing/playground/play-page";
import { expect, test } from "vitest";

inBrowser("the privacy of the playground", (stage) => {
	test("the browser's storage contains neither the token nor text from saved files", async () => {
		stage.server.home.write("project/plan.ts", "const wistful = 1\nlog(wistful)\n");
		const play = await stage.open();
		await play.openPanel("Settings");
		await play.page.getByLabel("Eagerness").selectOption("high");
		await play.openFolder(stage.server.home.project, "plan.ts");
		await play.goToEndOf(1);
		await play.type(" // gossamer");
		await play.press("Control+s");
		await play.page.getByTitle("not saved").waitFor({ state: "detached" });
		await play.openPanel("Chat");
		await play.page.getByLabel("Message to the agent").fill("/help");
		await play.press("Enter");
		await play.page.getByRole("log").getByText("/help").first().waitFor();

		await play.page.reload();
		await play.ready();
		const kept = await storageOf(play);
		expect(kept).toContain("high");
		for (const secret of [stage.server.token, "wistful", "gossamer"]) expect(kept).not.toContain(secret);
		// Names of open files are stored only for the browser tab.
		const lasting = await play.page.evaluate(() => JSON.stringify({ ...localStorage }));
		expect(lasting).not.toContain("plan.ts");
	});

	test("a page from another origin can neither connect nor read, even with the token", async () => {
		const elsewhere = createServer((_request, response) => {
			response.setHeader("content-type", "text/html");
			response.end("<!doctype html><title>Another origin</title><link rel=icon href='data:,'>");
		});
		elsewhere.listen(0, "127.0.0.1");
		await once(elsewhere, "listening");
		const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
		const page = await stage.browser.visit(address);
		const { origin, token, home } = stage.server;
		const outcomes = await page.evaluate(tryEverything, { origin, token, folder: home.project });
		elsewhere.close();
		elsewhere.closeAllConnections();
		const { folderAsAForm, ...others } = outcomes;
		for (const [attempt, outcome] of Object.entries(others)) expect([attempt, outcome]).toEqual([attempt, "refused"]);
		expect(folderAsAForm).toBe("unreadable");
		expect(stage.server.log).toContain(`refused GET /acp from ${address}: 403`);
		expect(stage.server.log).toContain(`refused POST /folder from ${address}: 403`);
		// The browser reports each blocked attempt.
		expect(stage.browser.complaints.splice(0).length).toBeGreaterThan(0);
	});

	test("a page without the token does not connect", async () => {
		const before = countRefused(stage.server.log);
		const page = await stage.browser.visit(`${stage.server.origin}/`);
		await expect.poll(() => stage.server.log).toContain("refused GET /acp from");
		await expect.poll(() => stage.server.log).toContain("401");
		// The page explains what to do, and does not retry.
		await page.getByRole("alert").getByText("This address needs a token").waitFor();
		expect(await page.getByText("Connected", { exact: true }).count()).toBe(0);
		// The browser reports each refused request, some of them late.
		const refused = () => countRefused(stage.server.log) - before;
		await expect.poll(() => stage.browser.complaints.length - refused()).toBe(0);
		const complaints = stage.browser.complaints.splice(0);
		for (const complaint of complaints) expect(complaint).toMatch(/401|WebSocket connection to/);
	});
});

function countRefused(log: string): number {
	return log.match(/refused .*: 401/g)?.length ?? 0;
}

/** Returns everything in the browser's storage for the page, as one string. */
async function storageOf({ page }: PlayPage): Promise<string> {
	const state = await page.context().storageState({ indexedDB: true });
	const rest = await page.evaluate(async () => {
		const cached = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
		return {
			session: { ...sessionStorage },
			local: { ...localStorage },
			cookie: document.cookie,
			cached: cached.flat().map(({ url }) => url),
			databases: await indexedDB.databases(),
			workers: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
		};
	});
	return JSON.stringify({ state, rest });
}

/** Tries every kind of request. Runs on a page from another origin. */
async function tryEverything({ origin, token, folder }: { origin: string; token: string; folder: string }) {
	const socket = (protocols: string[]) =>
		new Promise<string>((resolve) => {
			const opened = new WebSocket(`${origin.replace("http", "ws")}/acp`, protocols);
			opened.onopen = () => resolve("opened");
			opened.onerror = () => resolve("refused");
		});
	const ask = (path: string, init: RequestInit = {}) =>
		fetch(origin + path, init).then(
			(response) => (response.type === "opaque" ? "unreadable" : "answered"),
			() => "refused",
		);
	const frame = () =>
		new Promise<string>((resolve) => {
			const shown = document.createElement("iframe");
			shown.src = `${origin}/#token=${token}`;
			shown.onload = () => resolve(shown.contentDocument === null ? "refused" : "read");
			document.body.append(shown);
		});
	const headers = { "x-segue-token": token };
	return {
		socketWithToken: await socket(["segue.acp", `segue.token.${token}`]),
		socketWithoutToken: await socket(["segue.acp"]),
		health: await ask("/healthz"),
		page: await ask("/"),
		folder: await ask("/folder", { method: "POST", headers, body: JSON.stringify({ path: folder }) }),
		folderAsAForm: await ask("/folder", { method: "POST", mode: "no-cors", body: JSON.stringify({ path: folder }) }),
		file: await ask(`/folder/file?folder=file://${folder}&path=plan.ts`, { headers }),
		script: await ask("/main.js", { mode: "no-cors" }),
		frame: await frame(),
	};
}
