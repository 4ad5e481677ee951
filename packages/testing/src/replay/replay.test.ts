import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Home } from "../process/home.js";
import { type CapturedLine, type CapturedMessage, readCapture } from "./capture.js";
import { ConversationState } from "./conversation-state.js";
import { replayCapture } from "./replay.js";

const SEGUE = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");
// Only a server that hangs is waited for so long.
const STEP_MS = 60_000;

const recorded = readFileSync(new URL("./capture.jsonl", import.meta.url), "utf8");

describe("a recorded conversation", () => {
	test("is read with each start of its server", () => {
		const runs = readCapture(recorded);
		expect(runs.map(({ args }) => args.join(" "))).toEqual(["server --log-level debug", "server"]);
		expect(runs[0]?.messages[0]).toMatchObject({ line: 2, from: "editor", message: { method: "initialize" } });
	});

	test("may begin without telling of a start, and has blank lines", () => {
		const runs = readCapture('\n{"dir":"s->c","msg":{"method":"a"}}\n\n');
		expect(runs).toEqual([{ args: [], messages: [{ line: 2, from: "server", message: { method: "a" } }] }]);
	});

	test.each(["{", "5", '{"dir":"up","msg":{}}', '{"dir":"c->s"}', '{"dir":"c->s","msg":5}'])(
		"is refused with the line that is none of it: %s",
		(line) => {
			expect(() => readCapture(`{"dir":"meta","msg":1}\n${line}`)).toThrow(/^Line 2 /);
		},
	);

	test.each(readCapture(recorded).map((run, index) => [index + 1, run] as const))(
		"is served to its end by segue eca: start %i",
		async (_start, run) => {
			const sent = run.messages.filter(({ from, message }) => from === "editor" && message.method !== undefined);
			expect(await replayCapture(run, SEGUE, STEP_MS)).toEqual({ served: true, sent: sent.length, notes: [] });
		},
		2 * STEP_MS,
	);
});

/** What a server of one request says, in a process, and what is made of that. */
async function against(program: string, stepMs = STEP_MS, id = 1) {
	using home = new Home();
	const server = home.write(
		"server.mjs",
		`const say = (message) => {
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

describe("a conversation stops, and says where and why", () => {
	test("for a server that never answers", async () => {
		expect(await against("", 1)).toEqual({
			served: false,
			line: 2,
			why: "waited 1 ms for the answer to chat/list",
		});
	});

	test.each([
		["refuses", "say({ id: 1, error: { code: -32601, message: 'no' } })", /^chat\/list was answered with .*-32601/],
		["answers in another form", "say({ id: 1, result: { chats: 5 } })", /^chat\/list is not as the protocol has it/],
		["tells of what nobody knows", "say({ method: 'chat/x', params: {} })", /^chat\/x is not in the protocol/],
		["ends", "process.exit(0)", /^the other side closed the connection, while waiting for the answer to chat\/list/],
		["writes its log into the conversation", "console.log('hello\\n')", /^the server wrote what is no message/],
		["leaves with an error", "say({ id: 1, result: { chats: [] } }); process.exitCode = 3", /ended with code 3/],
		["says in its log what is wrong", "console.error('No disk.'); process.exit(1)", /Its log:\nNo disk\.$/],
	])("for a server that %s", async (_what, program, why) => {
		expect(await against(program)).toMatchObject({ served: false, why: expect.stringMatching(why) });
	});

	test("unless it is a good one", async () => {
		expect(await against("say({ id: 1, result: { chats: [] } })")).toEqual({ served: true, sent: 1, notes: [] });
		expect(await against("say({ id: 0, result: { chats: [] } })", STEP_MS, 0)).toMatchObject({ served: true });
	});
});

describe("the state of a conversation", () => {
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
		["begins with a prompt", [["editor", prompt]], true, 0],
		[
			"begins with the name that the server gives it",
			[
				["editor", nameless],
				["server", named],
			],
			true,
			0,
		],
		[
			"begins with content before its name",
			[
				["editor", nameless],
				["server", received({ type: "text" })],
				["server", named],
			],
			true,
			0,
		],
		[
			"has a call that waits",
			[
				["editor", prompt],
				["server", run],
			],
			true,
			1,
		],
		[
			"has none when it is approved",
			[
				["editor", prompt],
				["server", run],
				["editor", { method: "chat/toolCallApprove", params: { chatId: "c", toolCallId: "t" } }],
			],
			true,
			0,
		],
		[
			"has none when it is rejected",
			[
				["editor", prompt],
				["server", run],
				["server", received({ type: "toolCallRejected", id: "t" })],
			],
			true,
			0,
		],
		[
			"has none when it is stopped",
			[
				["editor", prompt],
				["server", run],
				["editor", stop],
			],
			true,
			0,
		],
		[
			"ends when it says so",
			[
				["editor", prompt],
				["server", run],
				["server", received({ type: "progress", state: "finished" })],
			],
			false,
			0,
		],
		[
			"ends in the words of the first form",
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
