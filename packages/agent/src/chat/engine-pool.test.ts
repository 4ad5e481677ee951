import { QuirkyAgents, quirkyLine } from "@segue/testing/agents/quirky-agent";
import { never } from "@segue/testing/chat/chat-fixture";
import { Home } from "@segue/testing/process/home";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { WAIT } from "@segue/testing/setup/tier";
import { expect, onTestFinished, test, vi } from "vitest";
import { EnginePool } from "./engine-pool.js";

/** The engine pool for a process with this home folder. */
function enginesFor(home: Home, agent?: string) {
	const notices: string[] = [];
	const notify = (notice: string) => notices.push(notice);
	const { start: startAgent } = new QuirkyAgents();
	const env = { SEGUE_HOME: home.home };
	const engines = new EnginePool({ env, folder: home.project, agent, notify, startAgent });
	onTestFinished(async () => {
		await engines.close();
		home[Symbol.dispose]();
	});
	return { engines, notices };
}

function modelNamed(name: string) {
	const local = { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { [name]: {} } };
	return { model: `local/${name}`, providers: { local } };
}

test("shares one engine per folder, closes it on the last release, and reads the configuration again for the next engine", async () => {
	const home = new Home({ "home/config.json": modelNamed("first") });
	const { engines } = enginesFor(home);
	const one = await engines.acquire(home.project);
	const two = await engines.acquire(home.project);
	expect(two.engine).toBe(one.engine);
	expect(one.engine.models.names).toEqual(["local/first"]);
	home.write("home/config.json", modelNamed("second"));
	one.release();
	one.release();
	const three = await engines.acquire(home.project);
	expect(three.engine).toBe(two.engine);
	expect(three.engine.models.names).toEqual(["local/second"]);
	home.write("home/config.json", modelNamed("third"));
	two.release();
	three.release();
	expect((await engines.acquire(home.project)).engine.models.names).toEqual(["local/third"]);
});

test("a model is available as soon as its key is stored, and stays available while a configuration file is being written", async () => {
	const home = new Home({ "home/config.json": { model: "anthropic/claude" } });
	const { engines } = enginesFor(home);
	const { models } = (await engines.acquire(home.project)).engine;
	expect(models.choose(undefined)).toMatchObject({ why: expect.stringMatching(/no key/) });
	home.write("home/credentials.json", { anthropic: "sk-ant-0123456789" });
	expect(models.choose(undefined)).toMatchObject({ name: "anthropic/claude" });
	home.write("home/config.json", "{");
	await engines.acquire(home.project);
	expect(models.choose(undefined)).toMatchObject({ name: "anthropic/claude" });
});

test("opens any number of folders one after another, and up to 64 at the same time", async () => {
	const { engines } = enginesFor(new Home());
	for (let i = 0; i < 70; i++) (await engines.acquire(`/folder/${i}`)).release();
	const held = await Promise.all(Array.from({ length: 64 }, (_, i) => engines.acquire(`/folder/${i}`)));
	await expect(engines.acquire("/one/more")).rejects.toMatchObject({ message: expect.stringMatching(/^Busy/) });
	held[0]?.release();
	await engines.acquire("/one/more");
});

test("opens a folder after its configuration has been fixed", async () => {
	const home = new Home({ "home/config.json": { model: 1 } });
	const { engines } = enginesFor(home);
	const both = await Promise.allSettled([engines.acquire(home.project), engines.acquire(home.project)]);
	expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	home.write("home/config.json", modelNamed("first"));
	expect((await engines.acquire(home.project)).engine.models.names).toEqual(["local/first"]);
});

test("sends each notice once, even if a folder is opened several times", async () => {
	const home = new Home({ "project/.segue.json": modelNamed("theirs") });
	const { engines, notices } = enginesFor(home);
	for (let i = 0; i < 3; i++) (await engines.acquire(home.project)).release();
	expect(notices).toEqual([expect.stringMatching(/trust/)]);
});

test("opens a folder's next engine only after the previous one has closed", async () => {
	const { engines } = enginesFor(new Home());
	const { engine, release } = await engines.acquire("/folder");
	const ending = deferred();
	const { close } = engine;
	Object.assign(engine, { close: () => ending.opened.then(close) });
	release();
	let isOpen = false;
	const next = engines.acquire("/folder").then((lease) => {
		isOpen = true;
		return lease;
	});
	// Other folders don't wait.
	await engines.acquire("/other");
	await settled();
	expect(isOpen).toBe(false);
	ending.open();
	expect((await next).engine).not.toBe(engine);
});

test("closes during a turn without waiting for the other agent to cancel it", async () => {
	const start = setTimeout;
	const delays: unknown[] = [];
	vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, delayMs: number) => {
		delays.push(delayMs);
		return start(delayMs === 10_000 ? () => {} : run, delayMs);
	}) as typeof setTimeout);
	onTestFinished(() => void vi.restoreAllMocks());
	const home = new Home();
	const { engines } = enginesFor(home, quirkyLine());
	const { engine } = await engines.acquire(home.project);
	const { id } = await engine.assist.create(home.project);
	const cancel = new AbortController();
	const client = { editor: {}, buffers: undefined, approve: never, update: () => {} };
	const turn = engine.prompt(id, [{ type: "text", text: "deaf" }], client, { signal: cancel.signal });
	await vi.waitFor(
		async () => expect(JSON.stringify(await engine.assist.entries(id))).toContain("Ignoring cancellation"),
		WAIT,
	);
	cancel.abort();
	await engines.close();
	expect(await turn).toBe("cancelled");
	expect(delays).toContain(10_000);
});
