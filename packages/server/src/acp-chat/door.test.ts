import { readFileSync } from "node:fs";
import path from "node:path";
import { type Answer, COMMANDS } from "@segue/assist";
import { acp, acpDialect, type ContentBlock, type SessionUpdate } from "@segue/protocol/acp";
import { Connection, type Handler, memoryPair, on, RpcError } from "@segue/rpc";
import { type Conditions, Conversation, HOLD, STRICTEST, settled } from "@segue/testing";
import { describe, expect, test } from "vitest";
import { type Authentication, serveAcp } from "../acp.js";
import type { ChatEngine, Desk } from "../chat/chat.js";

/** An editor that chats over ACP, with the engine and a model that plays a script behind the door. */
class ChatEditor {
	readonly connection: Connection<"client">;
	/** Everything that came, in order, in few words. */
	readonly told: string[] = [];
	readonly updates: SessionUpdate[] = [];
	/** What did not pass the strictest reading of the protocol. */
	readonly wrong: unknown[] = [];
	answer: string | undefined = "once";

	constructor(
		readonly conversation: Conversation,
		readonly files: Readonly<Record<string, string>> = {},
		besides: Partial<ChatEngine> = {},
		authentication?: Authentication,
	) {
		const [ours, theirs] = memoryPair();
		const { assist, model } = conversation;
		const models = { names: [model.name, "test/second"], choose: () => model };
		const engine = { assist, models, commands: COMMANDS, prompt: assist.prompt.bind(assist), ...besides };
		const clock = { after: () => () => {} };
		serveAcp(theirs, {
			version: "1",
			sync: "events",
			report: (problem) => this.wrong.push(problem),
			chat: { engineFor: async () => engine, clock },
			...(authentication && { authentication }),
		});
		this.connection = new Connection<"client">(ours, {
			dialect: acpDialect,
			report: (problem) => this.wrong.push(problem),
			handlers: this.handlers(),
		});
		this.connection.tap(({ direction, phase, text }) => {
			if (direction !== "in" || phase !== "before") return;
			const { method, params, id, result } = JSON.parse(text);
			if (method !== undefined) this.check(method, "params", params);
			if (id !== undefined && method === undefined && result !== undefined) this.told.push(`answer ${id}`);
		});
	}

	static async open(conditions: Conditions = {}, files?: Readonly<Record<string, string>>): Promise<ChatEditor> {
		return new ChatEditor(await Conversation.begin(conditions), files);
	}

	private handlers(): Handler<"agent">[] {
		return [
			on(acp.sessionUpdate, ({ update }) => {
				this.updates.push(update);
				this.told.push(wordsFor(update));
			}),
			on(acp.requestPermission, ({ toolCall, options }) => {
				this.told.push(`asks ${toolCall.title}: ${options.map(({ optionId }) => optionId).join(" ")}`);
				const { answer } = this;
				if (answer === "never") return new Promise<never>(() => {});
				if (answer === undefined) return { outcome: { outcome: "cancelled" as const } };
				return { outcome: { outcome: "selected" as const, optionId: answer } };
			}),
			on(acp.readTextFile, ({ path }) => {
				const text = Object.entries(this.files).find(([name]) => path.endsWith(name))?.[1];
				if (text === undefined) throw new RpcError(-32603, "no such file");
				return { content: text };
			}),
		];
	}

	async initialize(fs = {}): Promise<unknown> {
		return await this.connection.request(acp.initialize, { protocolVersion: 1, clientCapabilities: { fs } });
	}

	/** A session, after everything that follows its answer. */
	async session(): Promise<string> {
		await this.initialize({ readTextFile: Object.keys(this.files).length > 0 });
		const place = { cwd: this.conversation.box.root, mcpServers: [] };
		const { sessionId } = await this.connection.request(acp.newSession, place);
		await settled();
		this.told.length = 0;
		return sessionId;
	}

	prompt(sessionId: string, ...prompt: (string | ContentBlock)[]) {
		const blocks = prompt.map((each) => (typeof each === "string" ? { type: "text" as const, text: each } : each));
		return this.connection.request(acp.prompt, { sessionId, prompt: blocks });
	}

	private check(method: string, part: "params" | "result", value: unknown): void {
		const read = STRICTEST[part][method]?.safeParse(value);
		if (read?.success === false) this.wrong.push({ method, error: read.error });
	}
}

function wordsFor(update: SessionUpdate): string {
	switch (update.sessionUpdate) {
		case "user_message_chunk":
			return `user ${textIn(update.content)}`;
		case "agent_message_chunk":
			return `agent ${textIn(update.content)}`;
		case "agent_thought_chunk":
			return `thought ${textIn(update.content)}`;
		case "tool_call":
		case "tool_call_update":
			return `${update.sessionUpdate} ${update.title} ${update.status}`;
		default:
			return update.sessionUpdate;
	}
}

function textIn(content: ContentBlock): string {
	return content.type === "text" ? content.text.trim() : content.type;
}

const READ: readonly { type: "call"; id: string; tool: string; input: string }[] = [
	{ type: "call", id: "c1", tool: "read_file", input: '{"path":"a.txt"}' },
];
const CHANGE = {
	type: "call" as const,
	id: "c2",
	tool: "edit_file",
	input: '{"path":"a.txt","old_text":"one","new_text":"two"}',
};
const REMOVE = { type: "call" as const, id: "c3", tool: "delete_file", input: '{"path":"a.txt"}' };

describe("chat over ACP", () => {
	test("is offered in the answer to initialize", async () => {
		const editor = await ChatEditor.open();
		expect(await editor.initialize()).toMatchObject({
			agentCapabilities: {
				loadSession: true,
				promptCapabilities: { image: true, embeddedContext: true },
				sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
				nes: {},
			},
		});
	});

	test("wants one to sign in first, where the agent does", async () => {
		let isSignedIn = false;
		const authentication: Authentication = {
			methods: [{ id: "key", name: "API key" }],
			isSignedIn: () => isSignedIn,
			signIn: async () => {
				isSignedIn = true;
			},
			signOut: async () => {
				isSignedIn = false;
			},
		};
		const conversation = await Conversation.begin({});
		const { connection } = new ChatEditor(conversation, {}, {}, authentication);
		await connection.request(acp.initialize, { protocolVersion: 1 });
		const sessionId = conversation.thread.id;
		const place = { cwd: conversation.box.root };
		const asks = () => [
			connection.request(acp.newSession, place),
			connection.request(acp.loadSession, { sessionId, ...place }),
			connection.request(acp.resumeSession, { sessionId, ...place }),
			connection.request(acp.listSessions, {}),
			connection.request(acp.deleteSession, { sessionId }),
			connection.request(acp.prompt, { sessionId, prompt: [] }),
		];
		for (const asked of asks()) await expect(asked).rejects.toMatchObject({ code: -32000 });
		await connection.request(acp.authenticate, { methodId: "key" });
		await connection.request(acp.loadSession, { sessionId, ...place });
		await connection.request(acp.logout, {});
		await expect(connection.request(acp.prompt, { sessionId, prompt: [] })).rejects.toMatchObject({ code: -32000 });
	});

	test("begins with a session that has modes and settings, and then tells its commands", async () => {
		const editor = await ChatEditor.open();
		await editor.initialize();
		const place = { cwd: editor.conversation.box.root, mcpServers: [] };
		const session = await editor.connection.request(acp.newSession, place);
		await settled();
		expect(session.modes?.currentModeId).toBe("edit");
		expect(session.configOptions?.map(({ id, currentValue }) => [id, currentValue])).toEqual([
			["mode", "edit"],
			["model", "test/first"],
			["effort", "default"],
		]);
		expect(editor.told).toEqual(["answer 0", "answer 1", "available_commands_update"]);
	});

	test("tells a turn as it goes, asks before it edits, and answers when all is told", async () => {
		const answers = [
			[
				{ type: "thought" as const, text: "Hm.", signature: undefined },
				{ type: "text" as const, text: "Look." },
				...READ,
			],
			[CHANGE],
			"Done.",
		];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		const sessionId = await editor.session();
		expect(await editor.prompt(sessionId, "Make it two")).toMatchObject({ stopReason: "end_turn" });
		expect(editor.told.filter((each) => !each.startsWith("tool_call_update"))).toEqual([
			"session_info_update",
			"thought Hm.",
			"agent Look.",
			"tool_call read_file pending",
			"tool_call edit_file pending",
			"asks Edit a.txt: once session always no",
			"agent Done.",
			"answer 2",
		]);
		expect(readFileSync(path.join(editor.conversation.box.root, "a.txt"), "utf8")).toBe("two\n");
		expect(editor.wrong).toEqual([]);
	});

	test.each<[string, string | undefined, Answer]>([
		["rejected", "no", "no"],
		["cancelled", undefined, "no"],
		["answered with an option that there is not", "perhaps", "no"],
	])("does nothing when the question is %s", async (_title, answer) => {
		const answers = [READ, [CHANGE], "Well."];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		editor.answer = answer;
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Make it two");
		expect(readFileSync(path.join(editor.conversation.box.root, "a.txt"), "utf8")).toBe("one\n");
	});

	test("ends a cancelled turn with that reason, after everything that was said", async () => {
		const editor = await ChatEditor.open({
			answers: [[{ type: "text", text: "One" }, HOLD, { type: "text", text: "Two" }]],
		});
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Count");
		await editor.conversation.model.holding();
		editor.connection.notify(acp.cancel, { sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		expect(editor.told.slice(-2)).toEqual(["agent One", "answer 2"]);
	});

	test("refuses a second prompt while a turn is under way, and takes one right after a cancel", async () => {
		const editor = await ChatEditor.open({ answers: [[{ type: "text", text: "One" }, HOLD], "Again"] });
		const sessionId = await editor.session();
		const first = editor.prompt(sessionId, "Count");
		await editor.conversation.model.holding();
		await expect(editor.prompt(sessionId, "Hurry")).rejects.toMatchObject({ code: -32600 });
		editor.connection.notify(acp.cancel, { sessionId });
		const second = editor.prompt(sessionId, "Again");
		expect(await first).toMatchObject({ stopReason: "cancelled" });
		expect(await second).toMatchObject({ stopReason: "end_turn" });
		expect(editor.told.at(-2)).toBe("agent Again");
	});

	test("opens a session of before with its whole history ahead of the answer", async () => {
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers: [READ, "It says one."] });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "What does it say?");
		const other = new ChatEditor(editor.conversation);
		await other.initialize();
		const place = { cwd: editor.conversation.box.root, mcpServers: [] };
		await other.connection.request(acp.loadSession, { sessionId, ...place });
		await settled();
		expect(other.told.slice(1)).toEqual([
			"user What does it say?",
			expect.stringMatching(/^tool_call Read a\.txt completed/),
			"agent It says one.",
			"answer 1",
			"available_commands_update",
		]);
		expect(other.wrong).toEqual([]);
	});

	test("ends the turn of a session that is opened again before it tells what was said", async () => {
		const answers = [[{ type: "text" as const, text: "One" }, REMOVE], "Two"];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		editor.answer = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Remove it");
		await expect.poll(() => editor.told.some((words) => words.startsWith("asks"))).toBe(true);
		editor.told.length = 0;
		const place = { sessionId, cwd: editor.conversation.box.root };
		const load = editor.connection.request(acp.loadSession, place);
		const again = editor.connection.request(acp.loadSession, place);
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await Promise.all([load, again]);
		await editor.prompt(sessionId, "Go on");
		const replay = ["user Remove it", "agent One", "tool_call Delete a.txt failed"];
		expect(editor.told.filter((words) => !/_update$/.test(words))).toEqual([
			"tool_call_update Delete a.txt failed",
			"answer 2",
			...[...replay, "answer 3"],
			...[...replay, "answer 4"],
			...["agent Two", "answer 5"],
		]);
		const entries = await editor.conversation.assist.entries(sessionId);
		const turns = entries.map((entry) => entry.turn);
		expect(turns).toEqual([...turns].sort());
	});

	test("waits for the turn of a session that is closed and opened at once", async () => {
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers: [[REMOVE], "Two"] });
		editor.answer = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Remove it");
		await expect.poll(() => editor.told.some((words) => words.startsWith("asks"))).toBe(true);
		const close = editor.connection.request(acp.closeSession, { sessionId });
		await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.box.root });
		expect(editor.told).toContain("tool_call Delete a.txt failed");
		await Promise.all([turn, close]);
	});

	test("tells a call as failed that a crash cut off", async () => {
		const editor = await ChatEditor.open();
		const sessionId = await editor.session();
		const call = { id: "c", tool: "read_file", kind: "read", title: "Read a.txt", status: "running" } as const;
		const body = { type: "call", call: { ...call, input: "{}", output: "", diffs: [], locations: [] } } as const;
		await editor.conversation.store.append(sessionId, "t", "2030-01-02T03:04:05.678Z", body);
		await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.box.root });
		expect(editor.told[0]).toBe("tool_call Read a.txt failed");
	});

	test("keeps no desk where opening fails, or where the client leaves before it is done", async () => {
		let open = 0;
		const server = { name: "editor", type: "stdio", command: "x", args: [], env: {} } as const;
		const desk: Desk = { server, close: () => open-- };
		const conversation = await Conversation.begin({});
		let fail = (_why: Error) => {};
		const editor = new ChatEditor(
			conversation,
			{},
			{
				agent: "other",
				deskFor: async () => {
					open++;
					return desk;
				},
				agentFor: () => new Promise((_, reject) => (fail = reject)),
			},
		);
		await editor.initialize();
		const begin = () => editor.connection.request(acp.newSession, { cwd: conversation.box.root });
		const refused = begin();
		await expect.poll(() => open).toBe(1);
		await settled();
		fail(new RpcError(-32603, "no room"));
		await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("no room") });
		expect(open).toBe(0);
		const left = begin().catch(() => {});
		await expect.poll(() => open).toBe(1);
		editor.connection.close();
		await left;
		fail(new Error("the client is gone"));
		await expect.poll(() => open).toBe(0);
	});

	test("lists, resumes, closes and deletes sessions", async () => {
		const editor = await ChatEditor.open({ answers: ["Hello."] });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Hi there");
		const { connection, conversation } = editor;
		const cwd = conversation.box.root;
		const listed = await connection.request(acp.listSessions, { cwd });
		expect(listed.sessions.find((each) => each.sessionId === sessionId)).toMatchObject({ cwd, title: "Hi there" });
		expect((await connection.request(acp.listSessions, { cwd: "/elsewhere" })).sessions).toEqual([]);
		await connection.request(acp.closeSession, { sessionId });
		await expect(editor.prompt(sessionId, "Hi")).rejects.toMatchObject({ code: -32002, data: { sessionId } });
		await connection.request(acp.resumeSession, { sessionId, cwd });
		expect(await editor.prompt(sessionId, "/help")).toMatchObject({ stopReason: "end_turn" });
		await connection.request(acp.deleteSession, { sessionId });
		await expect(connection.request(acp.resumeSession, { sessionId, cwd })).rejects.toMatchObject({ code: -32002 });
		expect((await connection.request(acp.listSessions, {})).sessions.map((each) => each.sessionId)).not.toContain(
			sessionId,
		);
	});

	test("changes modes and settings, and says so", async () => {
		const editor = await ChatEditor.open({ answers: ["Asked."] });
		const sessionId = await editor.session();
		await editor.connection.request(acp.setMode, { sessionId, modeId: "ask" });
		await settled();
		expect(editor.told).toEqual(["answer 2", "current_mode_update", "config_option_update"]);
		const set = (configId: string, value: string) =>
			editor.connection.request(acp.setConfigOption, { sessionId, configId, value });
		const { configOptions } = await set("effort", "high");
		expect(configOptions.map(({ currentValue }) => currentValue)).toEqual(["ask", "test/first", "high"]);
		await expect(set("effort", "utmost")).rejects.toMatchObject({ code: -32602 });
		await expect(set("colour", "red")).rejects.toMatchObject({ code: -32602 });
		await editor.prompt(sessionId, "What?");
		const [request] = editor.conversation.model.requests;
		expect(request?.effort).toBe("high");
		expect(request?.tools.map(({ name }) => name)).not.toContain("edit_file");
	});

	test("goes on with the model that was chosen last, by its setting or by /model, and says so", async () => {
		const conversation = await Conversation.begin({ answers: ["One.", "Two."] });
		const asked: unknown[] = [];
		const editor = new ChatEditor(
			conversation,
			{},
			{
				prompt: (id, parts, client, options) => {
					asked.push(options.model);
					return conversation.assist.prompt(id, parts, client, options);
				},
			},
		);
		const sessionId = await editor.session();
		const set = (value: string) =>
			editor.connection.request(acp.setConfigOption, { sessionId, configId: "model", value });
		await set("test/second");
		await editor.prompt(sessionId, "/model test/first");
		expect(editor.updates.flatMap((update) => ("configOptions" in update ? [update.configOptions[1]] : []))).toEqual([
			expect.objectContaining({ id: "model", currentValue: "test/first" }),
		]);
		await editor.prompt(sessionId, "Go");
		await set("test/second");
		await editor.prompt(sessionId, "/model test/first");
		await editor.prompt(sessionId, "Go");
		await set("test/second");
		await editor.prompt(sessionId, "Go");
		expect(asked.filter((_, i) => [1, 3, 4].includes(i))).toEqual(["test/first", "test/first", "test/second"]);
	});

	test.each<[string, unknown, RegExp]>([
		["a folder that is no absolute path", { cwd: "src" }, /absolute/],
		["another folder that is none", { cwd: "/", additionalDirectories: ["lib"] }, /absolute/],
		[
			"an MCP server over SSE",
			{ cwd: "/", mcpServers: [{ type: "sse", name: "x", url: "http://x", headers: [] }] },
			/sse/,
		],
	])("refuses a session with %s", async (_title, params, message) => {
		const editor = await ChatEditor.open();
		await editor.initialize();
		const asked = editor.connection.request(acp.newSession, params as { cwd: string });
		await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
	});

	test("reads a file as the editor has it, and from disk what the editor does not have", async () => {
		const answers = [
			[...READ, { type: "call" as const, id: "c2", tool: "read_file", input: '{"path":"b.txt"}' }],
			"Read.",
		];
		const files = { "a.txt": "saved\n", "b.txt": "on disk\n" };
		const editor = await ChatEditor.open({ files, answers }, { "a.txt": "not saved\n" });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Read both");
		const results = editor.conversation.model.requests[1]?.messages.at(-1);
		expect(JSON.stringify(results)).toMatch(/not saved.*on disk/s);
	});

	test("ends the turn of a client that goes away, and keeps what was said", async () => {
		const editor = await ChatEditor.open({ answers: [[{ type: "text", text: "One" }, HOLD]] });
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Count").catch(() => {});
		await editor.conversation.model.holding();
		editor.connection.close();
		await turn;
		await expect
			.poll(async () => (await editor.conversation.assist.entries(sessionId)).at(-1)?.body)
			.toEqual({ type: "end", reason: "cancelled" });
	});
});
