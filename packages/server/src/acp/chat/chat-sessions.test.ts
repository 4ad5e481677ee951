import type { ChatEngine, EditorBridgeHandle } from "@segue/agent/chat/chat";
import type { TurnOptions } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { RpcError } from "@segue/rpc";
import { ChatFixture } from "@segue/testing/chat/chat-fixture";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { ChatEditor, READ, REMOVE } from "@segue/testing/editors/chat-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test, vi } from "vitest";

describe("chat over ACP", () => {
	test("replays the whole history before the response to session/load", async () => {
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers: [READ, "It says one."] });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "What does it say?");
		const other = new ChatEditor(editor.conversation);
		await other.initialize();
		const place = { cwd: editor.conversation.tools.root, mcpServers: [] };
		await other.connection.request(acp.loadSession, { sessionId, ...place });
		await settled();
		expect(other.transcript.slice(1)).toEqual([
			"user What does it say?",
			expect.stringMatching(/^tool_call Read a\.txt completed/),
			"agent It says one.",
			"answer 1",
			"available_commands_update",
		]);
		expect(other.violations).toEqual([]);
	});

	test("replays prompts with their blocks and the token usage recorded at the time", async () => {
		const usage = { inputTokens: 70, outputTokens: 7, cachedTokens: undefined, costUsd: 0.5 };
		const conditions = { windowTokens: 1000, takesImages: true, files: { "b.txt": "read\n" } };
		const reply = [
			{ type: "usage" as const, usage },
			{ type: "text" as const, text: "I see." },
		];
		const editor = await ChatEditor.open({ ...conditions, answers: [reply] });
		const sessionId = await editor.session();
		const { root } = editor.conversation.tools;
		const blocks: acp.ContentBlock[] = [
			{ type: "text", text: "Look" },
			{ type: "image", data: "AAAA", mimeType: "image/png" },
			{ type: "resource", resource: { uri: `file://${root}/a.txt#L2-L3`, text: "two\nthree\n" } },
			{ type: "resource_link", uri: `file://${root}/b.txt`, name: "b.txt" },
			{ type: "resource", resource: { uri: "https://example.org/page", text: "a page" } },
		];
		await editor.prompt(sessionId, ...blocks);
		const used = { sessionUpdate: "usage_update", used: 77, size: 1000, cost: { amount: 0.5, currency: "USD" } };
		expect(editor.updates).toContainEqual(used);
		// The model has changed since then.
		editor.conversation.model.windowTokens = 5;
		const other = new ChatEditor(editor.conversation);
		await other.initialize();
		await other.connection.request(acp.loadSession, { sessionId, cwd: root });
		expect(
			other.updates.flatMap((each) => (each.sessionUpdate === "user_message_chunk" ? [each.content] : [])),
		).toEqual(blocks);
		expect(other.updates).toContainEqual(used);
		expect(other.violations).toEqual([]);
	});

	test("restores a session's mode, model and effort", async () => {
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
			const place = { sessionId, cwd: editor.conversation.tools.root };
			const { modes, configOptions } = await other.connection.request(opening, place);
			expect(modes?.currentModeId).toBe("ask");
			expect(configOptions?.map(({ currentValue }) => currentValue)).toEqual(["ask", "test/second", "high"]);
		}
	});

	test("cancels the running turn and uses the new workspace when a session is loaded in another folder", async () => {
		const answers = [[{ type: "text" as const, text: "One" }, HOLD], [READ[0] ?? HOLD], "Read."];
		const conversation = await ChatFixture.begin({ files: { "a.txt": "here\n" }, answers });
		const elsewhere = await ToolFixture.draw({ "a.txt": "elsewhere\n" });
		const turns: Partial<TurnOptions>[] = [];
		const prompt: ChatEngine["prompt"] = (id, parts, client, options) => {
			turns.push(options);
			return conversation.assist.prompt(id, parts, client, { ...options, mcpServers: [] });
		};
		const editor = new ChatEditor(conversation, {}, { prompt });
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Count");
		await conversation.model.holding();
		await editor.connection.request(acp.loadSession, {
			sessionId,
			cwd: elsewhere.root,
			additionalDirectories: [conversation.tools.root],
			mcpServers: [{ name: "dice", command: "dice", args: [], env: [] }],
		});
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await editor.prompt(sessionId, "Read it");
		expect(JSON.stringify(conversation.model.requests[2]?.messages.at(-1))).toContain("elsewhere");
		expect(turns.at(-1)).toMatchObject({
			workspace: elsewhere.root,
			folders: [conversation.tools.root],
			mcpServers: [{ name: "dice", type: "stdio" }],
		});
		// The session is still listed under its first folder.
		const listed = await editor.connection.request(acp.listSessions, { cwd: conversation.tools.root });
		expect(listed.sessions.map((each) => each.sessionId)).toContain(sessionId);
	});

	test("restarts the external agent's session only if the MCP servers change", async () => {
		const conversation = await ChatFixture.begin({});
		const events: string[] = [];
		vi.spyOn(conversation.assist, "release").mockImplementation(async () => void events.push("release"));
		let bridges = 0;
		const openEditorBridge = async (): Promise<EditorBridgeHandle> => {
			const number = ++bridges;
			events.push(`open ${number}`);
			const server = { name: "bridge", type: "stdio" as const, command: "bridge", args: [], env: {} };
			return { server, close: () => events.push(`close ${number}`) };
		};
		const editor = new ChatEditor(conversation, {}, { openEditorBridge });
		const sessionId = await editor.session();
		const resume = (...names: readonly string[]) =>
			editor.connection.request(acp.resumeSession, {
				sessionId,
				cwd: conversation.tools.root,
				mcpServers: names.map((name) => ({ name, command: name, args: [], env: [] })),
			});
		await resume();
		expect(events.splice(0)).toEqual(["open 1"]);
		await resume("dice");
		expect(events.splice(0)).toEqual(["release", "open 2", "close 1"]);
		await resume("dice");
		expect(events).toEqual([]);
		await editor.connection.request(acp.closeSession, { sessionId });
		expect(events).toEqual(["release", "close 2"]);
	});

	test("does not reuse a permission in another folder", async () => {
		const answers = [[REMOVE], "Gone.", [REMOVE], "Gone, too."];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		const elsewhere = await ToolFixture.draw({ "a.txt": "two\n" });
		editor.answer = "session";
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Remove it");
		await editor.connection.request(acp.resumeSession, { sessionId, cwd: elsewhere.root });
		editor.transcript.length = 0;
		await editor.prompt(sessionId, "Remove it");
		expect(editor.transcript).toContainEqual(expect.stringMatching(/^asks Delete a\.txt/));
	});

	test("ends the running turn before it replays a reloaded session", async () => {
		const answers = [[{ type: "text" as const, text: "One" }, REMOVE], "Two"];
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers });
		editor.answer = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Remove it");
		await expect.poll(() => editor.transcript.some((words) => words.startsWith("asks"))).toBe(true);
		editor.transcript.length = 0;
		const place = { sessionId, cwd: editor.conversation.tools.root };
		const load = editor.connection.request(acp.loadSession, place);
		const again = editor.connection.request(acp.loadSession, place);
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		await Promise.all([load, again]);
		await editor.prompt(sessionId, "Go on");
		const replay = ["user Remove it", "agent One", "tool_call Delete a.txt failed"];
		expect(editor.transcript.filter((words) => !/_update$/.test(words))).toEqual([
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

	test("waits for the running turn to end when a session is closed and immediately reloaded", async () => {
		const editor = await ChatEditor.open({ files: { "a.txt": "one\n" }, answers: [[REMOVE], "Two"] });
		editor.answer = "never";
		const sessionId = await editor.session();
		const turn = editor.prompt(sessionId, "Remove it");
		await expect.poll(() => editor.transcript.some((words) => words.startsWith("asks"))).toBe(true);
		const close = editor.connection.request(acp.closeSession, { sessionId });
		await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.tools.root });
		expect(editor.transcript).toContain("tool_call Delete a.txt failed");
		await Promise.all([turn, close]);
	});

	test("replays a tool call interrupted by a crash as failed", async () => {
		const editor = await ChatEditor.open();
		const sessionId = await editor.session();
		const call = { id: "c", tool: "read_file", kind: "read", title: "Read a.txt", status: "running" } as const;
		const body = { type: "call", call: { ...call, input: "{}", output: "", diffs: [], locations: [] } } as const;
		await editor.conversation.store.append(sessionId, "t", "2030-01-02T03:04:05.678Z", body);
		await editor.connection.request(acp.loadSession, { sessionId, cwd: editor.conversation.tools.root });
		expect(editor.transcript[0]).toBe("tool_call Read a.txt failed");
	});

	test("closes the editor bridge if opening a session fails or the client disconnects in the meantime", async () => {
		let open = 0;
		const server = { name: "editor", type: "stdio", command: "x", args: [], env: {} } as const;
		const bridge: EditorBridgeHandle = { server, close: () => open-- };
		const conversation = await ChatFixture.begin({});
		let fail = (_why: Error) => {};
		conversation.assist.agentFor = () => new Promise((_, reject) => (fail = reject));
		const editor = new ChatEditor(
			conversation,
			{},
			{
				agent: "other",
				openEditorBridge: async () => {
					open++;
					return bridge;
				},
			},
		);
		await editor.initialize();
		const begin = () => editor.connection.request(acp.newSession, { cwd: conversation.tools.root });
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
		fail(new Error("the client has disconnected"));
		await expect.poll(() => open).toBe(0);
	});

	test("lists, resumes, closes and deletes sessions", async () => {
		const editor = await ChatEditor.open({ answers: ["Hello."] });
		const sessionId = await editor.session();
		await editor.prompt(sessionId, "Hi there");
		const { connection, conversation } = editor;
		const cwd = conversation.tools.root;
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

	test("acquires an engine only while a session is open or a request needs it", async () => {
		const editor = await ChatEditor.open();
		const sessionId = await editor.session();
		const { connection } = editor;
		const cwd = editor.conversation.tools.root;
		await connection.request(acp.listSessions, {});
		await connection.request(acp.resumeSession, { sessionId, cwd });
		await connection.request(acp.loadSession, { sessionId, cwd });
		expect(editor.engines.size).toBe(1);
		await expect(connection.request(acp.loadSession, { sessionId: "none", cwd })).rejects.toMatchObject({
			code: -32002,
		});
		await expect(connection.request(acp.resumeSession, { sessionId: "none", cwd })).rejects.toThrow();
		await expect(connection.request(acp.deleteSession, { sessionId: "none" })).rejects.toThrow();
		expect(editor.engines.size).toBe(1);
		const other = await connection.request(acp.newSession, { cwd });
		expect(editor.engines.size).toBe(2);
		await connection.request(acp.deleteSession, { sessionId: other.sessionId });
		await connection.request(acp.closeSession, { sessionId });
		expect(editor.engines.size).toBe(0);
	});

	test("releases the engine when a session is resumed twice and the first attempt fails", async () => {
		const conversation = await ChatFixture.begin({});
		const failing = deferred();
		let openings = 0;
		conversation.assist.agentFor = async () => {
			if (++openings !== 2) return { protocol: "acp", commands: [] } as never;
			await failing.opened;
			throw new RpcError(-32603, "The agent is gone");
		};
		const editor = new ChatEditor(conversation, {}, { agent: "other" });
		const sessionId = await editor.session();
		const place = { sessionId, cwd: conversation.tools.root };
		const first = editor.connection.request(acp.resumeSession, place);
		await expect.poll(() => openings).toBe(2);
		const second = editor.connection.request(acp.resumeSession, place);
		await settled();
		failing.open();
		await expect(first).rejects.toMatchObject({ message: "The agent is gone" });
		await second;
		expect(editor.engines.size).toBe(1);
		await editor.connection.request(acp.closeSession, { sessionId });
		expect(editor.engines.size).toBe(0);
	});
});
