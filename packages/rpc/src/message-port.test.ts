import { acpDialect } from "@segue/testing/rpc/peers";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { Channel } from "./channel.js";
import { Connection } from "./connection.js";
import { overMessagePort } from "./message-port.js";
import { on, request } from "./method.js";

const echo = request({
	method: "echo",
	from: "client",
	params: z.object({ text: z.string() }),
	result: z.object({ text: z.string() }),
});

/** Both ends of a message channel. The test reads the second directly. */
function pair() {
	const { port1, port2 } = new MessageChannel();
	onTestFinished(() => port2.close());
	return { channel: overMessagePort(port1), port: port2 };
}

function opened(channel: Channel) {
	const events: string[] = [];
	const seen = new Promise<void>((resolve) => {
		channel.open(
			{
				message: (text) => events.push(text),
				unreadable: ({ message }) => events.push(message),
				closed: (reason) => {
					events.push(reason);
					resolve();
				},
			},
			10,
		);
	});
	return { events, seen };
}

test("two connections over a message port communicate until one closes", async () => {
	const { port1, port2 } = new MessageChannel();
	const agent = new Connection<"agent">(overMessagePort(port1), {
		dialect: acpDialect,
		handlers: [on(echo, ({ text }) => ({ text }))],
		report: () => {},
	});
	const client = new Connection<"client">(overMessagePort(port2), {
		dialect: acpDialect,
		handlers: [],
		report: () => {},
	});
	expect(await client.request(echo, { text: "hé" })).toEqual({ text: "hé" });
	client.close();
	expect(await agent.closed).toMatchObject({ reason: "the other side closed the connection" });
});

test("an oversized message is answered, and data that is not text is ignored", async () => {
	const { channel, port } = pair();
	const { events, seen } = opened(channel);
	for (const data of ["one", "x".repeat(11), { a: 1 }, "two", null]) port.postMessage(data);
	await seen;
	expect(events).toEqual([
		"one",
		expect.stringMatching(/too large|larger|10/),
		"two",
		"the other side closed the connection",
	]);
});

test("unread messages count as unwritten output", async () => {
	const { channel, port } = pair();
	const { seen } = opened(channel);
	channel.send("12345");
	channel.send("678");
	expect(channel.unwrittenBytes).toBe(8);
	port.postMessage(5);
	port.postMessage(null);
	await seen;
	expect(channel.unwrittenBytes).toBe(3);
});
