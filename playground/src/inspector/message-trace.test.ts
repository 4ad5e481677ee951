import * as acp from "@segue/protocol/acp";
import { on } from "@segue/rpc";
import { TraceError } from "@segue/rpc/trace";
import { connectPeers } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { MessageTrace } from "./message-trace.js";
import { loadTraceFile, TraceFollower, writeTraceFile } from "./trace-file.js";

/** A trace with the test's clock and frames. */
class Stand {
	nowMs = 1_000_000;
	private readonly waiting: (() => void)[] = [];
	readonly trace = new MessageTrace(
		() => this.nowMs,
		(run) => this.waiting.push(run),
	);
	readonly follower = new TraceFollower(this.trace);

	/** Runs the callbacks for the next frame. Returns how many there were. */
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

test("records both directions of a connection, in order and with times since the start", async () => {
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

test("draws many messages once per frame", () => {
	const stand = new Stand();
	stand.follower.add(HEAD + line(1) + line(2) + line(3));
	expect(stand.texts).toEqual([]);
	expect(stand.draw()).toBe(1);
	expect(stand.texts).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
});

test("adds lines from a trace that is being written, and starts over at a header", () => {
	const stand = new Stand();
	stand.follower.add(HEAD + line(1));
	stand.follower.add(line(2));
	stand.draw();
	expect(stand.texts).toEqual(['{"n":1}', '{"n":2}']);
	stand.follower.add(HEAD + line(3));
	stand.draw();
	expect(stand.texts).toEqual(['{"n":3}']);
});

test("keeps the last twenty thousand messages", () => {
	const stand = new Stand();
	stand.follower.add(HEAD + Array.from({ length: 20_001 }, (_, i) => line(i)).join(""));
	stand.draw();
	expect(stand.texts.length).toBe(20_000);
	expect(stand.texts[0]).toBe('{"n":1}');
});

test("loads what it saved, with secrets masked", () => {
	const stand = new Stand();
	const secret = { atMs: 1, from: "client", message: { method: "a", params: { apiKey: "sk-ant-REDACTED" } } };
	stand.follower.add(`${HEAD}${line(1)}${JSON.stringify(secret)}\n`);
	stand.draw();
	const saved = writeTraceFile(stand.trace);
	expect(saved).not.toContain("REDACTED");
	const other = new Stand();
	loadTraceFile(other.trace, "a.jsonl", saved);
	expect(other.texts[0]).toBe('{"n":1}');
	expect(other.texts.length).toBe(2);
});

test("shows a loaded file in place of live messages until it is unloaded", () => {
	const stand = new Stand();
	stand.follower.add(HEAD + line(1));
	stand.draw();
	loadTraceFile(stand.trace, "a.jsonl", HEAD + line(8));
	stand.follower.add(line(2));
	stand.draw();
	expect([stand.trace.file.value, stand.texts]).toEqual(["a.jsonl", ['{"n":8}']]);
	stand.trace.unload();
	expect([stand.trace.file.value, stand.texts]).toEqual([undefined, ['{"n":1}', '{"n":2}']]);
});

test("rejects a file that is not a trace, and keeps showing the current messages", () => {
	const stand = new Stand();
	stand.follower.add(HEAD + line(1));
	stand.draw();
	expect(() => loadTraceFile(stand.trace, "a.txt", "hello")).toThrow(TraceError);
	expect([stand.trace.file.value, stand.texts]).toEqual([undefined, ['{"n":1}']]);
});

test("drops cleared messages and restarts the clock", () => {
	const stand = new Stand();
	const { client } = connectPeers([]);
	stand.trace.listen(client);
	client.notify(acp.nesReject, { sessionId: "s", id: "1" });
	stand.draw();
	expect(stand.texts.length).toBe(1);
	stand.nowMs += 1000;
	stand.trace.clear();
	expect(stand.texts).toEqual([]);
	expect(JSON.parse(writeTraceFile(stand.trace))).toMatchObject({ startedAt: new Date(stand.nowMs).toISOString() });
});

const OTHER = '{"trace":"segue","version":1,"startedAt":"2025-05-05T05:05:05.000Z","command":["agent","--quiet"]}\n';

test.each<[string, (stand: Stand) => void]>([
	["a trace from segue inspect", ({ follower }) => follower.add(OTHER + line(1))],
	[
		"a cleared trace from segue inspect",
		({ trace, follower }) => {
			follower.add(OTHER + line(8));
			trace.clear();
			follower.add(line(1));
		},
	],
	[
		"a loaded file",
		({ trace, follower }) => {
			follower.add(HEAD + line(8));
			loadTraceFile(trace, "a.jsonl", OTHER + line(1));
		},
	],
])("saves %s with its start time and command", (_, take) => {
	const stand = new Stand();
	take(stand);
	stand.draw();
	expect(writeTraceFile(stand.trace)).toBe(OTHER + line(1));
});

test("saves a loaded file without a start time", () => {
	const stand = new Stand();
	loadTraceFile(stand.trace, "a.jsonl", '{"trace":"segue","version":1}\n');
	expect(JSON.parse(writeTraceFile(stand.trace))).toMatchObject({ startedAt: new Date(stand.nowMs).toISOString() });
});
