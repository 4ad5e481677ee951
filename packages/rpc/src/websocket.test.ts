import { acpDialect, settled } from "@segue/testing/peers";
import { expect, test } from "vitest";
import * as z from "zod";
import { Connection } from "./connection.js";
import { notification } from "./method.js";
import { overWebSocket, type Socket } from "./websocket.js";

const flood = notification({ method: "flood", from: "agent", params: z.object({}) });

/** A socket whose events a test makes itself. Real ones are in node/streams.test.ts. */
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

	emit(type: string): void {
		for (const listener of this.listeners.get(type) ?? []) listener({ data: undefined });
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

test("a WebSocket that nobody reads is dropped at the bound, by the quickest way it has", async () => {
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

test("a connection over a WebSocket that the other side closed is over at once", async () => {
	const socket = new FakeSocket();
	const agent = connect(socket);
	socket.emit("close");
	await settled();
	expect(await Promise.race([agent.closed, "waits"])).toMatchObject({ by: "other" });
});

test("a connection over a WebSocket is over when the socket is closed", async () => {
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
