import { readFileSync } from "node:fs";
import path from "node:path";
import { type Answer, COMMANDS, type PromptOptions } from "@segue/assist";
import { acp, acpDialect, type ContentBlock, type SessionUpdate } from "@segue/protocol/acp";
import { Connection, type Handler, memoryPair, on, RpcError } from "@segue/rpc";
import { type Conditions, Conversation, gate, HOLD, STRICTEST, settled, Toolbox } from "@segue/testing";
import { describe, expect, test, vi } from "vitest";
import { type Authentication, serveAcp } from "../acp.js";
import type { ChatEngine, Desk, Lease } from "../chat/chat.js";

/** An editor that chats over ACP, with the engine and a model that plays a script behind the door. */
class ChatEditor {
	readonly connection: Connection<"client">;
	/** Everything that came, in order, in few words. */
	readonly told: string[] = [];
	readonly updates: SessionUpdate[] = [];
	/** What did not pass the strictest reading of the protocol. */
	readonly wrong: unknown[] = [];
	answer: string | undefined = "once";
	/** The engines that it has on loan. */
	readonly lent = new Set<Lease>();
	/** What the editor's terminals do: how a command ends in them, where it has any. */
	terminal: { exitCode: number } | "never" | "no such method" | undefined;

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
			chat: {
				engineFor: async () => {
					const lease = { engine, release: () => void this.lent.delete(lease) };
					this.lent.add(lease);
					return lease;
				},
				clock,
			},
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
			...this.terminalHandlers(),
		];
	}

	private terminalHandlers(): Handler<"agent">[] {
		let count = 0;
		const heard = (deed: string, terminalId: string) => this.told.push(`${deed} ${terminalId}`);
		return [
			on(acp.createTerminal, ({ args, cwd }) => {
				if (this.terminal === "no such method") throw new RpcError(-32601, "Method not found");
				const terminalId = `t${++count}`;
				heard("create", `${terminalId} ${args?.at(-1)} ${cwd === this.conversation.box.root}`);
				return { terminalId };
			}),
			on(acp.waitForTerminalExit, () => {
				return typeof this.terminal === "object" ? this.terminal : new Promise<never>(() => {});
			}),
			on(acp.terminalOutput, () => ({ output: "printed\n", truncated: false })),
			on(acp.killTerminal, ({ terminalId }) => {
				heard("kill", terminalId);
				return {};
			}),
			on(acp.releaseTerminal, ({ terminalId }) => {
				heard("release", terminalId);
				return {};
			}),
		];
	}

	async initialize(fs = {}): Promise<unknown> {
		const clientCapabilities = { fs, terminal: this.terminal !== undefined };
		return await this.connection.request(acp.initialize, { protocolVersion: 1, clientCapabilities });
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
		case "tool_call_update": {
			const shown = update.content?.find((each) => each.type === "terminal");
			return `${update.sessionUpdate} ${update.title} ${update.status}${shown ? ` in ${shown.terminalId}` : ""}`;
		}
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

	test("tells in a replay what was in a prompt, and how much of the model's window was used then", async () => {
		const usage = { inputTokens: 70, outputTokens: 7, cachedTokens: undefined, costUsd: 0.5 };
		const conditions = { windowTokens: 1000, takesImages: true, files: { "b.txt": "read\n" } };
		const said = [
			{ type: "usage" as const, usage },
			{ type: "text" as const, text: "I see." },
		];
		const editor = await ChatEditor.open({ ...conditions, answers: [said] });
		const sessionId = await editor.session();
		const { root } = editor.conversation.box;
		const blocks: ContentBlock[] = [
			{ type: "text", text: "Look" },
			{ type: "image", data: "AAAA", mimeType: "image/png" },
			{ type: "resource", resource: { uri: `file://${root}/a.txt#L2-L3`, text: "two\nthree\n" } },
			{ type: "resource_link", uri: `file://${root}/b.txt`, name: "b.txt" },
			{ type: "resource", resource: { uri: "https://example.org/page", text: "a page" } },
		];
		await editor.prompt(sessionId, ...blocks);
		const used = { sessionUpdate: "usage_update", used: 77, size: 1000, cost: { amount: 0.5, currency: "USD" } };
		expect(editor.updates).toContainEqual(used);
		// Another model by now.
		editor.conversation.model.windowTokens = 5;
		const other = new ChatEditor(editor.conversation);
		await other.initialize();
		await other.connection.request(acp.loadSession, { sessionId, cwd: root });
		expect(
			other.updates.flatMap((each) => (each.sessionUpdate === "user_message_chunk" ? [each.content] : [])),
		).toEqual(blocks);
		expect(other.updates).toContainEqual(used);
		expect(other.wrong).toEqual([]);
	});

	test("refuses an image that the model would not be shown, and says what to do", async () => {
		const editor = await ChatEditor.open({ answers: ["I see."] });
		const sessionId = await editor.session();
		const image: ContentBlock = { type: "image", data: "AAAA", mimeType: "image/png" };
		await expect(editor.prompt(sessionId, "Look", image)).rejects.toMatchObject({
			code: -32602,
			message: expect.stringMatching(/params\.prompt\[1\]: test\/first takes no images; choose another model/),
		});
		expect(await editor.conversation.assist.entries(sessionId)).toEqual([]);
		editor.conversation.model.takesImages = true;
		expect(await editor.prompt(sessionId, "Look", image)).toMatchObject({ stopReason: "end_turn" });
	});

	test("finds the mode, model and effort again that were chosen in a session before", async () => {
		const editor = await ChatEditor.open({});
		const sessionId = await editor.session();
		const { connection } = editor;
		await Promise.all([
			connection.request(acp.setMode, { sessionId, modeId: "ask" }),
			connection.request(acp.setConfigOption, { sessionId, configId: "effort", value: "low" }),
			connection.request(acp.setConfigOption, { sessionId, configId: "effort", value: "high" }),
		]);
		await editor.prompt(sessionId, "/model test/second");
		for (const opening of [acp.loadSession, acp.resumeSession]) {
			const other = new ChatEditor(editor.conversation);
			await other.initialize();
			const place = { sessionId, cwd: editor.conversation.box.root };
			const { modes, configOptions } = await other.connection.request(opening, place);
			expect(modes?.currentModeId).toBe("ask");
			expect(configOptions?.map(({ currentValue }) => currentValue)).toEqual(["ask", "test/second", "high"]);
		}
	});

	test("works where a session is opened next, after the turn of before was stopped", async () => {
		const answers = [[{ type: "text" as const, text: "One" }, HOLD], [READ[0] ?? HOLD], "Read."];
		const conversation = await Conversation.begin({ files: { "a.txt": "here\n" }, answers });
		const elsewhere = await Toolbox.draw({ "a.txt": "elsewhere\n" });
		const asked: Partial<PromptOptions>[] = [];
		const prompt: ChatEngine["prompt"] = (id, parts, client, options) => {
			asked.push(options);
			return conversation.assist.prompt(id, parts, client, { ...options, mcpServers: [] });
		};
		const editor = new ChatEditor(conversation, {}, { prompt });
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Count");
		await conversation.model.holding();
		await editor.connection.request(acp.loadSession, {
			sessionId,
			cwd: elsewhere.root,
			additionalDirectories: [conversation.box.root],
			mcpServers: [{ name: "dice", command: "dice", args: [], env: [] }],
		});
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await editor.prompt(sessionId, "Read it");
		expect(JSON.stringify(conversation.model.requests[2]?.messages.at(-1))).toContain("elsewhere");
		expect(asked.at(-1)).toMatchObject({
			workspace: elsewhere.root,
			folders: [conversation.box.root],
			mcpServers: [{ name: "dice", type: "stdio" }],
		});
		// It is listed where it began.
		const listed = await editor.connection.request(acp.listSessions, { cwd: conversation.box.root });
		expect(listed.sessions.map((each) => each.sessionId)).toContain(sessionId);
	});

	test("has another agent begin anew where a session is opened with other servers, and only there", async () => {
		const conversation = await Conversation.begin({});
		const deeds: string[] = [];
		vi.spyOn(conversation.assist, "release").mockImplementation(async () => void deeds.push("release"));
		let desks = 0;
		const deskFor = async (): Promise<Desk> => {
			const number = ++desks;
			deeds.push(`open ${number}`);
			const server = { name: "desk", type: "stdio" as const, command: "desk", args: [], env: {} };
			return { server, close: () => deeds.push(`close ${number}`) };
		};
		const editor = new ChatEditor(conversation, {}, { deskFor });
		const sessionId = await editor.session();
		const resume = (...names: readonly string[]) =>
			editor.connection.request(acp.resumeSession, {
				sessionId,
				cwd: conversation.box.root,
				mcpServers: names.map((name) => ({ name, command: name, args: [], env: [] })),
			});
		await resume();
		expect(deeds.splice(0)).toEqual(["open 1"]);
		await resume("dice");
		expect(deeds.splice(0)).toEqual(["release", "open 2", "close 1"]);
		await resume("dice");
		expect(deeds).toEqual([]);
		await editor.connection.request(acp.closeSession, { sessionId });
		expect(deeds).toEqual(["release", "close 2"]);
	});

	test("does not take what was allowed in one folder for allowed in another", async () => {
		const answers = [[REMOVE], "Gone.", [REMOVE], "Gone, too."];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		const elsewhere = await Toolbox.draw({ "a.txt": "two\n" });
		editor.answer = "session";
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Remove it");
		await editor.connection.request(acp.resumeSession, { sessionId, cwd: elsewhere.root });
		editor.told.length = 0;
		await editor.prompt(sessionId, "Remove it");
		expect(editor.told).toContainEqual(expect.stringMatching(/^asks Delete a\.txt/));
	});

	test("asks another agent to set what is set before it puts the prompt to it that comes right behind", async () => {
		const conversation = await Conversation.begin({});
		const order: string[] = [];
		const opened = gate();
		const agent = {
			setMode: async (mode: string) => void order.push(mode),
			setConfigOption: async (_id: string, value: string) => {
				order.push(value);
				return [];
			},
		};
		let isSlow = false;
		const editor = new ChatEditor(
			conversation,
			{},
			{
				agent: "other",
				agentFor: async () => {
					if (isSlow) await opened.opened;
					return agent as never;
				},
				prompt: async () => {
					order.push("prompt");
					return "done";
				},
			},
		);
		const sessionId = await editor.session();
		isSlow = true;
		const { connection } = editor;
		const all = [
			connection.request(acp.setMode, { sessionId, modeId: "wild" }),
			connection.request(acp.setConfigOption, { sessionId, configId: "model", value: "large" }),
			editor.prompt(sessionId, "Go"),
		];
		await settled();
		expect(order).toEqual([]);
		opened.open();
		await Promise.all(all);
		expect(order).toEqual(["wild", "large", "prompt"]);
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

	test("has an engine as long as a session is open, or something is looked up", async () => {
		const editor = await ChatEditor.open();
		const sessionId = await editor.session();
		const { connection } = editor;
		const cwd = editor.conversation.box.root;
		await connection.request(acp.listSessions, {});
		await connection.request(acp.resumeSession, { sessionId, cwd });
		await connection.request(acp.loadSession, { sessionId, cwd });
		expect(editor.lent.size).toBe(1);
		await expect(connection.request(acp.loadSession, { sessionId: "none", cwd })).rejects.toMatchObject({
			code: -32002,
		});
		await expect(connection.request(acp.resumeSession, { sessionId: "none", cwd })).rejects.toThrow();
		await expect(connection.request(acp.deleteSession, { sessionId: "none" })).rejects.toThrow();
		expect(editor.lent.size).toBe(1);
		const other = await connection.request(acp.newSession, { cwd });
		expect(editor.lent.size).toBe(2);
		await connection.request(acp.deleteSession, { sessionId: other.sessionId });
		await connection.request(acp.closeSession, { sessionId });
		expect(editor.lent.size).toBe(0);
	});

	test("gives back the engine of a session that is opened again twice, of which the first fails", async () => {
		const conversation = await Conversation.begin({});
		const failing = gate();
		let openings = 0;
		const agentFor = async () => {
			if (++openings !== 2) return { commands: [] } as never;
			await failing.opened;
			throw new RpcError(-32603, "The agent is gone");
		};
		const editor = new ChatEditor(conversation, {}, { agent: "other", agentFor });
		const sessionId = await editor.session();
		const place = { sessionId, cwd: conversation.box.root };
		const first = editor.connection.request(acp.resumeSession, place);
		await expect.poll(() => openings).toBe(2);
		const second = editor.connection.request(acp.resumeSession, place);
		await settled();
		failing.open();
		await expect(first).rejects.toMatchObject({ message: "The agent is gone" });
		await second;
		expect(editor.lent.size).toBe(1);
		await editor.connection.request(acp.closeSession, { sessionId });
		expect(editor.lent.size).toBe(0);
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

	const RUN = { type: "call" as const, id: "c1", tool: "run_command", input: '{"command":"make test"}' };

	test.each([
		[0, "completed"],
		[2, "failed"],
	])(
		"runs a command that ends with %i in a terminal of the editor, which shows it as long as it has it",
		async (exitCode, status) => {
			const editor = await ChatEditor.open({ answers: [[RUN], "Done."] });
			editor.terminal = { exitCode };
			const sessionId = await editor.session();
			await editor.prompt(sessionId, "Test it");
			expect(editor.told.slice(editor.told.indexOf("tool_call_update Run make test pending"))).toEqual([
				"tool_call_update Run make test pending",
				"asks Run make test: once session always no",
				"tool_call_update Run make test in_progress",
				"create t1 make test true",
				"tool_call_update Run make test in_progress in t1",
				`tool_call_update Run make test ${status} in t1`,
				"release t1",
				"agent Done.",
				"answer 2",
			]);
			const results = editor.conversation.model.requests[1]?.messages.at(-1);
			expect(JSON.stringify(results)).toContain(`printed\\n(exit code ${exitCode})`);
			expect(editor.wrong).toEqual([]);
			// It is gone by then, and what it showed is told in its place.
			editor.updates.length = 0;
			await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.box.root });
			expect(editor.updates).toContainEqual(
				expect.objectContaining({
					sessionUpdate: "tool_call",
					content: [{ type: "content", content: { type: "text", text: `printed\n(exit code ${exitCode})` } }],
				}),
			);
		},
	);

	test("ends the command in the editor's terminal when its turn is cancelled", async () => {
		const editor = await ChatEditor.open({ answers: [[RUN]] });
		editor.terminal = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Test it");
		await expect.poll(() => editor.told).toContain("tool_call_update Run make test in_progress in t1");
		editor.connection.notify(acp.cancel, { sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await settled();
		expect(editor.told.slice(editor.told.indexOf("kill t1"))).toEqual([
			"kill t1",
			"tool_call_update Run make test failed in t1",
			"release t1",
			"answer 2",
		]);
	});

	test("starts nothing in the editor's terminal that was not allowed", async () => {
		const editor = await ChatEditor.open({ answers: [[RUN], "Fine."] });
		editor.terminal = { exitCode: 0 };
		editor.answer = "no";
		await editor.prompt(await editor.session(), "Test it");
		expect(editor.told.filter((each) => /^(create|release)/.test(each))).toEqual([]);
	});

	test.skipIf(process.platform === "win32")(
		"runs a command itself for an editor that knows no terminals after all",
		async () => {
			const answers = [[{ ...RUN, input: '{"command":"echo one"}' }], "Done."];
			const editor = await ChatEditor.open({ answers });
			editor.terminal = "no such method";
			await editor.prompt(await editor.session(), "Say one");
			expect(JSON.stringify(editor.conversation.model.requests[1]?.messages.at(-1))).toContain("one\\n(exit code 0)");
		},
	);

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
