import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { CLIENT_INFO, serverAgent, workerAgent } from "./agent.js";

afterEach(() => void vi.unstubAllGlobals());

/** A worker whose script answers each start at once, or never loads. */
class FakeWorker extends EventTarget {
	readonly started: { id: number; version: string; sync: string }[] = [];
	isTerminated = false;

	constructor(private readonly isMissing = false) {
		super();
	}

	postMessage(message: { id: number; version: string; sync: string; port: MessagePort }): void {
		const { port, ...rest } = message;
		port.close();
		this.started.push(rest);
		if (this.isMissing) this.dispatchEvent(new Event("error"));
		else this.dispatchEvent(new MessageEvent("message", { data: rest.id }));
	}

	terminate(): void {
		this.isTerminated = true;
	}
}

function workersOf(...workers: FakeWorker[]) {
	const left = [...workers];
	return () => left.shift() as unknown as Worker;
}

test("sends its own version", () => {
	const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
	expect(CLIENT_INFO.version).toBe(version);
});

test("uses one worker for several connections", async () => {
	const worker = new FakeWorker();
	const connect = workerAgent(workersOf(worker), { start: () => ({ sync: "full" }) });
	await connect();
	await connect();
	expect(worker.started).toEqual([
		{ id: 1, version: CLIENT_INFO.version, sync: "full" },
		{ id: 2, version: CLIENT_INFO.version, sync: "full" },
	]);
});

test("starts another worker after one could not be loaded", async () => {
	const [missing, present] = [new FakeWorker(true), new FakeWorker()];
	const lost = vi.fn();
	const connect = workerAgent(workersOf(missing, present), { lost });
	await expect(connect()).rejects.toThrow("Check the address of agent-worker.js.");
	expect([lost.mock.calls.length, missing.isTerminated]).toEqual([1, true]);
	await connect();
	expect(present.started).toHaveLength(1);
});

test("passes the token as a subprotocol, and names the next step if there is no server", async () => {
	const opened: unknown[] = [];
	vi.stubGlobal(
		"WebSocket",
		class extends EventTarget {
			constructor(...given: unknown[]) {
				super();
				opened.push(given);
				queueMicrotask(() => this.dispatchEvent(new Event("close")));
			}
		},
	);
	await expect(serverAgent("ws://127.0.0.1:4747/acp", "secret")()).rejects.toThrow("Start one with `segue serve`");
	expect(opened).toEqual([["ws://127.0.0.1:4747/acp", ["segue.acp", "segue.token.secret"]]]);
});
