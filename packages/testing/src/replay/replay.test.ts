import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Home } from "../process/home.js";
import { type CapturedLine, type CapturedMessage, readCapture } from "./capture.js";
import { ConversationState } from "./conversation-state.js";
import { replayCapture } from "./replay.js";

const SEGUE = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");
// Reached only if the server hangs.
const STEP_MS = 60_000;

const recorded = readFileSync(new URL("./capture.jsonl", import.meta.url), "utf8");

describe("a recorded session", () => {
	test("is split wherever the server was started", () => {
		const runs = readCapture(recorded);
		expect(runs.map(({ args }) => args.join(" "))).toEqual(["server --log-level debug", "server"]);
		expect(runs[0]?.messages[0]).toMatchObject({ line: 2, from: "editor", message: { method: "initialize" } });
	});

	test("may contain blank lines and no recorded start", () => {
		const runs = readCapture('\n{"dir":"s->c","msg":{"method":"a"}}\n\n');
		expect(runs).toEqual([{ args: [], messages: [{ line: 2, from: "server", message: { method: "a" } }] }]);
	});

	test.each(["{", "5", '{"dir":"up","msg":{}}', '{"dir":"c->s"}', '{"dir":"c->s","msg":5}'])(
		"is rejected with the number of an invalid line: %s",
		(line) => {
			expect(() => readCapture(`{"dir":"meta","msg":1}\n${line}`)).toThrow(/^Line 2 /);
		},
	);

	test.each(readCapture(recorded).map((run, index) => [index + 1, run] as const))(
		"is completed by segue eca: start %i",
		async (_start, run) => {
			const sent = run.messages.filter(({ from, message }) => from === "editor" && message.method !== undefined);
			expect(await replayCapture(run, SEGUE, STEP_MS)).toEqual({ served: true, sent: sent.length, notes: [] });
		},
		2 * STEP_MS,
	);
});

/** Replays one request against a server process that runs `program` whenever it receives input. */
async function replayAgainst(program: string, stepMs = STEP_MS, id = 1) {
	using home = new Home();
	const server = home.write(
		"server.mjs",
		`const send = (message) => {
			const body = JSON.stringify({ jsonrpc: "2.0", ...message });
			process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body);
		};
		process.stdin.on("data", () => { ${program} });`,
	);
	const message: CapturedMessage = { id, method: "chat/list", params: null };
	const messages: CapturedLine[] = [
		{ line: 1, from: "editor", message },
		{ line: 2, from: "server", message: { id, result: { chats: [] } } },
	];
	return await replayCapture({ args: [], messages }, server, stepMs);
}

describe("replaying a session", () => {
	test("fails if the server never answers", async () => {
		expect(await replayAgainst("", 1)).toEqual({
			served: false,
			line: 2,
			why: "waited 1 ms for the answer to chat/list",
		});
	});

	test.each([
		[
			"refuses the request",
			"send({ id: 1, error: { code: -32601, message: 'no' } })",
			/^chat\/list failed with .*-32601/,
		],
		["sends an invalid result", "send({ id: 1, result: { chats: 5 } })", /^chat\/list is not valid/],
		["sends an unknown notification", "send({ method: 'chat/x', params: {} })", /^chat\/x is not part of the protocol/],
		["exits", "process.exit(0)", /^the other side closed the connection, while waiting for the answer to chat\/list/],
		["writes a log line to standard output", "console.log('hello\\n')", /^the server sent an unreadable message/],
		["exits with an error", "send({ id: 1, result: { chats: [] } }); process.exitCode = 3", /exited with code 3/],
		["writes to standard error", "console.error('No disk.'); process.exit(1)", /Server log:\nNo disk\.$/],
	])("fails if the server %s", async (_what, program, why) => {
		expect(await replayAgainst(program)).toMatchObject({ served: false, why: expect.stringMatching(why) });
	});

	test("succeeds if the server answers every request", async () => {
		expect(await replayAgainst("send({ id: 1, result: { chats: [] } })")).toEqual({ served: true, sent: 1, notes: [] });
		expect(await replayAgainst("send({ id: 0, result: { chats: [] } })", STEP_MS, 0)).toMatchObject({ served: true });
	});
});

describe("the state of a session", () => {
	const received = (content: object, more: object = {}): CapturedMessage => ({
		method: "chat/contentReceived",
		params: { chatId: "c", content, ...more },
	});
	const run = received({ type: "toolCallRun", id: "t", manualApproval: true });
	const prompt: CapturedMessage = { id: 1, method: "chat/prompt", params: { chatId: "c", message: "a" } };
	const nameless: CapturedMessage = { id: 1, method: "chat/prompt", params: { message: "a" } };
	const named: CapturedMessage = { id: 1, result: { chatId: "c" } };
	const stop: CapturedMessage = { method: "chat/promptStop", params: { chatId: "c" } };

	test.each<[string, readonly (readonly [CapturedLine["from"], CapturedMessage])[], boolean, number]>([
		["opens a turn with a prompt", [["editor", prompt]], true, 0],
		[
			"opens a turn with the chat id from the server",
			[
				["editor", nameless],
				["server", named],
			],
			true,
			0,
		],
		[
			"opens a turn with content before the chat id",
			[
				["editor", nameless],
				["server", received({ type: "text" })],
				["server", named],
			],
			true,
			0,
		],
		[
			"has a pending call",
			[
				["editor", prompt],
				["server", run],
			],
			true,
			1,
		],
		[
			"has no pending call after an approval",
			[
				["editor", prompt],
				["server", run],
				["editor", { method: "chat/toolCallApprove", params: { chatId: "c", toolCallId: "t" } }],
			],
			true,
			0,
		],
		[
			"has no pending call after a rejection",
			[
				["editor", prompt],
				["server", run],
				["server", received({ type: "toolCallRejected", id: "t" })],
			],
			true,
			0,
		],
		[
			"has no pending call after a stop",
			[
				["editor", prompt],
				["server", run],
				["editor", stop],
			],
			true,
			0,
		],
		[
			"ends a turn when its progress is finished",
			[
				["editor", prompt],
				["server", run],
				["server", received({ type: "progress", state: "finished" })],
			],
			false,
			0,
		],
		[
			"ends a turn of the 2025-06 protocol",
			[
				["editor", prompt],
				["server", received({ type: "text" }, { isComplete: true })],
			],
			false,
			0,
		],
	])("%s", (_title, messages, isOpen, waiting) => {
		const state = new ConversationState();
		for (const [from, message] of messages) state.take(from, message);
		expect(state.chat("c").isOpen).toBe(isOpen);
		expect(state.chat("c").waiting).toHaveLength(waiting);
	});
});
