import { readFileSync } from "node:fs";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { StoreError } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { McpInMemory } from "@segue/testing/agents/mcp-in-memory";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { CHANGE, ChatEditor, READ } from "@segue/testing/editors/chat-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import type { Authentication } from "../acp-server.js";

describe("chat over ACP", () => {
	test("is included in the response to initialize", async () => {
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

	test("requires sign-in if authentication is configured", async () => {
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
		const conversation = await ChatFixture.begin({});
		const { connection } = new ChatEditor(conversation, {}, {}, authentication);
		await connection.request(acp.initialize, { protocolVersion: 1 });
		const sessionId = conversation.thread.id;
		const place = { cwd: conversation.tools.root };
		const requests = () => [
			connection.request(acp.newSession, place),
			connection.request(acp.loadSession, { sessionId, ...place }),
			connection.request(acp.resumeSession, { sessionId, ...place }),
			connection.request(acp.listSessions, {}),
			connection.request(acp.deleteSession, { sessionId }),
			connection.request(acp.prompt, { sessionId, prompt: [] }),
		];
		for (const request of requests()) await expect(request).rejects.toMatchObject({ code: -32000 });
		await connection.request(acp.authenticate, { methodId: "key" });
		await connection.request(acp.loadSession, { sessionId, ...place });
		await connection.request(acp.logout, {});
		await expect(connection.request(acp.prompt, { sessionId, prompt: [] })).rejects.toMatchObject({ code: -32000 });
	});

	test("creates a session with modes and settings, then sends its commands", async () => {
		const editor = await ChatEditor.open();
		await editor.initialize();
		const place = { cwd: editor.conversation.tools.root, mcpServers: [] };
		const session = await editor.connection.request(acp.newSession, place);
		await settled();
		expect(session.modes?.currentModeId).toBe("edit");
		expect(session.configOptions?.map(({ id, currentValue }) => [id, currentValue])).toEqual([
			["mode", "edit"],
			["model", "test/first"],
			["effort", "default"],
		]);
		expect(editor.transcript).toEqual(["answer 0", "answer 1", "available_commands_update"]);
	});

	test("streams a turn, asks before it edits and responds after the last update", async () => {
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
		expect(editor.transcript.filter((each) => !each.startsWith("tool_call_update"))).toEqual([
			"session_info_update",
			"thought Hm.",
			"agent Look.",
			"tool_call read_file pending",
			"tool_call edit_file pending",
			"asks Edit a.txt: once session always no",
			"agent Done.",
			"answer 2",
		]);
		expect(readFileSync(path.join(editor.conversation.tools.root, "a.txt"), "utf8")).toBe("two\n");
		expect(editor.violations).toEqual([]);
	});

	test("rejects a prompt that cannot be stored and reports the reason and the next step", async () => {
		const editor = await ChatEditor.open({ answers: ["Hi."] });
		const sessionId = await editor.session();
		const full = new StoreError("The disk is full: segue.db could not be written. Make room and try again.");
		editor.conversation.store.append = () => Promise.reject(full);
		await expect(editor.prompt(sessionId, "Hello")).rejects.toMatchObject({ code: -32603, message: full.message });
	});

	test("shows the whole command in a permission request", async () => {
		const command = `echo ${"a".repeat(3000)}; touch in-the-middle; echo \`\`\`${"b".repeat(3000)}`;
		const run = { type: "call" as const, id: "c1", tool: "run_command", input: JSON.stringify({ command }) };
		const editor = await ChatEditor.open({ answers: [[run], "Done."] });
		editor.answer = "no";
		await editor.prompt(await editor.session(), "Run it");
		expect(editor.permissionRequests).toMatchObject([
			{
				title: `Run echo ${"a".repeat(75)}… (6,036 characters)`,
				content: [{ type: "content", content: { type: "text", text: `\`\`\`\`sh\n${command}\n\`\`\`\`` } }],
			},
		]);
		expect(editor.violations).toEqual([]);
	});

	test.each([
		["only the editor recognizes its scheme", "git:/w/ignored/a.ts", "it is not a file on this machine"],
		["its link leads to a secret file", "file://ROOT/notes.txt", "it has the name of a secret file"],
	])("hides attached text from the model and shows a notice if %s", async (_case, written, why) => {
		const files = { ".env": "", "notes.txt": "→ .env" };
		const editor = await ChatEditor.open({ files, answers: ["Done."] });
		const uri = written.replace("ROOT", editor.conversation.tools.root);
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Look", { type: "resource", resource: { uri, text: "HIDDEN" } });
		expect(JSON.stringify(editor.conversation.model.requests)).not.toContain("HIDDEN");
		const name = uri.replace("file://", "");
		expect(editor.transcript).toContainEqual(expect.stringContaining(`The model was not shown ${name}: ${why}`));
	});

	test("shows invisible characters in the arguments of an MCP tool in a permission request", async () => {
		const { start } = new McpInMemory(() => {
			const server = new McpServer({ name: "test", version: "1.0.0" });
			server.registerTool("ask", {}, async () => ({ content: [] }));
			return server;
		});
		const ask = { type: "call" as const, id: "c1", tool: "web__ask", input: '{"city":"Os\u200blo"}' };
		const mcpServers = [{ name: "web", type: "stdio" as const, command: "web", args: [], env: {} }];
		const editor = await ChatEditor.open({ startMcpServer: start, mcpServers, answers: [[ask], "Done."] });
		await editor.prompt(await editor.session(), "Ask");
		expect(editor.permissionRequests).toMatchObject([
			{
				rawInput: { city: "Os⟨U+200B⟩lo" },
				content: [{ type: "content", content: { type: "text", text: '```json\n{"city":"Os⟨U+200B⟩lo"}\n```' } }],
			},
		]);
		expect(editor.violations).toEqual([]);
	});

	test("rejects a command that contains an invisible character without asking the user", async () => {
		const input = JSON.stringify({ command: "echo safe\u2800; touch seen" });
		const run = { type: "call" as const, id: "c1", tool: "run_command", input };
		const editor = await ChatEditor.open({ answers: [[run], "Done."] });
		await editor.prompt(await editor.session(), "Run it");
		expect(editor.permissionRequests).toEqual([]);
		expect(JSON.stringify(editor.conversation.model.requests[1]?.messages.at(-1))).toContain("(U+2800)");
	});

	test.each([
		["rejected", "no"],
		["cancelled", undefined],
		["answered with an unknown option", "perhaps"],
	])("does not edit the file if the permission request is %s", async (_title, answer) => {
		const answers = [READ, [CHANGE], "Well."];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		editor.answer = answer;
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Make it two");
		expect(readFileSync(path.join(editor.conversation.tools.root, "a.txt"), "utf8")).toBe("one\n");
	});

	test("cancels the turn if a permission request is cancelled before session/cancel arrives", async () => {
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers: [READ, [CHANGE], "Well.", "Again"] });
		editor.answer = undefined;
		const sessionId = await editor.session();
		expect(await editor.prompt(sessionId, "Make it two")).toMatchObject({ stopReason: "cancelled" });
		expect(editor.conversation.model.requests).toHaveLength(2);
		// A late cancellation does not affect the next turn.
		editor.connection.notify(acp.cancel, { sessionId });
		expect(await editor.prompt(sessionId, "Go on")).toMatchObject({ stopReason: "end_turn" });
	});

	test("ends a cancelled turn with the reason “cancelled”, after its updates", async () => {
		const editor = await ChatEditor.open({
			answers: [[{ type: "text", text: "One" }, HOLD, { type: "text", text: "Two" }]],
		});
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Count");
		await editor.conversation.model.holding();
		editor.connection.notify(acp.cancel, { sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		expect(editor.transcript.slice(-2)).toEqual(["agent One", "answer 2"]);
	});

	test("rejects a second prompt during a turn, but accepts one right after a cancellation", async () => {
		const editor = await ChatEditor.open({ answers: [[{ type: "text", text: "One" }, HOLD], "Again"] });
		const sessionId = await editor.session();
		const first = editor.prompt(sessionId, "Count");
		await editor.conversation.model.holding();
		await expect(editor.prompt(sessionId, "Hurry")).rejects.toMatchObject({ code: -32600 });
		editor.connection.notify(acp.cancel, { sessionId });
		const second = editor.prompt(sessionId, "Again");
		expect(await first).toMatchObject({ stopReason: "cancelled" });
		expect(await second).toMatchObject({ stopReason: "end_turn" });
		expect(editor.transcript.at(-2)).toBe("agent Again");
	});

	test("rejects an image that the model does not support and suggests what to do", async () => {
		const editor = await ChatEditor.open({ answers: ["I see."] });
		const sessionId = await editor.session();
		const image: acp.ContentBlock = { type: "image", data: "AAAA", mimeType: "image/png" };
		await expect(editor.prompt(sessionId, "Look", image)).rejects.toMatchObject({
			code: -32602,
			message: expect.stringMatching(/params\.prompt\[1\]: test\/first does not support images; choose another model/),
		});
		expect(await editor.conversation.assist.entries(sessionId)).toEqual([]);
		editor.conversation.model.takesImages = true;
		expect(await editor.prompt(sessionId, "Look", image)).toMatchObject({ stopReason: "end_turn" });
	});

	test("sends settings to an external agent before the prompt that follows them", async () => {
		const conversation = await ChatFixture.begin({});
		const order: string[] = [];
		const opened = deferred();
		const agent = {
			protocol: "acp",
			setMode: async (mode: string) => void order.push(mode),
			setConfigOption: async (_id: string, value: string) => {
				order.push(value);
				return [];
			},
		};
		let isSlow = false;
		conversation.assist.agentFor = async () => {
			if (isSlow) await opened.opened;
			return agent as never;
		};
		const editor = new ChatEditor(
			conversation,
			{},
			{
				agent: "other",
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

	test("shows the configured effort until another is chosen", async () => {
		const editor = new ChatEditor(await ChatFixture.begin({}), {}, { effort: "low" });
		await editor.initialize();
		const place = { cwd: editor.conversation.tools.root, mcpServers: [] };
		const { sessionId, configOptions } = await editor.connection.request(acp.newSession, place);
		expect(configOptions?.at(-1)).toMatchObject({ id: "effort", currentValue: "low" });
		const set = { sessionId, configId: "effort", value: "high" };
		const changed = await editor.connection.request(acp.setConfigOption, set);
		expect(changed.configOptions.at(-1)).toMatchObject({ currentValue: "high" });
	});

	test.each(["nowhere", "a.txt"])("rejects a session if the path is not a folder: %s", async (name) => {
		const editor = await ChatEditor.open({ files: { "a.txt": "" } });
		await editor.initialize();
		const cwd = path.join(editor.conversation.tools.root, name);
		await expect(editor.connection.request(acp.newSession, { cwd, mcpServers: [] })).rejects.toMatchObject({
			code: -32602,
			message: expect.stringContaining("params.cwd"),
		});
	});

	test.each(["x", "|x", "x|y"])("rejects an unknown cursor: %s", async (cursor) => {
		const editor = await ChatEditor.open();
		await editor.initialize();
		await expect(editor.connection.request(acp.listSessions, { cursor })).rejects.toMatchObject({
			code: -32602,
			message: expect.stringContaining("params.cursor"),
		});
	});

	test("changes the mode and settings and sends updates", async () => {
		const editor = await ChatEditor.open({ answers: ["Asked."] });
		const sessionId = await editor.session();
		await editor.connection.request(acp.setMode, { sessionId, modeId: "ask" });
		await settled();
		expect(editor.transcript).toEqual(["answer 2", "current_mode_update", "config_option_update"]);
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

	test("uses the model chosen last, whether in the settings or with /model, and sends an update", async () => {
		const conversation = await ChatFixture.begin({ answers: ["One.", "Two."] });
		const models: unknown[] = [];
		const editor = new ChatEditor(
			conversation,
			{},
			{
				prompt: (id, parts, client, options) => {
					models.push(options.model);
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
		expect(models.filter((_, i) => [1, 3, 4].includes(i))).toEqual(["test/first", "test/first", "test/second"]);
	});

	test.each<[string, unknown, RegExp]>([
		["a relative folder", { cwd: "src" }, /absolute/],
		["a NUL character in its folder", { cwd: "/a\0b" }, /params\.cwd: expected a path without NUL/],
		[
			"a NUL character in an additional folder",
			{ cwd: "/", additionalDirectories: ["/a\0b"] },
			/additionalDirectories: expected a path without NUL/,
		],
		["a relative path for an additional folder", { cwd: "/", additionalDirectories: ["lib"] }, /absolute/],
		[
			"an MCP server over SSE",
			{ cwd: "/", mcpServers: [{ type: "sse", name: "x", url: "http://x", headers: [] }] },
			/sse/,
		],
	])("rejects a session with %s", async (_title, params, message) => {
		const editor = await ChatEditor.open();
		await editor.initialize();
		const session = editor.connection.request(acp.newSession, params as { cwd: string });
		await expect(session).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
	});

	test("cancels the turn when its client disconnects and keeps its entries", async () => {
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
