import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type * as sdk from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SdkEditor } from "@segue/testing/editors/sdk-editor";
import { isAll, WAIT } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runSegue } from "../program.js";

// The ACP SDK's client is connected through `segue acp --agent` to an agent built with the ACP SDK.

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

describe("an editor with another agent behind Segue", () => {
	test("is offered the agent's own modes, settings and commands", async () => {
		const editor = new SdkEditor(runSegue, []);
		const { modes, configOptions } = await editor.open();
		expect(modes).toMatchObject({ currentModeId: "calm", availableModes: [{ id: "calm" }, { id: "wild" }] });
		expect(configOptions).toMatchObject([{ id: "model", currentValue: "small" }]);
		await vi.waitFor(() => expect(editor.transcript).toEqual(["available_commands_update"]), WAIT);
		expect(editor.updates).toMatchObject([{ availableCommands: [{ name: "compact" }] }]);
		const { sessionId } = editor;
		await editor.agent.request("session/set_mode", { sessionId, modeId: "wild" });
		await vi.waitFor(() => expect(editor.updates.at(-1)).toMatchObject({ currentModeId: "wild" }), WAIT);
		const set: sdk.SetSessionConfigOptionRequest = { sessionId, configId: "model", value: "large" };
		const answer = await editor.agent.request("session/set_config_option", set);
		expect(answer.configOptions).toMatchObject([{ currentValue: "large" }]);
	});

	test("receives the agent's updates in order, and its answers reach the agent", async () => {
		const editor = new SdkEditor(runSegue, ["--early"]);
		await editor.open();
		expect(await editor.prompt("everything")).toMatchObject({ stopReason: "end_turn" });
		expect(editor.transcript).toEqual([
			"available_commands_update",
			"session_info_update",
			"agent_thought_chunk",
			"plan",
			"agent_message_chunk",
			"agent_message_chunk",
			"tool_call",
			"permission",
			"tool_call_update",
			"agent_message_chunk",
			"usage_update",
			"session_info_update",
		]);
		expect(editor.permissionRequests).toMatchObject([
			{
				sessionId: editor.sessionId,
				toolCall: { toolCallId: "c1", content: [{ type: "diff", oldText: "one\n" }], _meta: { own: 1 } },
				options: [{ optionId: "yes" }, { optionId: "ever" }, { optionId: "no" }],
			},
		]);
		expect(editor.updates).toContainEqual({
			sessionUpdate: "usage_update",
			used: 12,
			size: 100,
			cost: { amount: 0.5, currency: "USD" },
		});
		expect(editor.text).toBe("Looking.Answer: yes");
		expect(readFileSync(path.join(editor.folder, "a.txt"), "utf8")).toBe("two\n");
		expect(editor.otherSessions).toEqual([]);
	});

	test.each([
		{ sessionUpdate: "of_a_later_version", own: { x: [1] } },
		{ sessionUpdate: "plan", entries: 5, _meta: { own: 1 } },
	])("receives unknown updates unchanged: %j", async (update) => {
		const editor = new SdkEditor(runSegue, []);
		const { sessionId } = await editor.open();
		await editor.prompt(`news ${JSON.stringify(update)}`);
		expect(editor.messages).toContainEqual({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
	});

	test("cancels a turn and receives the updates that precede its end", async () => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		const turn = editor.prompt("wait");
		await editor.until("Waiting.");
		await editor.agent.notify("session/cancel", { sessionId: editor.sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		expect(editor.text).toBe("Waiting. Stopped.");
	});

	test.each(["_own/request", "workspace/open_documents"])("answers the agent's requests: %s", async (method) => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		await editor.prompt(`private ${method}`);
		expect(JSON.parse(editor.text)).toEqual({ heard: { sessionId: editor.sessionId, own: 1 } });
	});

	test("passes its capabilities on to the agent", async () => {
		const own = { session: { configOptions: { boolean: {} } }, _meta: { own: 1 } };
		const editor = new SdkEditor(runSegue, [], own);
		await editor.open();
		await editor.prompt("offered");
		const { capabilities } = JSON.parse(editor.text);
		expect(capabilities).toMatchObject({ ...own, fs: { readTextFile: true, writeTextFile: true }, terminal: true });
	});

	test.runIf(isAll)(
		"answers an agent without ACP extensions through `segue editor-mcp`, with each program in its own process",
		async () => {
			const editor = SdkEditor.withProcesses([], { workspace: { openDocuments: {} } } as sdk.ClientCapabilities);
			editor.documents = [{ uri: pathToFileURL(path.join(editor.folder, "a.txt")).href, languageId: "plaintext" }];
			await editor.open();
			await editor.prompt("offered");
			const [server] = JSON.parse(editor.text).servers;
			const env = Object.fromEntries(server.env.map(({ name, value }: sdk.EnvVariable) => [name, value]));
			const client = new Client({ name: "agent", version: "1.0.0" });
			await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
			onTestFinished(() => client.close());
			expect(await client.callTool({ name: "open_documents" })).toMatchObject({
				content: [{ type: "text", text: "a.txt: plaintext" }],
			});
		},
	);

	test.runIf(isAll).each([
		["SIGHUP", 129],
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const)("stops Segue with %s, which stops the agent and deletes the socket", async (signal, code) => {
		const editor = SdkEditor.withProcesses(["--stubborn"], {
			workspace: { openDocuments: {} },
		} as sdk.ClientCapabilities);
		await editor.open();
		await editor.prompt("offered");
		const [server] = JSON.parse(editor.text).servers;
		expect(existsSync(server.args[2])).toBe(true);
		editor.updates.length = 0;
		await editor.prompt("pid");
		const pid = Number(editor.text);
		expect(isAlive(pid)).toBe(true);
		expect(await editor.kill(signal)).toBe(code);
		await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAIT);
		expect(readdirSync(editor.temporary).filter((name) => name.startsWith("segue-editor-"))).toEqual([]);
	});

	test("writes the agent's files itself if it can", async () => {
		const editor = new SdkEditor(runSegue, [], { fs: { readTextFile: true, writeTextFile: true } });
		await editor.open();
		await editor.prompt("write new.txt");
		expect(editor.text).toBe("{}");
		const file = path.join(editor.folder, "new.txt");
		expect(editor.written).toEqual([{ sessionId: editor.sessionId, path: file, content: "written\n" }]);
		expect(editor.permissionRequests).toEqual([]);
	});

	test("runs the agent's commands in its own terminals if it has any", async () => {
		const editor = new SdkEditor(runSegue, [], { terminal: true });
		await editor.open();
		await editor.prompt("run make");
		expect(JSON.parse(editor.text)).toEqual({ exitCode: 7, output: "of mine", truncated: false });
		expect(editor.permissionRequests).toEqual([]);
		expect(editor.updates).toContainEqual(
			expect.objectContaining({ content: [{ type: "terminal", terminalId: "mine" }] }),
		);
	});

	test("receives the output of Segue's terminals if it has none", async () => {
		const editor = new SdkEditor(runSegue, []);
		editor.answer = "once";
		await editor.open();
		await editor.prompt("run echo hello");
		expect(JSON.parse(editor.text)).toMatchObject({ exitCode: 0, output: "hello\n" });
		expect(editor.permissionRequests).toMatchObject([{ toolCall: { title: "echo hello" } }]);
		expect(editor.updates.at(-2)).toMatchObject({ content: [{ type: "content", content: { text: "hello\n" } }] });
	});

	test.each([
		["the agent", "everything", "c1"],
		["Segue", "write new.txt", "segue-1"],
		["Segue", "run echo hello", "segue-1"],
	])("is asked only about calls that it has already received: a call from %s, %s", async (_whose, prompt, id) => {
		const editor = new SdkEditor(runSegue, []);
		editor.answer = "once";
		await editor.open();
		// Agents may reuse call ids in every turn, but Segue's own ids are unique within a thread.
		for (const toolCallId of [id, id === "c1" ? id : `${id}-2`]) {
			editor.transcript.length = 0;
			editor.permissionRequests.length = 0;
			editor.updates.length = 0;
			rmSync(path.join(editor.folder, "new.txt"), { force: true });
			await editor.prompt(prompt);
			expect(editor.permissionRequests.map(({ toolCall }) => toolCall.toolCallId)).toContain(toolCallId);
			expect(editor.transcript.indexOf("tool_call")).toBeLessThan(editor.transcript.indexOf("permission"));
			const updates = editor.updates.filter((update) => "toolCallId" in update && update.toolCallId === toolCallId);
			expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(["tool_call", "tool_call_update"]);
		}
	});

	test("is asked about a call with the id that the agent gave it", async () => {
		const editor = new SdkEditor(runSegue, []);
		editor.answer = "once";
		await editor.open();
		for (let turn = 0; turn < 2; turn++) await editor.prompt("edit new.txt");
		expect(editor.permissionRequests.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["c1", "c1"]);
		expect(editor.transcript.filter((each) => each === "tool_call")).toHaveLength(2);
	});

	test("receives late updates, and the end of a call that the agent did not finish", async () => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		await editor.prompt("late");
		await editor.until("After the end.");
		await vi.waitFor(() => expect(editor.statuses.at(-1)).toBe("completed"), WAIT);
		await editor.prompt("unfinished");
		expect(editor.statuses.slice(-2)).toEqual(["in_progress", "failed"]);
	});

	test.runIf(isAll)("gets an exited agent's last output as the error, and continues with a new process", async () => {
		const editor = SdkEditor.withProcesses([]);
		await editor.open();
		const message = expect.stringMatching(/the agent exited with code 3: of grief\. The next prompt starts it again/);
		await expect(editor.prompt("die of grief")).rejects.toMatchObject({ code: -32603, message });
		await expect(editor.prompt("error of mine")).rejects.toMatchObject({
			message: expect.stringContaining("of mine"),
		});
		await editor.prompt("say alive");
		expect(editor.text).toBe("alive");
	});

	test.each<[string, number, RegExp]>([
		["--auth", -32000, /requires you to sign in/],
		["--refuse", -32603, /no room left/],
		...(isAll ? [["--broken", -32603, /No model is configured/] as [string, number, RegExp]] : []),
	])("receives the reason why a session cannot be created: %s", async (flag, code, message) => {
		const editor = flag === "--broken" ? SdkEditor.withProcesses([flag]) : new SdkEditor(runSegue, [flag]);
		await editor.initialize();
		const opening = editor.agent.request("session/new", { cwd: editor.folder, mcpServers: [] });
		await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
		expect((await editor.agent.request("session/list", {})).sessions).toEqual([]);
	});

	test("receives the agent's error for an invalid setting", async () => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		const { sessionId } = editor;
		const set = editor.agent.request("session/set_mode", { sessionId, modeId: "none" });
		await expect(set).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("no such mode") });
	});

	test.runIf(isAll)("can load a session even if the agent no longer starts", async () => {
		const editor = SdkEditor.withProcesses([]);
		await editor.open();
		await editor.prompt("say The answer is 42.");
		await editor.end();
		editor.updates.length = 0;
		editor.agent = editor.start("--broken");
		await editor.initialize();
		const { sessionId } = editor;
		await editor.agent.request("session/load", { sessionId, cwd: editor.folder, mcpServers: [] });
		expect(editor.text).toBe("The answer is 42.");
		const message = expect.stringContaining("No model is configured");
		await expect(editor.prompt("say more")).rejects.toMatchObject({ message });
	});

	test("receives the agent's original updates again when another process loads the session", async () => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		await editor.prompt("everything");
		const call = { toolCallId: "m1", title: "Move it", kind: "move", status: "completed" };
		const raw = { rawInput: { from: "a" }, rawOutput: { moved: true } };
		await editor.prompt(`news ${JSON.stringify({ sessionUpdate: "tool_call", ...call, ...raw })}`);
		const mode = { toolCallId: "m2", title: "Go wild", kind: "switch_mode", status: "completed" };
		await editor.prompt(`news ${JSON.stringify({ sessionUpdate: "tool_call", ...mode })}`);
		const shown = [
			{ type: "image", data: "AAAA", mimeType: "image/png" },
			{ type: "resource_link", name: "A page", uri: "https://a.example/" },
		];
		for (const content of shown) {
			await editor.prompt(`news ${JSON.stringify({ sessionUpdate: "agent_message_chunk", content })}`);
		}
		const stored = editor.updates.filter(
			({ sessionUpdate }) => sessionUpdate === "plan" || sessionUpdate === "usage_update",
		);
		expect(stored.map(({ sessionUpdate }) => sessionUpdate)).toEqual(["plan", "usage_update"]);
		await editor.end();
		editor.updates.length = 0;
		editor.agent = editor.start();
		await editor.initialize();
		await editor.agent.request("session/load", { sessionId: editor.sessionId, cwd: editor.folder, mcpServers: [] });
		for (const update of stored) expect(editor.updates).toContainEqual(update);
		expect(editor.updates).toContainEqual(expect.objectContaining({ ...call, ...raw }));
		expect(editor.updates).toContainEqual(expect.objectContaining(mode));
		for (const content of shown) expect(editor.updates).toContainEqual(expect.objectContaining({ content }));
	});

	test("makes the agent work in the folder for which it loads a session", async () => {
		const editor = new SdkEditor(runSegue, []);
		await editor.open();
		await editor.prompt("say Hello.");
		const cwd = path.join(editor.root, "other");
		mkdirSync(cwd);
		writeFileSync(path.join(cwd, "b.txt"), "of another folder");
		await editor.agent.request("session/load", { sessionId: editor.sessionId, cwd, mcpServers: [] });
		await editor.prompt("read b.txt");
		expect(editor.text).toContain("of another folder");
	});

	test("loads a session and its history in another process, and the agent resumes the session", async () => {
		const editor = new SdkEditor(runSegue, ["--resume"]);
		await editor.open();
		await editor.prompt("say The answer is 42.");
		await editor.end();
		editor.updates.length = 0;
		editor.agent = editor.start();
		await editor.initialize();
		const { sessionId } = editor;
		const place = { sessionId, cwd: editor.folder, mcpServers: [] };
		expect(await editor.agent.request("session/load", place)).toMatchObject({
			configOptions: [{ currentValue: "large" }],
		});
		expect(editor.text).toBe("The answer is 42.");
		await editor.prompt("repeat");
		expect(editor.text).toBe('The answer is 42.[{"text":"repeat","type":"text"}]');
	});
});
