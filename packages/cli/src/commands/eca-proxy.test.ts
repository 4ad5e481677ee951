import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { quirkyLine } from "@segue/testing/agents/quirky-agent";
import { type EcaMessage, EcaTestClient } from "@segue/testing/editors/eca-client";
import { Home } from "@segue/testing/process/home";
import type { Serve } from "@segue/testing/process/running-segue";
import { servingInMemory } from "@segue/testing/process/segue-in-memory";
import { serveInProcess } from "@segue/testing/process/segue-process";
import { isAll } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test } from "vitest";
import { runSegue } from "../program.js";

const serveInMemory = servingInMemory(runSegue);

// An ECA editor, `segue eca --agent`, and an agent made with the ACP SDK.

class Editor extends EcaTestClient {
	readonly home: Home;

	private constructor(flags: readonly string[], serve: Serve) {
		const home = new Home({ "project/a.txt": "one\n" });
		const args = ["eca", "--agent", quirkyLine(...flags)];
		const segue = serve(args, { folder: home.project, env: { SEGUE_HOME: home.home } });
		super(segue.input, segue.output);
		this.home = home;
		onTestFinished(async () => {
			this.end();
			expect(await segue.ended).toBe(0);
			home[Symbol.dispose]();
		});
	}

	static open(...flags: readonly string[]): Promise<Editor> {
		return new Editor(flags, serveInMemory).initialized();
	}

	/** Runs `segue eca` and the agent as separate processes. */
	static openProcesses(): Promise<Editor> {
		return new Editor([], serveInProcess).initialized();
	}

	private async initialized(): Promise<this> {
		const workspaceFolders = [{ uri: pathToFileURL(this.home.project).href, name: "project" }];
		const capabilities = { codeAssistant: { chat: true, rewrite: true } };
		await this.request("initialize", { processId: null, capabilities, workspaceFolders });
		this.notify("initialized");
		return this;
	}

	/** Starts a turn. The message is an instruction for the test agent. */
	async ask(message: string, params: object = {}): Promise<EcaMessage> {
		return this.request("chat/prompt", { chatId: "c", message, ...params });
	}

	async turn(message: string, params: object = {}): Promise<string[]> {
		const from = this.messages.length;
		const { result } = await this.ask(message, params);
		expect(result).toMatchObject({ chatId: "c", status: "prompting" });
		await this.turnEnded(from);
		return this.transcript.slice(from);
	}

	turnEnded(from = 0): Promise<void> {
		return this.until((messages) => messages.slice(from).some(({ params }) => params?.["status"] === "idle"));
	}

	/** Returns the chat's models and modes from the last `config/updated`. */
	chosen(): Record<string, unknown> {
		const updates = this.messages.filter(
			({ method, params }) => method === "config/updated" && params?.["chatId"] === "c",
		);
		return (updates.at(-1)?.params?.["chat"] ?? {}) as Record<string, unknown>;
	}
}

/** Returns the messages, except those that are part of every turn. */
function essence(messages: readonly string[]): string[] {
	return messages.filter((each) => /^(assistant|system (text|metadata|usage))/.test(each));
}

describe("another agent", () => {
	test("can send text, thoughts, a plan, a tool call, a question, a change, token usage and a title", async () => {
		const editor = await Editor.open();
		const turn = editor.turn("everything");
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		const file = path.join(editor.home.project, "a.txt");
		expect(readFileSync(file, "utf8")).toBe("one\n");
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: "c1" });
		const told = essence(await turn);
		expect(told.filter((each) => each.startsWith("system metadata"))).toEqual([
			"system metadata everything",
			"system metadata A new name",
		]);
		expect(told.filter((each) => !each.startsWith("system metadata"))).toEqual([
			"assistant reasonStarted",
			"assistant reasonText Hm.",
			"assistant reasonFinished",
			"assistant toolCallPrepare task",
			"assistant toolCallRun task false",
			"assistant toolCallRunning task",
			"assistant toolCalled task",
			expect.stringMatching(/^assistant text Look/),
			// Chunks of one message may be joined.
			...told.filter((each) => each === "assistant text ing."),
			"assistant toolCallPrepare agent",
			"assistant toolCallRun agent true",
			"assistant toolCallRunning agent",
			"assistant toolCalled agent",
			"assistant text Answer: yes",
			"system usage",
		]);
		expect(readFileSync(file, "utf8")).toBe("two\n");
		expect(editor.contents("toolCalled")).toMatchObject([
			{ details: { type: "task", tasks: [{ subject: "Look", status: "in-progress" }] } },
			{
				...{ id: "c1", summary: "Edit a.txt", error: false, arguments: { path: file } },
				details: { type: "fileChange", path: file, linesAdded: 1, linesRemoved: 1 },
			},
		]);
		expect(editor.contents("usage")).toEqual([
			{
				...{ type: "usage", sessionTokens: 12, lastMessageCost: "0.50", sessionCost: "0.50" },
				limit: { context: 100, output: 100 },
			},
		]);
	});

	test("can send images, links, priorities and calls of MCP tools, which are also in the history", async () => {
		const editor = await Editor.open();
		const news = async (update: object) => editor.turn(`news ${JSON.stringify(update)}`);
		const chunk = (content: object) => news({ sessionUpdate: "agent_message_chunk", content });
		await chunk({ type: "image", data: "AAAA", mimeType: "image/png" });
		await chunk({ type: "resource_link", uri: "https://a.example/", name: "A page" });
		const entries = [{ content: "Look", priority: "high", status: "pending" }];
		await news({ sessionUpdate: "plan", entries });
		const call = { toolCallId: "m1", title: "Ask", name: "mcp__db__query", status: "completed" };
		await news({ sessionUpdate: "tool_call", ...call });
		const { result } = await editor.request("chat/history", { chatId: "c" });
		const again = (result.contents as { content: { type: string } }[]).map(({ content }) => content);
		for (const contents of [editor.contents(), again]) {
			const of = (type: string) => contents.filter((content) => content["type" as never] === type);
			expect(of("image")).toEqual([{ type: "image", mediaType: "image/png", base64: "AAAA" }]);
			expect(of("url")).toEqual([{ type: "url", title: "A page", url: "https://a.example/" }]);
			expect(of("toolCalled")).toMatchObject([
				{ details: { type: "task", tasks: [{ subject: "Look", priority: "high" }] } },
				{ origin: "mcp", server: "db", name: "query" },
			]);
		}
	});

	test("can require users to sign in, which they do in the same way as for a provider", async () => {
		const editor = await Editor.open("--auth");
		// The first response is sent before the agent starts.
		await editor.ask("say Hello");
		await editor.turnEnded();
		const from = editor.messages.length;
		const { result } = await editor.ask("say Hello");
		expect(result).toMatchObject({ status: "login" });
		await editor.turnEnded(from);
		const list = async () => (await editor.request("providers/list")).result.providers[0];
		const listed = await list();
		expect(listed).toMatchObject({
			auth: { status: "unauthenticated" },
			login: { methods: [{ key: "quirky-api-key", label: "A key" }] },
		});
		const login = (more: object) => editor.request("providers/login", { provider: listed.id, ...more });
		expect((await login({ method: "none" })).result).toEqual({
			action: "choose-method",
			methods: [{ key: "quirky-api-key", label: "A key" }],
		});
		expect((await login({})).result).toEqual({ action: "done" });
		expect(await list()).toMatchObject({ auth: { status: "authenticated" } });
		expect(essence(await editor.turn("say Hello"))).toContain("assistant text Hello");
		expect((await editor.request("providers/logout", { provider: listed.id })).result).toEqual({});
		expect(await list()).toMatchObject({ auth: { status: "unauthenticated" } });
	});

	test("offers Segue's commands before it has started, and then its own, even in a new chat", async () => {
		const editor = await Editor.open("--early");
		const names = async (params: object) => {
			const { result } = await editor.request("chat/queryCommands", { query: "", ...params });
			return result.commands.map(({ name }: { name: string }) => name);
		};
		expect(await names({})).toContain("help");
		expect(await names({})).not.toContain("model");
		await editor.turn("say Hello");
		for (const params of [{}, { chatId: "new" }]) expect(await names(params)).toEqual(["compact"]);
	});

	test("is notified when the user rejects a call, which is then shown as rejected", async () => {
		const editor = await Editor.open();
		const turn = editor.turn("everything");
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		editor.notify("chat/toolCallReject", { chatId: "c", toolCallId: "c1" });
		expect(await turn).toContain("assistant text Answer: no");
		expect(editor.contents("toolCallRejected")).toMatchObject([{ id: "c1", reason: "userChoiceDeny" }]);
		expect(readFileSync(path.join(editor.home.project, "a.txt"), "utf8")).toBe("one\n");
	});

	test("can be allowed for the session and then does not ask again", async () => {
		const editor = await Editor.open();
		const turn = editor.turn("everything");
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: "c1", save: "session" });
		await turn;
		const from = editor.contents("toolCallRun").length;
		await editor.turn("everything");
		const runs = editor.contents("toolCallRun").slice(from);
		expect(runs.map((content) => content["manualApproval"])).not.toContain(true);
	});

	test("can be cancelled, and its text up to that point is kept", async () => {
		const editor = await Editor.open();
		await editor.ask("wait");
		await editor.until(() => editor.transcript.includes("assistant text Waiting."));
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.turnEnded();
		expect(editor.transcript).toContain("status stopping");
		const { result } = await editor.request("chat/history", { chatId: "c" });
		expect(JSON.stringify(result.contents)).toContain("Waiting.");
	});

	test("has its pending question rejected when the user stops the turn", async () => {
		const editor = await Editor.open();
		await editor.ask("ask edit");
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.turnEnded();
		expect(editor.contents("toolCallRejected")).toMatchObject([{ reason: "userPromptStop" }]);
	});

	test("offers its modes and models, and uses those that a prompt names", async () => {
		const editor = await Editor.open();
		await editor.turn("say Hello");
		expect(editor.chosen()).toMatchObject({
			...{ models: ["small", "large"], agents: ["calm", "wild"], selectModel: "small", selectAgent: "calm" },
		});
		await editor.turn("say Again", { model: "large", agent: "wild" });
		expect(editor.chosen()).toMatchObject({ selectModel: "large", selectAgent: "wild" });
		await editor.turn("say Nothing of that", { model: "anthropic/claude", agent: "code" });
		expect(editor.chosen()).toMatchObject({ selectModel: "large", selectAgent: "wild" });
	});

	test("offers its commands", async () => {
		const editor = await Editor.open("--early");
		await editor.turn("say Hello");
		const { result } = await editor.request("chat/queryCommands", { chatId: "c", query: "" });
		expect(result.commands).toMatchObject([{ name: "compact", description: "Compact the conversation" }]);
	});

	test("can report an error, and answers in the next turn", async () => {
		const editor = await Editor.open();
		expect((await editor.turn("error out of paper")).join("\n")).toMatch(/system text Error: /);
		expect(essence(await editor.turn("say Here"))).toContain("assistant text Here");
	});

	test.runIf(isAll)("that exits is restarted by the next turn, and its last output is shown as an error", async () => {
		const editor = await Editor.openProcesses();
		expect((await editor.turn("die of thirst")).join("\n")).toMatch(/system text Error: .*thirst/s);
		expect((await editor.turn("error out of paper")).join("\n")).toMatch(/system text Error: /);
		expect(essence(await editor.turn("say Here"))).toContain("assistant text Here");
	});

	test("works in the editor's current folder", async () => {
		const editor = await Editor.open();
		const other = path.join(editor.home.project, "..", "other");
		mkdirSync(other);
		writeFileSync(path.join(other, "a.txt"), "elsewhere\n");
		expect(essence(await editor.turn("read a.txt")).join()).toContain("one");
		const removed = [{ uri: pathToFileURL(editor.home.project).href, name: "project" }];
		const added = [{ uri: pathToFileURL(other).href, name: "other" }];
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added, removed } });
		expect(essence(await editor.turn("read a.txt")).join()).toContain("elsewhere");
	});

	test("may send text after its turn has ended", async () => {
		const editor = await Editor.open();
		await editor.turn("late");
		await editor.until(() => editor.transcript.includes("assistant text After the end."));
	});
});
