import * as acp from "@segue/protocol/acp";
import { on, TraceError } from "@segue/rpc";
import { connectPeers } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { MessageTrace } from "./message-trace.js";

/** A trace whose time and pictures are the test's. */
class Stand {
	nowMs = 1_000_000;
	private readonly waiting: (() => void)[] = [];
	readonly trace = new MessageTrace(
		() => this.nowMs,
		(run) => this.waiting.push(run),
	);

	/** Draws the next picture; gives how often something was to be done for it. */
	draw(): number {
		const runs = this.waiting.splice(0);
		for (const run of runs) run();
		return runs.length;
	}

	get texts(): readonly string[] {
		return this.trace.records.value.map(({ text }) => text);
	}
}

const HEAD = '{"trace":"segue","version":1,"startedAt":"2026-01-01T00:00:00.000Z"}\n';
const line = (n: number) => `{"atMs":${n},"from":"client","message":{"n":${n}}}\n`;

test("a trace hears both directions of a connection, in order and with the time since it began", async () => {
	const stand = new Stand();
	const { client } = connectPeers([on(acp.nesClose, () => ({}))]);
	stand.trace.listen(client);
	stand.nowMs += 7;
	await client.request(acp.nesClose, { sessionId: "s" });
	stand.draw();
	expect(stand.trace.records.value.map(({ atMs, from, text }) => [atMs, from, JSON.parse(text).method])).toEqual([
		[7, "client", "nes/close"],
		[7, "agent", undefined],
	]);
});

test("many messages cost one picture", () => {
	const stand = new Stand();
	stand.trace.addLines(HEAD + line(1) + line(2) + line(3));
	expect(stand.texts).toEqual([]);
	expect(stand.draw()).toBe(1);
	expect(stand.texts).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
});

test("lines of a trace that is being written are added, and a head begins another", () => {
	const stand = new Stand();
	stand.trace.addLines(HEAD + line(1));
	stand.trace.addLines(line(2));
	stand.draw();
	expect(stand.texts).toEqual(['{"n":1}', '{"n":2}']);
	stand.trace.addLines(HEAD + line(3));
	stand.draw();
	expect(stand.texts).toEqual(['{"n":3}']);
});

test("of more than twenty thousand messages, the last are kept", () => {
	const stand = new Stand();
	stand.trace.addLines(HEAD + Array.from({ length: 20_001 }, (_, i) => line(i)).join(""));
	stand.draw();
	expect(stand.texts.length).toBe(20_000);
	expect(stand.texts[0]).toBe('{"n":1}');
});

test("what is saved can be loaded, with secrets masked", () => {
	const stand = new Stand();
	const secret = { atMs: 1, from: "client", message: { method: "a", params: { apiKey: "sk-ant-REDACTED" } } };
	stand.trace.addLines(`${HEAD}${line(1)}${JSON.stringify(secret)}\n`);
	stand.draw();
	const saved = stand.trace.write();
	expect(saved).not.toContain("REDACTED");
	const other = new Stand();
	other.trace.load("a.jsonl", saved);
	expect(other.texts[0]).toBe('{"n":1}');
	expect(other.texts.length).toBe(2);
});

test("a loaded file stands in for what happens, which is there again when it is unloaded", () => {
	const stand = new Stand();
	stand.trace.addLines(HEAD + line(1));
	stand.draw();
	stand.trace.load("a.jsonl", HEAD + line(8));
	stand.trace.addLines(line(2));
	stand.draw();
	expect([stand.trace.file.value, stand.texts]).toEqual(["a.jsonl", ['{"n":8}']]);
	stand.trace.unload();
	expect([stand.trace.file.value, stand.texts]).toEqual([undefined, ['{"n":1}', '{"n":2}']]);
});

test("a file that is no trace is refused, and what was shown stays", () => {
	const stand = new Stand();
	stand.trace.addLines(HEAD + line(1));
	stand.draw();
	expect(() => stand.trace.load("a.txt", "hello")).toThrow(TraceError);
	expect([stand.trace.file.value, stand.texts]).toEqual([undefined, ['{"n":1}']]);
});

test("what was cleared is gone, and time begins anew", () => {
	const stand = new Stand();
	const { client } = connectPeers([]);
	stand.trace.listen(client);
	client.notify(acp.nesReject, { sessionId: "s", id: "1" });
	stand.draw();
	expect(stand.texts.length).toBe(1);
	stand.nowMs += 1000;
	stand.trace.clear();
	expect(stand.texts).toEqual([]);
	expect(JSON.parse(stand.trace.write())).toMatchObject({ startedAt: new Date(stand.nowMs).toISOString() });
});

const OTHER = '{"trace":"segue","version":1,"startedAt":"2025-05-05T05:05:05.000Z","command":["agent","--quiet"]}\n';

test.each<[string, (trace: MessageTrace) => void]>([
	["is written elsewhere", (trace) => trace.addLines(OTHER + line(1))],
	[
		"is written elsewhere and was cleared",
		(trace) => {
			trace.addLines(OTHER + line(8));
			trace.clear();
			trace.addLines(line(1));
		},
	],
	[
		"is in a file",
		(trace) => {
			trace.addLines(HEAD + line(8));
			trace.load("a.jsonl", OTHER + line(1));
		},
	],
])("what %s is saved with the time that it began and the command that was started", (_, take) => {
	const stand = new Stand();
	take(stand.trace);
	stand.draw();
	expect(stand.trace.write()).toBe(OTHER + line(1));
});

test("a file that does not say when it began is saved all the same", () => {
	const stand = new Stand();
	stand.trace.load("a.jsonl", '{"trace":"segue","version":1}\n');
	expect(JSON.parse(stand.trace.write())).toMatchObject({ startedAt: new Date(stand.nowMs).toISOString() });
});
