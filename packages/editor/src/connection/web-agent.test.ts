import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EDITOR_VERSION, serverAgent, workerAgent } from "./web-agent.js";

afterEach(() => void vi.unstubAllGlobals());

test("is sent with the package's version", () => {
	const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
	expect(EDITOR_VERSION).toBe(version);
});

/** A worker whose script answers each start at once, or never loads. */
class FakeWorker extends EventTarget {
	readonly started: Record<string, unknown>[] = [];
	isTerminated = false;

	constructor(private readonly isMissing = false) {
		super();
	}

	postMessage(message: { id: number; port: MessagePort }): void {
		const { port, id, ...rest } = message;
		port.close();
		this.started.push(rest);
		if (this.isMissing) this.stop();
		else this.dispatchEvent(new MessageEvent("message", { data: id }));
	}

	stop(): void {
		this.dispatchEvent(new Event("error"));
	}

	terminate(): void {
		this.isTerminated = true;
	}
}

function workersOf(...workers: FakeWorker[]) {
	const left = [...workers];
	return () => left.shift() as unknown as Worker;
}

describe("an agent in a worker", () => {
	test("has a worker for each connection, which ends with it", async () => {
		const [first, second] = [new FakeWorker(), new FakeWorker()];
		const connect = workerAgent(workersOf(first, second), { start: () => ({ sync: "full" }) });
		(await connect()).drop();
		await connect();
		expect([first.isTerminated, second.isTerminated]).toEqual([true, false]);
		for (const { started } of [first, second]) expect(started).toEqual([{ version: EDITOR_VERSION, sync: "full" }]);
	});

	test("is started again after its worker could not be loaded", async () => {
		const [missing, present] = [new FakeWorker(true), new FakeWorker()];
		const lost = vi.fn();
		const connect = workerAgent(workersOf(missing, present), { lost });
		await expect(connect()).rejects.toThrow("Check the address of agent-worker.js.");
		expect([lost.mock.calls.length, missing.isTerminated]).toEqual([1, true]);
		await connect();
		expect(present.started).toHaveLength(1);
	});

	test("closes the connection when its worker stops", async () => {
		const worker = new FakeWorker();
		const lost = vi.fn();
		const channel = await workerAgent(workersOf(worker), { lost })();
		const closed = vi.fn();
		channel.open({ message: () => {}, unreadable: () => {}, closed }, 1000);
		worker.stop();
		expect([closed.mock.calls.length, lost.mock.calls.length, worker.isTerminated]).toEqual([1, 1, true]);
	});
});

test("an agent on a server gets the token as a subprotocol, and the user the next step if there is no server", async () => {
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

test("ignores white space around the token, and keeps an invalid token out of the message", async () => {
	const protocols: unknown[] = [];
	vi.stubGlobal(
		"WebSocket",
		class extends EventTarget {
			constructor(_address: string, [, token]: string[]) {
				super();
				if (token?.includes(" ")) throw new SyntaxError(`The subprotocol '${token}' is invalid.`);
				protocols.push(token);
				queueMicrotask(() => this.dispatchEvent(new Event("open")));
			}
		},
	);
	await serverAgent("ws://127.0.0.1:4747/acp", "secret\n")();
	expect(protocols).toEqual(["segue.token.secret"]);
	const message = "Cannot connect to ws://127.0.0.1:4747/acp. Check the address, and that the token contains only";
	await expect(serverAgent("ws://127.0.0.1:4747/acp", "my secret")()).rejects.toThrow(message);
	await expect(serverAgent("ws://127.0.0.1:4747/acp", "my secret")()).rejects.not.toThrow("my secret");
});
