import { acpDialect, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import * as z from "zod";
import { Connection } from "./connection.js";
import { notification, on, request } from "./method.js";
import { overWebSocket, type Socket } from "./websocket.js";

const flood = notification({ method: "flood", from: "agent", params: z.object({}) });

/** A socket whose events are emitted by the test. node/streams.test.ts uses real sockets. */
class FakeSocket implements Socket {
	bufferedAmount = 0;
	readonly calls: string[] = [];
	private readonly listeners = new Map<string, ((event: { data: unknown }) => void)[]>();

	send(): void {
		this.calls.push("send");
	}

	close(): void {
		this.calls.push("close");
	}

	addEventListener(type: string, listener: (event: { data: unknown }) => void): void {
		this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
	}

	emit(type: string, data?: unknown): void {
		for (const listener of this.listeners.get(type) ?? []) listener({ data });
	}
}

/** A pausable socket like those in `ws`: once paused, it emits the rest of a chunk and then nothing. */
class PausableSocket extends FakeSocket {
	isPaused = false;
	readonly sent: string[] = [];

	override send(text = ""): void {
		this.sent.push(text);
	}

	pause(): void {
		this.isPaused = true;
	}

	resume(): void {
		this.isPaused = false;
	}
}

function connect(socket: Socket) {
	const limits = { unwrittenBytesMax: 1000 };
	return new Connection<"agent">(overWebSocket(socket), {
		dialect: acpDialect,
		handlers: [],
		report: () => {},
		limits,
	});
}

test("a WebSocket that fails closes the connection with the reason", async () => {
	const socket = new FakeSocket();
	const agent = connect(socket);
	socket.emit("error");
	socket.emit("close");
	expect(await agent.closed).toEqual({ by: "other", reason: "the WebSocket failed" });
});

test("a WebSocket without a reader is dropped at the limit, in the fastest available way", async () => {
	const browser = new FakeSocket();
	const node = Object.assign(new FakeSocket(), { terminate: () => node.calls.push("terminate") });
	for (const socket of [browser, node]) {
		const agent = connect(socket);
		agent.notify(flood, {});
		socket.bufferedAmount = 1001;
		agent.notify(flood, {});
		expect(await agent.closed).toMatchObject({ by: "failure" });
	}
	expect(browser.calls).toEqual(["send", "close"]);
	expect(node.calls).toEqual(["send", "terminate"]);
});

test("a connection closes immediately when the peer closes the WebSocket", async () => {
	const socket = new FakeSocket();
	const agent = connect(socket);
	socket.emit("close");
	await settled();
	expect(await Promise.race([agent.closed, "waits"])).toMatchObject({ by: "other" });
});

test("a connection resolves `closed` when the WebSocket has closed", async () => {
	const socket = new FakeSocket();
	const agent = connect(socket);
	let isOver = false;
	agent.closed.then(
		() => {
			isOver = true;
		},
		() => {},
	);
	agent.close();
	await settled();
	expect(isOver).toBe(false);
	socket.emit("close");
	await settled();
	expect(isOver).toBe(true);
});

test.each([
	["synchronously", false],
	["in separate turns", true],
])(
	"a WebSocket is paused while output is unread and resumed when the peer reads; messages are handled %s",
	async (_, inTurns) => {
		const socket = new PausableSocket();
		const turns: (() => void)[] = [];
		let looks: (() => void)[] = [];
		const run = () => {
			while (turns.length > 0) turns.shift()?.();
		};
		const channel = overWebSocket(socket, inTurns ? (turn) => void turns.push(turn) : undefined);
		const echo = request({ method: "echo", from: "client", params: z.object({}), result: z.number() });
		new Connection<"agent">(channel, {
			dialect: acpDialect,
			handlers: [on(echo, () => 1)],
			report: () => {},
			limits: { drainedBytesMax: 200, heldMax: 3, unwrittenBytesMax: 100_000 },
			after: (_delayMs, look) => {
				looks.push(look);
				return () => {};
			},
		});
		const ask = (id: number) => socket.emit("message", `{"jsonrpc":"2.0","id":${id},"method":"echo","params":{}}`);
		socket.bufferedAmount = 1000;
		let count = 0;
		while (!socket.isPaused && count < 40) {
			ask(count++);
			run();
		}
		expect([count, socket.isPaused, socket.sent]).toEqual([3, true, []]);
		// The rest of the chunk being decoded still arrives and waits.
		for (const end = count + 5; count < end; count++) ask(count);
		run();
		expect([socket.isPaused, socket.sent]).toEqual([true, []]);
		socket.bufferedAmount = 0;
		for (let i = 0; i < 10; i++) {
			const due = looks;
			looks = [];
			for (const look of due) look();
			run();
			await settled();
		}
		expect(socket.isPaused).toBe(false);
		expect(socket.sent.map((text) => JSON.parse(text).id)).toEqual(Array.from({ length: count }, (_, id) => id));
	},
);
