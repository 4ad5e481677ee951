import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Channel, memoryPair } from "@segue/rpc";
import { type TraceRecord, writeTraceHeader, writeTraceRecord } from "@segue/rpc/trace";
import { FakeClock } from "@segue/testing/clock";
import { Home } from "@segue/testing/process/home";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, onTestFinished, test } from "vitest";
import { differencesOf } from "../inspect/difference.js";
import { playRecording } from "../inspect/playback.js";
import { type JsonRpcBody, recordingOf } from "../inspect/recording.js";

/** A recorded message: `>` marks one from the editor, `<` one from the agent. */
type Line = readonly ["<" | ">", JsonRpcBody];

const START: Line = [">", { id: 0, method: "nes/start", params: {} }];
const STARTED: Line = ["<", { id: 0, result: { sessionId: "s1" } }];
const SUGGEST: Line = [">", { id: 1, method: "nes/suggest", params: { sessionId: "s1", text: "s1" } }];
const SUGGESTED: Line = ["<", { id: 1, result: { suggestions: [{ id: "sug1", newText: "count" }] } }];
const ACCEPT: Line = [">", { method: "nes/accept", params: { sessionId: "s1", id: "sug1" } }];
const CLOSE: Line = [">", { id: 2, method: "nes/close", params: { sessionId: "s1" } }];
const CLOSED: Line = ["<", { id: 2, result: {} }];
const SESSION = [START, STARTED, SUGGEST, SUGGESTED, ACCEPT, CLOSE, CLOSED];

function update(text: string, sessionId = "s1"): Line {
	return [
		"<",
		{ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", text } } },
	];
}

/**
 * The agent's responses, keyed by the method or id of the message they answer. A function is called with that message.
 */
type Script = Readonly<Record<string, readonly JsonRpcBody[] | ((body: JsonRpcBody) => readonly JsonRpcBody[])>>;

/** Replays a recording against a scripted agent. Returns the differences and the messages sent to the agent. */
async function replayed(lines: readonly Line[], script: Script, during = async (_stage: Stage) => {}) {
	const records = lines.map(([side, body], i): TraceRecord => {
		return { atMs: i, from: side === ">" ? "client" : "agent", text: JSON.stringify(body) };
	});
	const recording = recordingOf({ header: { trace: "segue", version: 1, startedAt: "" }, records });
	const [ours, theirs] = memoryPair();
	const stage = new Stage(theirs, script);
	const playing = playRecording(recording, ours, stage.clock.after);
	await settled();
	await during(stage);
	const played = await playing;
	expect(stage.clock.isIdle).toBe(true);
	const differences = differencesOf(recording, played).map(({ kind, about, text }) => `${kind}: ${about}: ${text}`);
	return { differences, sent: stage.sent };
}

class Stage {
	readonly clock = new FakeClock();
	readonly sent: JsonRpcBody[] = [];

	constructor(
		private readonly channel: Channel,
		script: Script,
	) {
		const message = (text: string) => {
			const body = JSON.parse(text) as JsonRpcBody;
			this.sent.push(body);
			const scripted = script[String(body["method"] ?? body["id"])] ?? [];
			for (const answer of typeof scripted === "function" ? scripted(body) : scripted) this.say(answer);
		};
		channel.open({ message, unreadable: () => {}, closed: () => {} }, Number.POSITIVE_INFINITY);
	}

	say(body: JsonRpcBody): void {
		this.channel.send(JSON.stringify(body));
	}

	/** Advances the clock past the timeout. */
	async timeOut(): Promise<void> {
		this.clock.advance(10_000);
		await settled();
	}

	die(): void {
		this.channel.close(() => {});
	}
}

/** An agent that behaves as recorded but uses other ids. */
const SAME: Script = {
	"nes/start": [{ id: 0, result: { sessionId: "now-7", _meta: { a: 1 } } }],
	"nes/suggest": [{ id: 1, result: { suggestions: [{ newText: "count", id: "now-9" }] } }],
	"nes/close": [{ id: 2, result: {} }],
};

describe("segue replay finds no difference", () => {
	test("for an agent with other ids, and sends these ids back", async () => {
		const { differences, sent } = await replayed(SESSION, SAME);
		expect(differences).toEqual([]);
		expect(sent).toEqual([
			{ id: 0, method: "nes/start", params: {} },
			// Text that happens to equal an id is not replaced.
			{ id: 1, method: "nes/suggest", params: { sessionId: "now-7", text: "s1" } },
			{ method: "nes/accept", params: { sessionId: "now-7", id: "now-9" } },
			{ id: 2, method: "nes/close", params: { sessionId: "now-7" } },
		]);
	});

	test.each<[string, unknown, unknown]>([
		["times", { at: "2026-01-01T00:00:00Z", tookMs: 3 }, { at: "2027-02-03T04:05:06.789+01:00", tookMs: 900 }],
		["_meta", { a: [{ _meta: { b: 1 } }] }, { a: [{}] }],
		["member order", { a: 1, b: 2 }, { b: 2, a: 1 }],
		["numeric ids", { requestId: 3 }, { requestId: 8 }],
	])("for different %s", async (_, then, now) => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: then }],
		];
		expect((await replayed(lines, { ask: [{ id: 1, result: now }] })).differences).toEqual([]);
	});

	test("for a response that came after the recording ended", async () => {
		expect((await replayed([...SESSION, [">", { id: 3, method: "nes/start" }]], SAME)).differences).toEqual([]);
	});

	test("for sessions named by the editor, in any order", async () => {
		const ask = (id: number, chatId: string): Line => [">", { id, method: "chat/prompt", params: { chatId } }];
		const tell = (chatId: string): Line => ["<", { method: "chat/told", params: { chatId, text: `of ${chatId}` } }];
		const answer = (id: number): Line => ["<", { id, result: {} }];
		const lines = [ask(1, "one"), ask(2, "two"), tell("one"), tell("two"), answer(1), answer(2)];
		const script = ({ id }: JsonRpcBody) =>
			id === 1 ? [] : [tell("two"), tell("one"), answer(1), answer(2)].map(([, body]) => body);
		expect((await replayed(lines, { "chat/prompt": script })).differences).toEqual([]);
	});

	test("for a session's updates that arrive before its new id is known", async () => {
		const lines = [START, update("early"), STARTED, update("later"), CLOSE, CLOSED];
		const now = (text: string) => update(text, "now-7")[1];
		const script: Script = {
			...SAME,
			"nes/start": [now("early"), { id: 0, result: { sessionId: "now-7" } }, now("later")],
		};
		expect((await replayed(lines, script)).differences).toEqual([]);
	});
});

describe("segue replay reports", () => {
	test.each<[string, Script, string[]]>([
		[
			"a different result",
			{ ...SAME, "nes/suggest": [{ id: 1, result: { suggestions: [{ id: "n1", newText: "total" }] } }] },
			['answer: #1 nes/suggest: result.suggestions[0].newText is "total", was "count"'],
		],
		[
			"an incomplete result",
			{ ...SAME, "nes/suggest": [{ id: 1, result: { suggestions: [] } }] },
			['answer: #1 nes/suggest: result.suggestions[0] is missing, was {"id":"sug1","newText":"count"}'],
		],
		[
			"an error instead of a result",
			{ ...SAME, "nes/close": [{ id: 2, error: { code: -32603, message: "no" } }] },
			["answer: #2 nes/close: result is missing, was {}"],
		],
		[
			"a response without a request",
			{ ...SAME, "nes/accept": [{ id: 99, result: 1 }] },
			["unexpected: #99: response without a request"],
		],
		[
			"an additional notification",
			{ ...SAME, "nes/accept": [update("more", "now-7")[1]] },
			["unexpected: session now-7, notification 1 session/update agent_message_chunk: was not recorded"],
		],
		[
			"an additional request",
			{ ...SAME, "nes/accept": [{ id: "a1", method: "fs/read", params: { sessionId: "now-7" } }] },
			["unexpected: agent request fs/read in session now-7: was not recorded"],
		],
		[
			"an invalid message",
			{ ...SAME, "nes/accept": [[] as unknown as JsonRpcBody] },
			["unexpected: notification 1 ([]): was not recorded"],
		],
	])("%s", async (_, script, expected) => {
		expect((await replayed(SESSION, script)).differences).toEqual(expected);
	});

	test("an id that the agent uses for two calls", async () => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: [{ toolCallId: "a" }, { toolCallId: "b" }] }],
		];
		const script = { ask: [{ id: 1, result: [{ toolCallId: "x" }, { toolCallId: "x" }] }] };
		expect((await replayed(lines, script)).differences).toEqual([
			'answer: #1 ask: result[1].toolCallId is "x", was "b"',
		]);
	});

	test("a different mode, because the ids of modes are not generated", async () => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: { currentModeId: "edit" } }],
		];
		const { differences } = await replayed(lines, { ask: [{ id: 1, result: { currentModeId: "plan" } }] });
		expect(differences).toEqual(['answer: #1 ask: result.currentModeId is "plan", was "edit"']);
	});

	test("a missing response, and continues without it", async () => {
		const { differences, sent } = await replayed(SESSION, { ...SAME, "nes/suggest": [] }, async (stage) => {
			expect(stage.sent).toHaveLength(2);
			stage.clock.advance(9999);
			await settled();
			expect(stage.sent).toHaveLength(2);
			await stage.timeOut();
		});
		expect(differences).toEqual(["missing: #1 nes/suggest: no response"]);
		expect(sent).toHaveLength(4);
	});

	test("a late response", async () => {
		const { differences } = await replayed(SESSION, { ...SAME, "nes/suggest": [], "nes/close": [] }, async (stage) => {
			await stage.timeOut();
			stage.say({ id: 1, result: { suggestions: [{ id: "n1", newText: "count" }] } });
			stage.say({ id: 2, result: {} });
		});
		expect(differences).toEqual(["late: #1 nes/suggest: arrived after the timeout"]);
	});

	test("responses out of order", async () => {
		const lines = [START, STARTED, SUGGEST, CLOSE, SUGGESTED, CLOSED];
		const script = {
			...SAME,
			"nes/suggest": [],
			"nes/close": [...(SAME["nes/close"] as JsonRpcBody[]), ...(SAME["nes/suggest"] as JsonRpcBody[])],
		};
		expect((await replayed(lines, script)).differences).toEqual([
			"order: #1 nes/suggest: the response arrived after the one to #2 nes/close",
		]);
	});

	test.each<[string, string[], string[]]>([
		["missing", ["a", "c"], ["missing: session s1, notification 2 session/update agent_message_chunk: is missing"]],
		[
			"additional",
			["a", "b", "b2", "c"],
			["unexpected: session s1, notification 3 session/update agent_message_chunk: was not recorded"],
		],
		[
			"different",
			["a", "B", "c"],
			['notification: session s1, notification 2 session/update: params.update.text is "B", was "b"'],
		],
		[
			"reordered",
			["b", "a", "c"],
			[
				"missing: session s1, notification 1 session/update agent_message_chunk: is missing",
				"unexpected: session s1, notification 2 session/update agent_message_chunk: was not recorded",
			],
		],
	])("%s notifications", async (_, texts, expected) => {
		const lines = [START, STARTED, SUGGEST, update("a"), update("b"), update("c"), SUGGESTED];
		const script = {
			...SAME,
			"nes/suggest": [...texts.map((text) => update(text, "now-7")[1]), ...(SAME["nes/suggest"] as JsonRpcBody[])],
		};
		const { differences } = await replayed(lines, script, async (stage) => {
			if (!stage.clock.isIdle) await stage.timeOut();
		});
		expect(differences).toEqual(expected);
	});

	test("an agent that exits, and its missing responses", async () => {
		const { differences } = await replayed(SESSION, { ...SAME, "nes/suggest": [] }, async (stage) => stage.die());
		expect(differences).toEqual([
			"missing: #1 nes/suggest: no response",
			"missing: #2 nes/close: no response",
			"end: agent: the other side closed the connection",
		]);
	});
});

describe("a request from the agent", () => {
	const READ: Line = ["<", { id: "r1", method: "fs/read", params: { sessionId: "s1", path: "/a" } }];
	const CONTENT: Line = [">", { id: "r1", result: { content: "text of s1" } }];
	const lines = [START, STARTED, SUGGEST, READ, CONTENT, SUGGESTED];
	const ask = (path: string): JsonRpcBody => ({ id: "now-r", method: "fs/read", params: { sessionId: "now-7", path } });

	test("gets the recorded response with the current id", async () => {
		const script: Script = { ...SAME, "nes/suggest": [ask("/a")], "now-r": SAME["nes/suggest"] as JsonRpcBody[] };
		const { differences, sent } = await replayed(lines, script);
		expect(differences).toEqual([]);
		expect(sent.at(-1)).toEqual({ id: "now-r", result: { content: "text of s1" } });
	});

	test("is reported if its params differ", async () => {
		const script: Script = { ...SAME, "nes/suggest": [ask("/b")], "now-r": SAME["nes/suggest"] as JsonRpcBody[] };
		expect((await replayed(lines, script)).differences).toEqual([
			`request: agent request fs/read in session s1: params.path is "/b", was "/a"`,
		]);
	});

	test("is reported if it is missing", async () => {
		const { differences, sent } = await replayed(lines, SAME, (stage) => stage.timeOut());
		expect(differences).toEqual(["missing: agent request fs/read in session s1: is missing"]);
		expect(sent).toHaveLength(2);
	});

	test("gets an error if it was not recorded, so that the agent continues", async () => {
		const script: Script = {
			...SAME,
			"nes/suggest": [ask("/a")],
			"now-r": ({ error }) => (error === undefined ? [] : (SAME["nes/suggest"] as JsonRpcBody[])),
		};
		const { sent } = await replayed([START, STARTED, SUGGEST, SUGGESTED], script);
		expect(sent.at(-1)).toEqual({ id: "now-r", error: { code: -32601, message: expect.any(String) } });
	});
});

describe("segue replay", () => {
	const LAUNCHER = path.join(import.meta.dirname, "..", "..", "bin", "segue.js");

	/** Replays the text of a trace against an agent's command line. */
	async function replay(trace: string, agent: readonly string[], ...options: string[]) {
		const home = new Home({ "project/trace.jsonl": trace });
		onTestFinished(() => home[Symbol.dispose]());
		const args = ["replay", ...options, "trace.jsonl", "--", ...agent];
		const command = new SegueProcess(args, { folder: home.project, env: { SEGUE_HOME: home.home } });
		const code = await command.ended;
		return { code, stdout: command.stdout, stderr: home.short(command.stderr) };
	}

	const write = (lines: readonly Line[]) =>
		writeTraceHeader(new Date(0)) +
		lines
			.map(([side, body], i) => {
				return writeTraceRecord({ atMs: i, from: side === ">" ? "client" : "agent", text: JSON.stringify(body) });
			})
			.join("");
	const ASK: Line[] = [
		[">", { id: 1, method: "ask" }],
		["<", { id: 1, result: 1 }],
	];

	test("finds no difference in a trace that segue inspect recorded of segue acp", async () => {
		const home = new Home();
		onTestFinished(() => home[Symbol.dispose]());
		const file = path.join(home.project, "trace.jsonl");
		const agent = [process.execPath, LAUNCHER, "acp"];
		const args = [LAUNCHER, "inspect", "--trace", file, "--no-page", "--", ...agent];
		const inspected = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
		const request = async (body: JsonRpcBody, lines = 1) => {
			inspected.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...body })}\n`);
			let text = "";
			while (text.split("\n").length <= lines) text += (await once(inspected.stdout, "data"))[0];
			return JSON.parse(text.split("\n")[0] ?? "").result;
		};
		await request({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
		const { sessionId } = await request({ id: 1, method: "nes/start", params: {} }, 2);
		const document = { sessionId, uri: "file:///a.ts", languageId: "typescript", version: 1, text: "a\n" };
		inspected.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "document/didOpen", params: document })}\n`);
		const position = { line: 0, character: 1 };
		await request({ id: 2, method: "nes/suggest", params: { ...document, position, triggerKind: "manual" } });
		inspected.stdin.end();
		await once(inspected, "close");
		const { code, stdout, stderr } = await replay(readFileSync(file, "utf8"), agent);
		expect(stdout).toBe("No differences in 3 requests from the editor and 1 notification from the agent.\n");
		expect([code, stderr]).toEqual([0, ""]);
	});

	const ANSWER = (result: string) => `
		process.stdin.on("data", () => process.stdout.write('{"id":1,"result":${result}}\\n'));
		process.stdin.on("end", () => process.exit());`;

	test("exits with 1 if there are differences, and prints them as text or as JSON", async () => {
		const agent = [process.execPath, "-e", ANSWER('"\\\\u001b[31m"')];
		const text = await replay(write(ASK), agent);
		expect(text).toEqual({
			code: 1,
			stdout:
				'#1 ask: result is "\\u001b[31m", was 1\n1 difference in 1 request from the editor and 0 notifications from the agent.\n',
			stderr: "",
		});
		const json = await replay(write(ASK), agent, "--json");
		expect([json.code, JSON.parse(json.stdout)]).toEqual([
			1,
			{
				...{ requests: 1, notifications: 0, unplayable: 0 },
				differences: [expect.objectContaining({ kind: "answer", at: "result", recorded: 1, present: "\u001b[31m" })],
			},
		]);
	});

	test("supports Content-Length framing", async () => {
		const agent = `
			process.stdin.once("data", (bytes) => {
				const isRight = /^Content-Length: 23\\r\\n\\r\\n\\{/.test(bytes);
				process.stdout.write('Content-Length: 19\\r\\n\\r\\n{"id":1,"result":' + (isRight ? "1}" : "0}"));
			});`;
		const command = [process.execPath, "-e", agent];
		const { code, stdout } = await replay(write(ASK), command, "--framing", "content-length");
		expect([code, stdout]).toEqual([
			0,
			"No differences in 1 request from the editor and 0 notifications from the agent.\n",
		]);
	});

	test("exits with 1 if the agent crashes, and prints its last output", async () => {
		const { code, stdout } = await replay(write(ASK), [
			process.execPath,
			"-e",
			"console.error('ouch'); process.exit(3)",
		]);
		expect(code).toBe(1);
		expect(stdout).toContain("#1 ask: no response\nagent: the agent exited with code 3: ouch\n");
	});

	test("counts invalid messages from the editor", async () => {
		const garbage = writeTraceRecord({ atMs: 0, from: "client", text: "garbage" });
		const { stdout } = await replay(write(ASK) + garbage, [process.execPath, "-e", ANSWER("1")]);
		expect(stdout).toMatch(/^No differences .* Skipped 1 invalid message from the editor\.\n$/);
	});

	test.each<[string, string, string[], string]>([
		["an agent that is not installed", write(ASK), ["no-such-agent"], "segue: no-such-agent was not found"],
		["a file that is not a trace", "hello\n", ["true"], "segue: trace.jsonl: line 1 is not a trace header"],
		["a trace without editor messages", write(ASK.slice(1)), ["true"], "trace.jsonl has no messages from an editor."],
	])("exits with 2 for %s", async (_, trace, agent, message) => {
		const { code, stdout, stderr } = await replay(trace, agent);
		expect([code, stdout]).toEqual([2, ""]);
		expect(stderr).toContain(message);
	});

	test("exits with 2 for a missing trace", async () => {
		const home = new Home();
		onTestFinished(() => home[Symbol.dispose]());
		const command = new SegueProcess(["replay", "none.jsonl", "--", "true"], { folder: home.project, env: {} });
		expect(await command.ended).toBe(2);
		expect(command.stderr).toBe(
			"segue: Cannot read none.jsonl: no such file. To record a trace: segue inspect --trace FILE -- AGENT\n",
		);
	});
});
