import { type ChildProcess, spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import * as sdk from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { quirkyAgent } from "@segue/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

// The ACP SDK's client, then `segue acp --agent`, then an agent made with the ACP SDK: three processes that are not one.

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "bin", "segue.js");
/** A process on a machine that is busy. */
const WAIT = { timeout: 20_000, interval: 5 };

/** An editor with `segue acp --agent` behind it. */
class Editor {
	readonly updates: sdk.SessionUpdate[] = [];
	/** All that came, as it came, also what the SDK makes nothing of. */
	readonly messages: sdk.AnyMessage[] = [];
	readonly asked: sdk.RequestPermissionRequest[] = [];
	/** What the editor was to write. */
	readonly written: sdk.WriteTextFileRequest[] = [];
	/** What is open. */
	documents: { readonly uri: string; readonly languageId: string }[] | undefined;
	/** Everything that came for any session but ours. */
	readonly strange: unknown[] = [];
	/** What came, in order, by its kind. */
	readonly told: string[] = [];
	answer: string | undefined = "yes";
	stderr = "";
	sessionId = "";
	readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "segue-front-")));
	readonly folder = path.join(this.root, "work");
	readonly temporary = path.join(this.root, "tmp");
	private readonly processes: ChildProcess[] = [];
	agent: sdk.ClientContext;

	constructor(
		private readonly flags: readonly string[],
		private readonly capabilities: sdk.ClientCapabilities = {},
	) {
		mkdirSync(this.folder);
		mkdirSync(this.temporary);
		writeFileSync(path.join(this.folder, "a.txt"), "one\n");
		this.agent = this.start();
		onTestFinished(async () => {
			for (const child of this.processes) await ended(child);
			rmSync(this.root, { recursive: true, force: true });
		});
	}

	/** Another process of Segue, on the same store. */
	start(...more: readonly string[]): sdk.ClientContext {
		const { command, args } = quirkyAgent(...this.flags, ...more);
		const line = [command, ...args].map((word) => `"${word}"`).join(" ");
		const child = spawn(process.execPath, [LAUNCHER, "acp", "--agent", line], {
			cwd: this.folder,
			env: {
				PATH: process.env["PATH"],
				HOME: this.root,
				TMPDIR: this.temporary,
				SEGUE_HOME: path.join(this.root, "home"),
			},
			stdio: ["pipe", "pipe", "pipe"],
		});
		this.processes.push(child);
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			this.stderr += text;
		});
		const app = sdk
			.client({ name: "editor" })
			.onNotification("session/update", ({ params }) => {
				if (this.sessionId !== "" && params.sessionId !== this.sessionId) this.strange.push(params);
				this.updates.push(params.update);
				this.told.push(params.update.sessionUpdate);
			})
			.onRequest("session/request_permission", ({ params }) => {
				this.asked.push(params);
				this.told.push("permission");
				const { answer } = this;
				if (answer === undefined) return { outcome: { outcome: "cancelled" } };
				return { outcome: { outcome: "selected", optionId: answer } };
			})
			// As some editors answer: an error for what they have not open, and null where there is nothing to say.
			.onRequest("fs/read_text_file", () => {
				throw sdk.RequestError.internalError();
			})
			.onRequest("fs/write_text_file", ({ params }) => {
				this.written.push(params);
				return null as never;
			})
			.onRequest("terminal/create", () => ({ terminalId: "mine" }))
			.onRequest("terminal/output", ({ params }) => ({ output: `of ${params.terminalId}`, truncated: false }))
			.onRequest("terminal/wait_for_exit", () => ({ exitCode: 7 }))
			.onRequest("terminal/release", () => ({}))
			.onRequest("*", ({ method, params }) => {
				if (method !== "_own/request" && method !== "workspace/open_documents")
					throw sdk.RequestError.methodNotFound(method);
				return { heard: params, documents: this.documents };
			});
		const { readable, writable } = sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as never);
		const heard = new TransformStream<sdk.AnyMessage, sdk.AnyMessage>({
			transform: (message, next) => {
				this.messages.push(message);
				next.enqueue(message);
			},
		});
		const stream = { readable: readable.pipeThrough(heard), writable };
		return app.connect(stream).agent;
	}

	async initialize(): Promise<void> {
		await this.agent.request("initialize", { protocolVersion: 1, clientCapabilities: this.capabilities });
	}

	async open(): Promise<sdk.NewSessionResponse> {
		await this.initialize();
		const session = await this.agent.request("session/new", { cwd: this.folder, mcpServers: [] });
		this.sessionId = session.sessionId;
		return session;
	}

	async prompt(text: string): Promise<sdk.PromptResponse> {
		return this.agent.request("session/prompt", { sessionId: this.sessionId, prompt: [{ type: "text", text }] });
	}

	/** What the agent said. */
	get text(): string {
		return this.updates
			.map((update) => {
				if (update.sessionUpdate !== "agent_message_chunk") return "";
				return update.content.type === "text" ? update.content.text : "";
			})
			.join("");
	}

	/** How calls were told to be, in order. */
	get statuses(): unknown[] {
		return this.updates.flatMap((update) => ("status" in update ? [update.status] : []));
	}

	async until(text: string): Promise<void> {
		await vi.waitFor(() => expect(this.text).toContain(text), WAIT);
	}

	/** The process that was started last ends by a signal. Gives its exit code. */
	async kill(signal: NodeJS.Signals): Promise<number | null> {
		const child = this.processes.at(-1) as ChildProcess;
		const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
		child.kill(signal);
		return exit;
	}

	/** The process that was started last ends as an editor ends it. */
	async end(): Promise<void> {
		await ended(this.processes.at(-1) as ChildProcess);
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exit = new Promise((resolve) => child.once("exit", resolve));
	child.stdin?.end();
	await exit;
}

describe("an editor with another agent behind Segue", () => {
	test("is offered the agent's own modes, settings and commands", async () => {
		const editor = new Editor([]);
		const { modes, configOptions } = await editor.open();
		expect(modes).toMatchObject({ currentModeId: "calm", availableModes: [{ id: "calm" }, { id: "wild" }] });
		expect(configOptions).toMatchObject([{ id: "model", currentValue: "small" }]);
		await vi.waitFor(() => expect(editor.told).toEqual(["available_commands_update"]), WAIT);
		expect(editor.updates).toMatchObject([{ availableCommands: [{ name: "compact" }] }]);
		const { sessionId } = editor;
		await editor.agent.request("session/set_mode", { sessionId, modeId: "wild" });
		await vi.waitFor(() => expect(editor.updates.at(-1)).toMatchObject({ currentModeId: "wild" }), WAIT);
		const set: sdk.SetSessionConfigOptionRequest = { sessionId, configId: "model", value: "large" };
		const answer = await editor.agent.request("session/set_config_option", set);
		expect(answer.configOptions).toMatchObject([{ currentValue: "large" }]);
	});

	test("hears the agent's own words, in order, and the agent its answers", async () => {
		const editor = new Editor(["--early"]);
		await editor.open();
		expect(await editor.prompt("everything")).toMatchObject({ stopReason: "end_turn" });
		expect(editor.told).toEqual([
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
		expect(editor.asked).toMatchObject([
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
		expect(editor.strange).toEqual([]);
	});

	test.each([
		{ sessionUpdate: "of_a_later_version", own: { x: [1] } },
		{ sessionUpdate: "plan", entries: 5, _meta: { own: 1 } },
	])("hears to the letter what Segue does not understand: %j", async (update) => {
		const editor = new Editor([]);
		const { sessionId } = await editor.open();
		await editor.prompt(`news ${JSON.stringify(update)}`);
		expect(editor.messages).toContainEqual({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
	});

	test("cancels a turn, and is told what came before the end", async () => {
		const editor = new Editor([]);
		await editor.open();
		const turn = editor.prompt("wait");
		await editor.until("Waiting.");
		await editor.agent.notify("session/cancel", { sessionId: editor.sessionId });
		expect(await turn).toMatchObject({ stopReason: "cancelled" });
		expect(editor.text).toBe("Waiting. Stopped.");
	});

	test.each(["_own/request", "workspace/open_documents"])("answers what the agent asks of it: %s", async (method) => {
		const editor = new Editor([]);
		await editor.open();
		await editor.prompt(`private ${method}`);
		expect(JSON.parse(editor.text)).toEqual({ heard: { sessionId: editor.sessionId, own: 1 } });
	});

	test("says what it can, and the agent hears it", async () => {
		const own = { session: { configOptions: { boolean: {} } }, _meta: { own: 1 } };
		const editor = new Editor([], own);
		await editor.open();
		await editor.prompt("offered");
		const { capabilities } = JSON.parse(editor.text);
		expect(capabilities).toMatchObject({ ...own, fs: { readTextFile: true, writeTextFile: true }, terminal: true });
	});

	test("is asked what is open by an agent that knows only MCP, through a server of ours", async () => {
		const editor = new Editor([], { workspace: { openDocuments: {} } } as sdk.ClientCapabilities);
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
	});

	test.each([
		["SIGHUP", 129],
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const)("may end us by %s, which ends the agent and leaves nothing behind", async (signal, code) => {
		const editor = new Editor(["--stubborn"], { workspace: { openDocuments: {} } } as sdk.ClientCapabilities);
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

	test("writes the agent's files where it can, in its own way", async () => {
		const editor = new Editor([], { fs: { readTextFile: true, writeTextFile: true } });
		await editor.open();
		await editor.prompt("write new.txt");
		expect(editor.text).toBe("{}");
		const file = path.join(editor.folder, "new.txt");
		expect(editor.written).toEqual([{ sessionId: editor.sessionId, path: file, content: "written\n" }]);
		expect(editor.asked).toEqual([]);
	});

	test("runs the agent's commands in its own terminals where it has them", async () => {
		const editor = new Editor([], { terminal: true });
		await editor.open();
		await editor.prompt("run make");
		expect(JSON.parse(editor.text)).toEqual({ exitCode: 7, output: "of mine", truncated: false });
		expect(editor.asked).toEqual([]);
		expect(editor.updates).toContainEqual(
			expect.objectContaining({ content: [{ type: "terminal", terminalId: "mine" }] }),
		);
	});

	test("is shown what our terminals show where it has none", async () => {
		const editor = new Editor([]);
		editor.answer = "once";
		await editor.open();
		await editor.prompt("run echo hello");
		expect(JSON.parse(editor.text)).toMatchObject({ exitCode: 0, output: "hello\n" });
		expect(editor.asked).toMatchObject([{ toolCall: { title: "echo hello" } }]);
		expect(editor.updates.at(-2)).toMatchObject({ content: [{ type: "content", content: { text: "hello\n" } }] });
	});

	test("is told how a call ended that the agent left open, and what it says late", async () => {
		const editor = new Editor([]);
		await editor.open();
		await editor.prompt("late");
		await editor.until("After the end.");
		await vi.waitFor(() => expect(editor.statuses.at(-1)).toBe("completed"), WAIT);
		await editor.prompt("unfinished");
		expect(editor.statuses.slice(-2)).toEqual(["in_progress", "failed"]);
	});

	test("gets its last words as an error when the agent dies, and goes on with another", async () => {
		const editor = new Editor([]);
		await editor.open();
		const message = expect.stringMatching(/the agent ended with code 3: of grief\. The next prompt starts it again/);
		await expect(editor.prompt("die of grief")).rejects.toMatchObject({ code: -32603, message });
		await expect(editor.prompt("error of mine")).rejects.toMatchObject({ message: expect.stringContaining("of mine") });
		await editor.prompt("say alive");
		expect(editor.text).toBe("alive");
	});

	test.each([
		["--auth", -32000, /sign in first/],
		["--broken", -32603, /No model is configured/],
		["--refuse", -32603, /no room left/],
	])("is told why no session can be had: %s", async (flag, code, message) => {
		const editor = new Editor([flag]);
		await editor.initialize();
		const opening = editor.agent.request("session/new", { cwd: editor.folder, mcpServers: [] });
		await expect(opening).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
		expect((await editor.agent.request("session/list", {})).sessions).toEqual([]);
	});

	test("is told what it cannot set, in the agent's words", async () => {
		const editor = new Editor([]);
		await editor.open();
		const { sessionId } = editor;
		const set = editor.agent.request("session/set_mode", { sessionId, modeId: "none" });
		await expect(set).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("no such mode") });
	});

	test("finds what was said even when the agent no longer starts", async () => {
		const editor = new Editor([]);
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

	test("finds a session again in another process, with its history, and so does the agent", async () => {
		const editor = new Editor(["--resume"]);
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
