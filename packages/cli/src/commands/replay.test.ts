import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Channel, memoryPair, type TraceRecord, writeTraceHeader, writeTraceRecord } from "@segue/rpc";
import { FakeClock } from "@segue/testing/clock";
import { Home } from "@segue/testing/process/home";
import { SegueProcess } from "@segue/testing/process/segue-process";
import { settled } from "@segue/testing/rpc/peers";
import { describe, expect, onTestFinished, test } from "vitest";
import { differencesOf } from "../inspect/difference.js";
import { playRecording } from "../inspect/playback.js";
import { type JsonRpcBody, recordingOf } from "../inspect/recording.js";

/** A recorded message: `>` is the editor's and `<` the agent's. */
type Line = readonly ["<" | ">", JsonRpcBody];

const START: Line = [">", { id: 0, method: "nes/start", params: {} }];
const STARTED: Line = ["<", { id: 0, result: { sessionId: "s1" } }];
const SUGGEST: Line = [">", { id: 1, method: "nes/suggest", params: { sessionId: "s1", text: "s1" } }];
const SUGGESTED: Line = ["<", { id: 1, result: { suggestions: [{ id: "sug1", newText: "count" }] } }];
const ACCEPT: Line = [">", { method: "nes/accept", params: { sessionId: "s1", id: "sug1" } }];
const CLOSE: Line = [">", { id: 2, method: "nes/close", params: { sessionId: "s1" } }];
const CLOSED: Line = ["<", { id: 2, result: {} }];
const SESSION = [START, STARTED, SUGGEST, SUGGESTED, ACCEPT, CLOSE, CLOSED];

function told(text: string, sessionId = "s1"): Line {
	return [
		"<",
		{ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", text } } },
	];
}

/** What an agent says to each message, by its method or else by its id; a function gets what it was sent. */
type Script = Readonly<Record<string, readonly JsonRpcBody[] | ((body: JsonRpcBody) => readonly JsonRpcBody[])>>;

/** Plays a recording on an agent that follows a script, and gives what differs and what the agent was sent. */
async function replayed(lines: readonly Line[], script: Script, meanwhile = async (_stage: Stage) => {}) {
	const records = lines.map(([side, body], i): TraceRecord => {
		return { atMs: i, from: side === ">" ? "client" : "agent", text: JSON.stringify(body) };
	});
	const recording = recordingOf({ header: { trace: "segue", version: 1, startedAt: "" }, records });
	const [ours, theirs] = memoryPair();
	const stage = new Stage(theirs, script);
	const playing = playRecording(recording, ours, stage.clock.after);
	await settled();
	await meanwhile(stage);
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

	/** Waits for as long as nobody is waited for. */
	async lose(): Promise<void> {
		this.clock.advance(10_000);
		await settled();
	}

	die(): void {
		this.channel.close(() => {});
	}
}

/** An agent that does what was recorded, under other ids. */
const SAME: Script = {
	"nes/start": [{ id: 0, result: { sessionId: "now-7", _meta: { a: 1 } } }],
	"nes/suggest": [{ id: 1, result: { suggestions: [{ newText: "count", id: "now-9" }] } }],
	"nes/close": [{ id: 2, result: {} }],
};

describe("segue replay finds no difference", () => {
	test("in an agent that makes up other ids, which it is then called by", async () => {
		const { differences, sent } = await replayed(SESSION, SAME);
		expect(differences).toEqual([]);
		expect(sent).toEqual([
			{ id: 0, method: "nes/start", params: {} },
			// A text that happens to be the same as an id stays as it is.
			{ id: 1, method: "nes/suggest", params: { sessionId: "now-7", text: "s1" } },
			{ method: "nes/accept", params: { sessionId: "now-7", id: "now-9" } },
			{ id: 2, method: "nes/close", params: { sessionId: "now-7" } },
		]);
	});

	test.each<[string, unknown, unknown]>([
		["times", { at: "2026-01-01T00:00:00Z", tookMs: 3 }, { at: "2027-02-03T04:05:06.789+01:00", tookMs: 900 }],
		["_meta", { a: [{ _meta: { b: 1 } }] }, { a: [{}] }],
		["the order of members", { a: 1, b: 2 }, { b: 2, a: 1 }],
		["ids that are counted", { requestId: 3 }, { requestId: 8 }],
	])("in %s", async (_, then, now) => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: then }],
		];
		expect((await replayed(lines, { ask: [{ id: 1, result: now }] })).differences).toEqual([]);
	});

	test("in an answer that the recording ended before", async () => {
		expect((await replayed([...SESSION, [">", { id: 3, method: "nes/start" }]], SAME)).differences).toEqual([]);
	});

	test("in an agent of which the editor names the sessions, whichever it tells of first", async () => {
		const ask = (id: number, chatId: string): Line => [">", { id, method: "chat/prompt", params: { chatId } }];
		const tell = (chatId: string): Line => ["<", { method: "chat/told", params: { chatId, text: `of ${chatId}` } }];
		const answer = (id: number): Line => ["<", { id, result: {} }];
		const lines = [ask(1, "one"), ask(2, "two"), tell("one"), tell("two"), answer(1), answer(2)];
		const script = ({ id }: JsonRpcBody) =>
			id === 1 ? [] : [tell("two"), tell("one"), answer(1), answer(2)].map(([, body]) => body);
		expect((await replayed(lines, { "chat/prompt": script })).differences).toEqual([]);
	});

	test("in what is told of a session before it is known by its new name", async () => {
		const lines = [START, told("early"), STARTED, told("later"), CLOSE, CLOSED];
		const now = (text: string) => told(text, "now-7")[1];
		const script: Script = {
			...SAME,
			"nes/start": [now("early"), { id: 0, result: { sessionId: "now-7" } }, now("later")],
		};
		expect((await replayed(lines, script)).differences).toEqual([]);
	});
});

describe("segue replay tells", () => {
	test.each<[string, Script, string[]]>([
		[
			"another result",
			{ ...SAME, "nes/suggest": [{ id: 1, result: { suggestions: [{ id: "n1", newText: "total" }] } }] },
			['answer: #1 nes/suggest: result.suggestions[0].newText is "total" and was "count"'],
		],
		[
			"a result that has less",
			{ ...SAME, "nes/suggest": [{ id: 1, result: { suggestions: [] } }] },
			['answer: #1 nes/suggest: result.suggestions[0] is missing and was {"id":"sug1","newText":"count"}'],
		],
		[
			"an error in the place of a result",
			{ ...SAME, "nes/close": [{ id: 2, error: { code: -32603, message: "no" } }] },
			["answer: #2 nes/close: result is missing and was {}"],
		],
		[
			"an answer to what was not asked",
			{ ...SAME, "nes/accept": [{ id: 99, result: 1 }] },
			["unexpected: #99: is answered, and was not asked"],
		],
		[
			"a notification that was not there",
			{ ...SAME, "nes/accept": [told("more", "now-7")[1]] },
			["unexpected: session now-7, notification 1 session/update agent_message_chunk: was not told then"],
		],
		[
			"a request that was not there",
			{ ...SAME, "nes/accept": [{ id: "a1", method: "fs/read", params: { sessionId: "now-7" } }] },
			["unexpected: the agent's fs/read in session now-7: was not asked then"],
		],
		[
			"what is no message",
			{ ...SAME, "nes/accept": [[] as unknown as JsonRpcBody] },
			["unexpected: notification 1 ([]): was not told then"],
		],
	])("%s", async (_, script, expected) => {
		expect((await replayed(SESSION, script)).differences).toEqual(expected);
	});

	test("one id that stands for two things", async () => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: [{ toolCallId: "a" }, { toolCallId: "b" }] }],
		];
		const script = { ask: [{ id: 1, result: [{ toolCallId: "x" }, { toolCallId: "x" }] }] };
		expect((await replayed(lines, script)).differences).toEqual([
			'answer: #1 ask: result[1].toolCallId is "x" and was "b"',
		]);
	});

	test("another mode, which is no id that was made up", async () => {
		const lines: Line[] = [
			[">", { id: 1, method: "ask" }],
			["<", { id: 1, result: { currentModeId: "edit" } }],
		];
		const { differences } = await replayed(lines, { ask: [{ id: 1, result: { currentModeId: "plan" } }] });
		expect(differences).toEqual(['answer: #1 ask: result.currentModeId is "plan" and was "edit"']);
	});

	test("an answer that is missing, and goes on without it", async () => {
		const { differences, sent } = await replayed(SESSION, { ...SAME, "nes/suggest": [] }, async (stage) => {
			expect(stage.sent).toHaveLength(2);
			stage.clock.advance(9999);
			await settled();
			expect(stage.sent).toHaveLength(2);
			await stage.lose();
		});
		expect(differences).toEqual(["missing: #1 nes/suggest: no answer"]);
		expect(sent).toHaveLength(4);
	});

	test("an answer that is late", async () => {
		const { differences } = await replayed(SESSION, { ...SAME, "nes/suggest": [], "nes/close": [] }, async (stage) => {
			await stage.lose();
			stage.say({ id: 1, result: { suggestions: [{ id: "n1", newText: "count" }] } });
			stage.say({ id: 2, result: {} });
		});
		expect(differences).toEqual(["late: #1 nes/suggest: came when it was no longer waited for"]);
	});

	test("answers that are out of order", async () => {
		const lines = [START, STARTED, SUGGEST, CLOSE, SUGGESTED, CLOSED];
		const script = {
			...SAME,
			"nes/suggest": [],
			"nes/close": [...(SAME["nes/close"] as JsonRpcBody[]), ...(SAME["nes/suggest"] as JsonRpcBody[])],
		};
		expect((await replayed(lines, script)).differences).toEqual([
			"order: #1 nes/suggest: the answer came after that to #2 nes/close",
		]);
	});

	test.each<[string, string[], string[]]>([
		[
			"missing",
			["a", "c"],
			["missing: session s1, notification 2 session/update agent_message_chunk: is not told any more"],
		],
		[
			"more",
			["a", "b", "b2", "c"],
			["unexpected: session s1, notification 3 session/update agent_message_chunk: was not told then"],
		],
		[
			"other",
			["a", "B", "c"],
			['notification: session s1, notification 2 session/update: params.update.text is "B" and was "b"'],
		],
		[
			"in another order",
			["b", "a", "c"],
			[
				"missing: session s1, notification 1 session/update agent_message_chunk: is not told any more",
				"unexpected: session s1, notification 2 session/update agent_message_chunk: was not told then",
			],
		],
	])("notifications that are %s", async (_, texts, expected) => {
		const lines = [START, STARTED, SUGGEST, told("a"), told("b"), told("c"), SUGGESTED];
		const script = {
			...SAME,
			"nes/suggest": [...texts.map((text) => told(text, "now-7")[1]), ...(SAME["nes/suggest"] as JsonRpcBody[])],
		};
		const { differences } = await replayed(lines, script, async (stage) => {
			if (!stage.clock.isIdle) await stage.lose();
		});
		expect(differences).toEqual(expected);
	});

	test("an agent that dies, and what it did not say any more", async () => {
		const { differences } = await replayed(SESSION, { ...SAME, "nes/suggest": [] }, async (stage) => stage.die());
		expect(differences).toEqual([
			"missing: #1 nes/suggest: no answer",
			"missing: #2 nes/close: no answer",
			"end: the agent: the other side closed the connection",
		]);
	});
});

describe("a request of the agent", () => {
	const READ: Line = ["<", { id: "r1", method: "fs/read", params: { sessionId: "s1", path: "/a" } }];
	const CONTENT: Line = [">", { id: "r1", result: { content: "text of s1" } }];
	const lines = [START, STARTED, SUGGEST, READ, CONTENT, SUGGESTED];
	const ask = (path: string): JsonRpcBody => ({ id: "now-r", method: "fs/read", params: { sessionId: "now-7", path } });

	test("is answered as it was then, under its id of now", async () => {
		const script: Script = { ...SAME, "nes/suggest": [ask("/a")], "now-r": SAME["nes/suggest"] as JsonRpcBody[] };
		const { differences, sent } = await replayed(lines, script);
		expect(differences).toEqual([]);
		expect(sent.at(-1)).toEqual({ id: "now-r", result: { content: "text of s1" } });
	});

	test("for something else is told", async () => {
		const script: Script = { ...SAME, "nes/suggest": [ask("/b")], "now-r": SAME["nes/suggest"] as JsonRpcBody[] };
		expect((await replayed(lines, script)).differences).toEqual([
			`request: the agent's fs/read in session s1: params.path is "/b" and was "/a"`,
		]);
	});

	test("that is not made any more is told, and not answered", async () => {
		const { differences, sent } = await replayed(lines, SAME, (stage) => stage.lose());
		expect(differences).toEqual(["missing: the agent's fs/read in session s1: is not asked any more"]);
		expect(sent).toHaveLength(2);
	});

	test("that was not made then is refused, so that the agent goes on", async () => {
		const script: Script = {
			...SAME,
			"nes/suggest": [ask("/a")],
			"now-r": ({ error }) => (error === undefined ? [] : (SAME["nes/suggest"] as JsonRpcBody[])),
		};
		const { sent } = await replayed([START, STARTED, SUGGEST, SUGGESTED], script);
		expect(sent.at(-1)).toEqual({ id: "now-r", error: { code: -32601, message: expect.any(String) } });
	});
});

describe("the command segue replay", () => {
	const LAUNCHER = path.join(import.meta.dirname, "..", "..", "bin", "segue.js");

	/** Plays a trace, given as text, against an agent that is a command line. */
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

	test("plays what segue inspect has recorded of segue acp, and finds the same", async () => {
		const home = new Home();
		onTestFinished(() => home[Symbol.dispose]());
		const file = path.join(home.project, "trace.jsonl");
		const agent = [process.execPath, LAUNCHER, "acp"];
		const args = [LAUNCHER, "inspect", "--trace", file, "--no-page", "--", ...agent];
		const inspected = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
		const said = async (body: JsonRpcBody, lines = 1) => {
			inspected.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...body })}\n`);
			let text = "";
			while (text.split("\n").length <= lines) text += (await once(inspected.stdout, "data"))[0];
			return JSON.parse(text.split("\n")[0] ?? "").result;
		};
		await said({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
		const { sessionId } = await said({ id: 1, method: "nes/start", params: {} }, 2);
		const document = { sessionId, uri: "file:///a.ts", languageId: "typescript", version: 1, text: "a\n" };
		inspected.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "document/didOpen", params: document })}\n`);
		const position = { line: 0, character: 1 };
		await said({ id: 2, method: "nes/suggest", params: { ...document, position, triggerKind: "manual" } });
		inspected.stdin.end();
		await once(inspected, "close");
		const { code, stdout, stderr } = await replay(readFileSync(file, "utf8"), agent);
		expect(stdout).toBe("The same: 3 requests of the editor, 1 notification of the agent.\n");
		expect([code, stderr]).toEqual([0, ""]);
	});

	const ANSWER = (result: string) => `
		process.stdin.on("data", () => process.stdout.write('{"id":1,"result":${result}}\\n'));
		process.stdin.on("end", () => process.exit());`;

	test("gives 1 where something differs, in words or as JSON", async () => {
		const agent = [process.execPath, "-e", ANSWER('"\\\\u001b[31m"')];
		const words = await replay(write(ASK), agent);
		expect(words).toEqual({
			code: 1,
			stdout:
				'#1 ask: result is "\\u001b[31m" and was 1\n1 difference: 1 request of the editor, 0 notifications of the agent.\n',
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

	test("speaks the other framing, too", async () => {
		const agent = `
			process.stdin.once("data", (bytes) => {
				const isRight = /^Content-Length: 23\\r\\n\\r\\n\\{/.test(bytes);
				process.stdout.write('Content-Length: 19\\r\\n\\r\\n{"id":1,"result":' + (isRight ? "1}" : "0}"));
			});`;
		const command = [process.execPath, "-e", agent];
		const { code, stdout } = await replay(write(ASK), command, "--framing", "content-length");
		expect([code, stdout]).toEqual([0, "The same: 1 request of the editor, 0 notifications of the agent.\n"]);
	});

	test("gives 1 where the agent dies, with its last words", async () => {
		const { code, stdout } = await replay(write(ASK), [
			process.execPath,
			"-e",
			"console.error('ouch'); process.exit(3)",
		]);
		expect(code).toBe(1);
		expect(stdout).toContain("#1 ask: no answer\nthe agent: the agent ended with code 3: ouch\n");
	});

	test("says how much of the editor could not be played", async () => {
		const garbage = writeTraceRecord({ atMs: 0, from: "client", text: "garbage" });
		const { stdout } = await replay(write(ASK) + garbage, [process.execPath, "-e", ANSWER("1")]);
		expect(stdout).toMatch(/^The same: .* 1 record of the editor could not be played\.\n$/);
	});

	test.each<[string, string, string[], string]>([
		["an agent that is not there", write(ASK), ["no-such-agent"], "segue replay: no-such-agent was not found"],
		["what is no trace", "hello\n", ["true"], "segue replay: trace.jsonl: line 1 is no head of a trace"],
		["a trace without an editor", write(ASK.slice(1)), ["true"], "there is no message of an editor in it"],
	])("gives 2 for %s", async (_, trace, agent, words) => {
		const { code, stdout, stderr } = await replay(trace, agent);
		expect([code, stdout]).toEqual([2, ""]);
		expect(stderr).toContain(words);
	});

	test("gives 2 for a trace that is not there", async () => {
		const home = new Home();
		onTestFinished(() => home[Symbol.dispose]());
		const command = new SegueProcess(["replay", "none.jsonl", "--", "true"], { folder: home.project, env: {} });
		expect(await command.ended).toBe(2);
		expect(command.stderr).toContain("segue replay: the trace cannot be read: ENOENT");
	});
});
