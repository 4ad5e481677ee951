import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { StoreError } from "@segue/assist";
import { type ChatModel, ModelFailure } from "@segue/models";
import { RpcError } from "@segue/rpc";
import { calls, says } from "@segue/testing/chat/chat-fixture";
import { ECA_2025_06, EcaEditor, type EcaEditorOptions } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { describe, expect, test } from "vitest";
import type { EcaEngine } from "./backend.js";

const WRITE = calls(["write_file", { path: "a.txt", content: "two\n" }]);
const RUN = calls(["run_command", { command: "echo hello" }]);

describe("the lifecycle", () => {
	test("starts with a welcome message that ends with a newline, as the oldest editor expects", async () => {
		const editor = await EcaEditor.open();
		const { result } = await editor.initialize();
		expect(result.chatWelcomeMessage).toMatch(/\n$/);
	});

	test("rejects requests before initialize, a second initialize, and requests after shutdown", async () => {
		const editor = await EcaEditor.open();
		expect((await editor.request("chat/prompt", { message: "Hi" })).error).toMatchObject({ code: -32002 });
		await editor.initialize();
		expect((await editor.initialize()).error).toMatchObject({ code: -32600, message: /sent before/ });
		expect((await editor.request("shutdown", null)).result).toBeNull();
		expect((await editor.request("chat/prompt", { message: "Hi" })).error).toMatchObject({
			code: -32600,
			message: "Invalid request: only exit is allowed after shutdown",
		});
		expect((await editor.request("shutdown", null)).error).toMatchObject({ code: -32600 });
		editor.notify("exit", null);
		expect(await editor.closed).toBe("us: the editor sent exit");
	});

	test("announces choices and tools once when the editor is ready", async () => {
		const editor = await EcaEditor.open({ answers: [says("Hello")] });
		await editor.initialize({ capabilities: { codeAssistant: { rewrite: true } } });
		editor.notify("initialized");
		await editor.turn("Hi");
		const notifications = editor.transcript.filter((each) => !/^(answer|user|system|assistant|status)/.test(each));
		expect(notifications).toEqual(["$/progress", "config/updated", "tool/serverUpdated", "$/progress"]);
	});

	test("announces choices and tools after the first prompt if the editor never sends initialized", async () => {
		const editor = await EcaEditor.open({ answers: [says("Hello")] });
		await editor.initialize({ capabilities: { codeAssistant: { chat: true } } });
		await editor.turn("Hi");
		expect(editor.transcript.slice(1, 3)).toEqual(["answer 1: success", "$/progress"]);
		expect(editor.transcript).toContain("config/updated");
	});

	test("announces nothing to an editor from June 2025", async () => {
		const editor = await EcaEditor.open({ answers: [says("Hello")] });
		await editor.initialize({ capabilities: { codeAssistant: ECA_2025_06 } });
		editor.notify("initialized");
		await editor.turn("Hi");
		expect(editor.transcript.slice(1)).toEqual([
			"answer 1: success",
			"assistant text Hello",
			"assistant text complete",
		]);
	});

	test("ignores notifications before initialize", async () => {
		const editor = await EcaEditor.open();
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.initialize();
		expect(editor.problems).toMatchObject([{ kind: "bad-notification", method: "chat/promptStop" }]);
	});

	test("responds to unknown methods like other ECA servers", async () => {
		const editor = await EcaEditor.ready();
		const { error } = await editor.request("chat/dance");
		const data = { method: "chat/dance" };
		expect(error).toEqual({ code: -32601, message: "Method not found", type: "error", data });
	});

	test("responds to shutdown once all turns are stopped and stored", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once upon "), HOLD]] });
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.untilContent("text");
		await editor.until(() => editor.transcript.includes("assistant text Once upon"));
		expect((await editor.request("shutdown")).result).toBeNull();
		const entries = await editor.conversation.assist.entries("c");
		expect(entries.map(({ body }) => body.type)).toEqual(["prompt", "text", "end"]);
		expect(editor.transcript.slice(-3)).toEqual(["system progress finished", "status idle", "answer 2: ok"]);
	});

	test("stops and stores the running turn when the editor disconnects", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once upon "), HOLD]] });
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.until(() => editor.transcript.includes("assistant text Once upon"));
		editor.end();
		await editor.closed;
		const { assist } = editor.conversation;
		await expect
			.poll(async () => (await assist.entries("c")).at(-1)?.body)
			.toEqual({ type: "end", reason: "cancelled" });
	});

	test("shows the user problems in the editor's configuration", async () => {
		const configured: unknown[] = [];
		const configure = async (options: object) => {
			configured.push(options);
			return ["There is no provider acme."];
		};
		const editor = await EcaEditor.open({ backend: { configure } });
		const initializationOptions = { protocol: "current", defaultModel: "acme/a", "keep-this": { "as-it": 1 } };
		await editor.initialize({ initializationOptions });
		await editor.until((messages) => messages.length > 1);
		expect(configured).toEqual([{ defaultModel: "acme/a", "keep-this": { "as-it": 1 } }]);
		expect(editor.messages[1]).toMatchObject({
			method: "$/showMessage",
			params: { type: "warning", message: "There is no provider acme." },
		});
	});

	test("shows configuration problems in the welcome message in the first version", async () => {
		const editor = await EcaEditor.open({ backend: { configure: async () => ["There is no provider acme."] } });
		const { result } = await editor.initialize({ capabilities: { codeAssistant: ECA_2025_06 } });
		expect(result.chatWelcomeMessage).toMatch(/\n\nThere is no provider acme\.\n\n$/);
		await settled();
		expect(editor.messages).toHaveLength(1);
	});

	test("works in the editor's first folder, even after the folders change", async () => {
		const workspaces: string[] = [];
		const editor = await EcaEditor.open({ answers: [says("One")] });
		const { root } = editor.conversation.tools;
		const other = path.join(root, "other");
		mkdirSync(other);
		const folder = (place: string) => ({ uri: `${pathToFileURL(place).href}/`, name: "" });
		await editor.initialize({
			workspaceFolders: [folder(other), { uri: "vscode-remote://x/y", name: "" }, folder(root)],
		});
		const threadOf = async (id: string) => {
			const from = editor.messages.length;
			await editor.request("chat/prompt", { chatId: id, message: "Where?" });
			await editor.turnEnded(from);
			workspaces.push((await editor.conversation.assist.thread(id))?.workspace ?? "");
		};
		await threadOf("first");
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [folder(other)] } });
		await threadOf("second");
		editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [folder(root)] } });
		await threadOf("third");
		expect(workspaces).toEqual([other, root, root]);
	});
});

describe("a turn", () => {
	test("is sent to a current editor in the expected order", async () => {
		const editor = await EcaEditor.ready({ answers: [says("Hello")] });
		expect(await editor.turn("Hi there")).toEqual([
			"answer 1: prompting",
			"user text Hi there",
			"system metadata Hi there",
			"status running",
			"system progress running Waiting model",
			"system progress running Generating",
			"assistant text Hello",
			"system progress finished",
			"status idle",
		]);
	});

	test("is sent as text to an editor from June 2025", async () => {
		const editor = await EcaEditor.ready({ answers: [says("Hello")] }, ECA_2025_06);
		expect(await editor.turn("Hi there")).toEqual([
			"answer 1: success",
			"assistant text Hello",
			"assistant text complete",
		]);
	});

	test("is sent in both versions to an editor with few capabilities", async () => {
		const usage = { inputTokens: 40, outputTokens: 2, cachedTokens: undefined, costUsd: undefined };
		const editor = await EcaEditor.ready({ answers: [[...says("Hello"), { type: "usage", usage }]] }, { chat: true });
		expect(await editor.turn("Hi there")).toEqual([
			"answer 1: success",
			"user text Hi there",
			"system metadata Hi there",
			"status running",
			"system progress running Waiting model",
			"system progress running Generating",
			"assistant text Hello",
			"system usage",
			"system progress finished complete",
			"status idle",
		]);
		const last = editor.messages.findLast(({ method }) => method === "chat/contentReceived");
		expect(last?.params).toMatchObject({ isComplete: true, metadata: { tokensUsed: 42 } });
	});

	test("gives its thread the title that the user gave the chat earlier", async () => {
		const editor = await EcaEditor.ready({ answers: [says("Hello")] });
		await editor.request("chat/update", { chatId: "c", title: "A name" });
		expect((await editor.request("chat/list")).result.chats).toEqual([]);
		await editor.turn("Hi");
		expect((await editor.request("chat/list")).result.chats).toMatchObject([{ id: "c", title: "A name" }]);
	});

	test("shows progress immediately in a chat that already has a title", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One"), [HOLD, ...says("Two")]] });
		await editor.turn("First");
		const from = editor.messages.length;
		await editor.request("chat/prompt", { chatId: "c", message: "Second" });
		await editor.until(() => editor.transcript.slice(from).includes("system progress running Waiting model"));
		await editor.conversation.model.release();
		await editor.turnEnded(from);
		expect(editor.transcript.slice(from + 1)).toEqual([
			"user text Second",
			"status running",
			"system progress running Waiting model",
			"system progress running Generating",
			"assistant text Two",
			"system progress finished",
			"status idle",
		]);
	});

	test("shows thoughts with their duration, and each stage of a call once", async () => {
		const thought = { type: "thought", text: "Hm.", signature: undefined } as const;
		const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: undefined, costUsd: 0.5 };
		const first = [thought, HOLD, ...calls(["read_file", { path: "a.txt" }]), { type: "usage", usage } as const];
		const editor = await EcaEditor.ready({
			files: { "a.txt": "one\n" },
			answers: [first, says("It is one.")],
			windowTokens: 10_000,
		});
		const turn = editor.turn("What is in it?");
		await editor.untilContent("reasonText");
		editor.clock.advance(250);
		await editor.conversation.model.release();
		expect((await turn).slice(5)).toEqual([
			"system progress running Generating",
			"assistant reasonStarted",
			"assistant reasonText Hm.",
			"assistant reasonFinished",
			"assistant toolCallPrepare read_file",
			"assistant toolCallPrepare read_file",
			"system usage",
			"assistant toolCallRun read_file false",
			"assistant toolCallRunning read_file",
			"system progress running Calling tool",
			"assistant toolCalled read_file",
			"system progress running Generating",
			"assistant text It is one.",
			"system progress finished",
			"status idle",
		]);
		expect(editor.contents("reasonFinished")).toMatchObject([{ totalTimeMs: 250 }]);
		expect(editor.contents("toolCallPrepare").map((content) => content["argumentsText"])).toEqual([
			"",
			'{"path":"a.txt"}',
		]);
		expect(editor.contents("toolCalled")).toMatchObject([
			{
				...{ id: "call0", origin: "native", server: "ECA", summary: "Read a.txt", error: false },
				...{ arguments: { path: "a.txt" }, outputs: [{ type: "text" }], totalTimeMs: 0 },
			},
		]);
		expect(editor.contents("usage")).toEqual([
			{
				...{ type: "usage", sessionTokens: 120, lastMessageCost: "0.50", sessionCost: "0.50" },
				limit: { context: 10_000, output: 10_000 },
			},
		]);
	});

	test("shows a plan as tasks in its call", async () => {
		const steps = [
			{ text: "Look", status: "done" },
			{ text: "Write", status: "running" },
		];
		const editor = await EcaEditor.ready({ answers: [calls(["update_plan", { steps }]), says("Done.")] });
		await editor.turn("Plan", { agent: "plan" });
		expect(editor.contents("toolCalled")).toMatchObject([
			{
				name: "task",
				details: {
					...{ type: "task", inProgressTaskIds: [2], activeSummary: "Write" },
					tasks: [
						{ id: 1, subject: "Look", status: "done" },
						{ id: 2, subject: "Write", status: "in-progress" },
					],
					summary: { done: 1, inProgress: 1, pending: 0, total: 2 },
				},
			},
		]);
	});

	test("shows a model error and ends", async () => {
		const editor = await EcaEditor.ready({ answers: [new ModelFailure("refused", "The key is wrong.")] });
		expect((await editor.turn("Hi")).slice(-3)).toEqual([
			"system text Error: The key is wrong.",
			"system progress finished",
			"status idle",
		]);
	});

	test("shows store errors, and logs internal errors", async () => {
		const failing = (error: Error) => ({ engine: () => ({ prompt: () => Promise.reject(error) }) });
		const store = await EcaEditor.ready(failing(new StoreError("The disk is full.")));
		expect((await store.turn("Hi")).slice(-3)).toContain("system text Error: The disk is full.");
		const bug = await EcaEditor.ready(failing(new TypeError("secret is undefined")));
		expect((await bug.turn("Hi")).join("\n")).toMatch(/Error: Internal error\. See Segue's log\./);
		expect(bug.transcript.join("\n")).not.toMatch(/secret/);
		expect(bug.problems).toMatchObject([{ kind: "handler-failed" }]);
	});

	test("needs no model if the prompt is a command", async () => {
		const editor = await EcaEditor.ready({ models: { names: [], choose: () => ({ why: "Sign in." }) } });
		expect((await editor.turn("/help"))[0]).toBe("answer 1: prompting");
		expect(editor.contents("text")[1]).toMatchObject({ text: expect.stringMatching(/\/help/) });
	});

	test("splits long text without splitting characters", async () => {
		const long = `${"x".repeat(32 * 1024 - 1)}\u{1F600}${"é".repeat(20_000)}`;
		const editor = await EcaEditor.ready({ answers: [says(long)] });
		await editor.turn("Say much");
		const texts = editor
			.contents("text")
			.slice(1)
			.map(({ text }) => text as string);
		expect(texts.join("")).toBe(long);
		expect(texts.map((text) => Buffer.byteLength(text))).toEqual([32 * 1024 - 1, 32 * 1024, 40_000 + 4 - 32 * 1024]);
		expect(texts[1]?.startsWith("\u{1F600}")).toBe(true);
	});
});

describe("the response to a prompt", () => {
	const NO_MODEL = { models: { names: [], choose: () => ({ why: "Sign in: segue login." }) } };
	const BROKEN = {
		backend: {
			engineFor: () => Promise.reject(new RpcError(-32603, "config.json is not JSON. Fix it.")),
		},
	};

	test.each([
		["the current version", {}, { rewrite: true }, { model: "test/first", status: "prompting" }],
		[
			"the merged version",
			{},
			{ chat: true },
			{ model: "test/first", status: "success", resultMessage: expect.any(String) },
		],
		[
			"the first version",
			{},
			ECA_2025_06,
			{ model: "test/first", status: "success", resultMessage: expect.any(String) },
		],
		["the current version without a model", NO_MODEL, { rewrite: true }, { status: "login" }],
		[
			"the merged version without a model",
			NO_MODEL,
			{ chat: true },
			{ status: "login", resultMessage: "Sign in: segue login." },
		],
		[
			"the first version without a model",
			NO_MODEL,
			ECA_2025_06,
			{ status: "connection-error", resultMessage: "Sign in: segue login." },
		],
		["the current version without an engine", BROKEN, { rewrite: true }, { model: "error", status: "error" }],
		[
			"the first version without an engine",
			BROKEN,
			ECA_2025_06,
			{ status: "connection-error", resultMessage: /Fix it/ },
		],
	] as const)("follows %s", async (_form, circumstances, codeAssistant, expected) => {
		const editor = await EcaEditor.ready(circumstances, codeAssistant);
		const { result } = await editor.request("chat/prompt", { chatId: "c", message: "Hi" });
		const { resultMessage, ...rest } = expected as { resultMessage?: unknown };
		expect(result).toMatchObject({ chatId: "c", ...rest });
		if (resultMessage !== undefined) {
			expect(result.resultMessage).toEqual(
				resultMessage instanceof RegExp ? expect.stringMatching(resultMessage) : resultMessage,
			);
		} else expect(result).not.toHaveProperty("resultMessage");
		await editor.turnEnded();
		if (circumstances === BROKEN)
			expect(editor.transcript.join("\n")).toMatch(/Error: config.json is not JSON. Fix it./);
		if (circumstances === NO_MODEL) expect(editor.transcript.join("\n")).toMatch(/system text Sign in: segue login./);
	});

	test.each([
		["", "blank"],
		["  ", "blank"],
		["x".repeat(257), "256"],
		["a b", "whitespace"],
		["a\u0000b", "control"],
		["subagent-1", "subagent-"],
	])("rejects the chat id %j", async (chatId, why) => {
		const today = await EcaEditor.ready();
		expect((await today.request("chat/prompt", { chatId, message: "Hi" })).result).toEqual({
			...{ chatId, model: "error", status: "error" },
		});
		const first = await EcaEditor.ready({}, ECA_2025_06);
		const { result } = await first.request("chat/prompt", { chatId, message: "Hi" });
		expect(result).toMatchObject({ status: "connection-error", resultMessage: expect.stringContaining(why) });
	});

	test("assigns an id to a new chat and recognizes it later", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One"), says("Two")] });
		const { result } = await editor.request("chat/prompt", { message: "Hi" });
		await editor.turnEnded();
		expect((await editor.conversation.assist.thread(result.chatId))?.title).toBe("Hi");
		await editor.turn("More", { chatId: result.chatId });
		expect(editor.conversation.model.requests[1]?.messages).toHaveLength(3);
	});

	/** Starts an editor whose turns are only recorded, with their options. */
	async function noting(circumstances: EcaEditorOptions = {}) {
		const taken: object[] = [];
		const prompt: EcaEngine["prompt"] = async (_id, _parts, _client, { mode, model, effort }) => {
			taken.push({ mode, model, effort });
			return "done";
		};
		const engine = () => ({ prompt, mode: "ask" as const });
		return { editor: await EcaEditor.ready({ engine, ...circumstances }), taken };
	}

	test("uses the default model for unknown names", async () => {
		const usual = { name: "test/usual", windowTokens: undefined } as ChatModel;
		const choose = (name: string | undefined) => {
			return name === undefined || name === usual.name ? usual : { why: `There is no ${name}.` };
		};
		const { editor, taken } = await noting({ models: { names: ["test/usual", "test/locked"], choose } });
		const answers: unknown[] = [];
		for (const model of ["gpt-4", "auto", "test/usual", "test/locked"]) {
			const { result } = await editor.request("chat/prompt", { chatId: "c", message: "Hi", model });
			answers.push([result.model, result.status]);
			await editor.turnEnded();
		}
		expect(answers).toEqual([
			["test/usual", "prompting"],
			["test/usual", "prompting"],
			["test/usual", "prompting"],
			["test/locked", "login"],
		]);
		await expect
			.poll(() => taken)
			.toMatchObject([{ model: undefined }, { model: undefined }, { model: "test/usual" }, { model: "test/locked" }]);
	});

	test("maps agents to modes, and variants to efforts", async () => {
		const { editor, taken } = await noting();
		const prompts = [
			{},
			{ agent: "code" },
			{ behavior: "plan" },
			{ agent: "chat", variant: "high" },
			{ variant: "odd" },
		];
		for (const each of prompts) await editor.request("chat/prompt", { chatId: "c", message: "Hi", ...each });
		await expect
			.poll(() => taken)
			.toEqual([
				{ mode: "ask", model: undefined, effort: undefined },
				{ mode: "edit", model: undefined, effort: undefined },
				{ mode: "plan", model: undefined, effort: undefined },
				{ mode: "ask", model: undefined, effort: "high" },
				{ mode: "ask", model: undefined, effort: undefined },
			]);
	});
});

describe("an approval", () => {
	const files = { "a.txt": "one\n" };
	const answers = [calls(["read_file", { path: "a.txt" }]), WRITE, says("Done.")];

	/** Starts an editor whose turn waits for approval of a file change. */
	async function asked(codeAssistant: object = { rewrite: true }) {
		const editor = await EcaEditor.ready({ files, answers }, codeAssistant);
		await editor.request("chat/prompt", { chatId: "c", message: "Make it two" });
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
		return editor;
	}

	test("is requested with the diff and can be given", async () => {
		const editor = await asked();
		const { root } = editor.conversation.tools;
		const file = path.join(root, "a.txt");
		expect(editor.contents("toolCallRun").at(-1)).toMatchObject({
			...{ id: expect.any(String), name: "write_file", manualApproval: true, arguments: { path: "a.txt" } },
			details: {
				...{ type: "fileChange", path: file, linesAdded: 1, linesRemoved: 1 },
				diff: `--- ${file}\n+++ ${file}\n@@ -1 +1 @@\n-one\n+two\n`,
			},
		});
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: editor.contents("toolCallRun").at(-1)?.["id"] });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("two\n");
		expect(editor.transcript.slice(-8)).toEqual([
			"assistant toolCallRun write_file true",
			"assistant toolCallRunning write_file",
			"system progress running Calling tool",
			"assistant toolCalled write_file",
			"system progress running Generating",
			"assistant text Done.",
			"system progress finished",
			"status idle",
		]);
	});

	test("can be denied, which is reported to the model", async () => {
		const editor = await asked();
		editor.notify("chat/toolCallReject", { chatId: "c", toolCallId: editor.contents("toolCallRun").at(-1)?.["id"] });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
		expect(editor.contents("toolCallRejected")).toMatchObject([{ reason: "userChoiceDeny" }]);
		expect(JSON.stringify(editor.conversation.model.requests[2])).toMatch(/The user declined this/);
	});

	test("is not requested again once it has been given for the session", async () => {
		const again = calls(["write_file", { path: "a.txt", content: "three\n" }]);
		const editor = await EcaEditor.ready({ files, answers: [answers[0] ?? [], WRITE, again, says("Done.")] });
		await editor.request("chat/prompt", { chatId: "c", message: "Go" });
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		const toolCallId = editor.contents("toolCallRun").at(-1)?.["id"];
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId, save: "session" });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("three\n");
		expect(editor.contents("toolCallRun").map((content) => content["manualApproval"])).toEqual([false, true, false]);
	});

	test("is ignored and logged if the call is not pending", async () => {
		const editor = await asked();
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: "unknown" });
		editor.notify("chat/toolCallReject", { chatId: "other", toolCallId: "call0" });
		await settled();
		expect(editor.problems.map(({ method }) => method)).toEqual(["chat/toolCallApprove", "chat/toolCallReject"]);
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
	});

	test("is not given by an answer sent before the request is shown", async () => {
		const editor = await EcaEditor.ready({ files, answers: [[HOLD, ...RUN], says("Done.")] });
		await editor.request("chat/prompt", { chatId: "c", message: "Go" });
		await editor.request("chat/prompt", { chatId: "c", message: "yes" });
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: "call0" });
		await editor.conversation.model.release();
		await editor.until((messages) => JSON.stringify(messages).includes('"manualApproval":true'));
		expect(editor.contents("toolCallRunning")).toEqual([]);
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.turnEnded();
	});

	test.each([
		["yes", "two\n"],
		[" Approve! ", "two\n"],
		["no", "one\n"],
		["REJECT", "one\n"],
	])("is answered by the prompt %j, which starts no turn", async (message, text) => {
		const editor = await asked({ chat: true });
		expect((await editor.request("chat/prompt", { chatId: "c", message })).result.status).toBe("success");
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe(text);
		expect(editor.transcript.filter((each) => each.startsWith("user"))).toEqual([
			"user text Make it two",
			`user text ${message.trim()}`,
		]);
		expect(editor.transcript.filter((each) => each.endsWith("complete"))).toHaveLength(1);
	});

	test("is denied by any other prompt, which starts a turn", async () => {
		const editor = await asked();
		await editor.request("chat/prompt", { chatId: "c", message: "Make it three instead" });
		await editor.until(() => editor.transcript.filter((each) => each === "status idle").length === 2);
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
		expect(editor.transcript).toContain("user text Make it three instead");
	});

	test("is automatic in a trusted chat, except for calls denied by a rule", async () => {
		const rules = [{ kind: "edit", pattern: "b.txt", answer: "deny" } as const];
		const forbidden = calls(["write_file", { path: "b.txt", content: "no\n" }]);
		const script = [answers[0] ?? [], WRITE, forbidden, says("Done.")];
		const editor = await EcaEditor.ready({ files, answers: script, rules });
		await editor.turn("Go", { trust: true });
		expect(await editor.conversation.tools.text("a.txt")).toBe("two\n");
		expect(editor.contents("toolCallRejected")).toMatchObject([{ reason: "userConfigDeny" }]);
		expect(JSON.stringify(editor.messages)).not.toContain('"manualApproval":true');
	});

	test("is requested in a trusted chat to read an ignored file", async () => {
		const ignored = calls(["read_file", { path: "hidden.txt" }]);
		const editor = await EcaEditor.ready({
			files: { "hidden.txt": "hidden\n" },
			privacyOf: () => ({ isPrivate: (uri) => uri.endsWith("hidden.txt") }),
			answers: [ignored, says("Done.")],
		});
		await editor.request("chat/prompt", { chatId: "c", message: "Go", trust: true });
		await editor.until(() => JSON.stringify(editor.messages).includes('"manualApproval":true'));
		await editor.request("chat/update", { chatId: "c", trust: true });
		await settled();
		expect(editor.contents("toolCallRunning")).toEqual([]);
		await editor.request("chat/prompt", { chatId: "c", message: "yes" });
		await editor.turnEnded();
		expect(JSON.stringify(editor.contents("toolCalled"))).toContain("hidden");
	});

	test.each([
		["the chat becomes trusted", "chat/update", { trust: true }],
		["the next prompt sets trust", "chat/prompt", { message: "Do all of it", trust: true }],
	])("is given when %s", async (_when, method, params) => {
		const editor = await asked();
		const { error } = await editor.request(method, { chatId: "c", ...params });
		expect(error).toBe(undefined);
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("two\n");
		expect(editor.contents("toolCallRejected")).toEqual([]);
	});

	test("is denied by the prompt “no”, even if that prompt also sets trust", async () => {
		const editor = await asked();
		await editor.request("chat/prompt", { chatId: "c", message: "no", trust: true });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
	});

	test("is given to pending calls when the chat becomes trusted, but not to a later call denied by a rule", async () => {
		const rules = [{ kind: "edit", pattern: "b.txt", answer: "deny" } as const];
		const both = calls(
			["write_file", { path: "a.txt", content: "two\n" }],
			["write_file", { path: "b.txt", content: "no\n" }],
		);
		const editor = await EcaEditor.ready({ files, answers: [answers[0] ?? [], both, says("Done.")], rules });
		await editor.request("chat/prompt", { chatId: "c", message: "Go" });
		await editor.until(() => JSON.stringify(editor.messages).includes('"manualApproval":true'));
		await editor.request("chat/update", { chatId: "c", trust: true });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("two\n");
		expect(await editor.conversation.tools.text("b.txt").catch(() => "none")).not.toBe("no\n");
		expect(editor.contents("toolCallRejected")).toMatchObject([{ reason: "userConfigDeny" }]);
	});

	test("is withdrawn when the turn is stopped, and the call does not run", async () => {
		const editor = await asked();
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("one\n");
		expect(editor.transcript).toContain("status stopping");
		expect(editor.contents("toolCallRejected")).toMatchObject([{ reason: "userPromptStop" }]);
	});

	test("is requested with a file change and instructions in the first version", async () => {
		const editor = await asked(ECA_2025_06);
		await editor.request("chat/prompt", { chatId: "c", message: "yes" });
		await editor.turnEnded();
		expect(editor.contents("fileChange")).toEqual([
			{
				...{ type: "fileChange", description: "Edit a.txt", manualApproval: true },
				file: path.join(editor.conversation.tools.root, "a.txt"),
				changes: [{ kind: "change", content: "two\n", range: { startLine: 1, endLine: 1 } }],
			},
		]);
		expect(editor.transcript.join("\n")).toMatch(/^ *Answer yes to approve it, or no to reject it\./m);
		expect(editor.contents().map(({ type }) => type)).not.toContain("toolCallRun");
	});

	test("is requested with the command that would run", async () => {
		const editor = await EcaEditor.ready({ answers: [RUN, says("Done.")] });
		await editor.request("chat/prompt", { chatId: "c", message: "Run it" });
		await editor.untilContent("toolCallRun");
		expect(editor.contents("toolCallRun")).toMatchObject([
			{ details: { type: "shellCommand", commands: [{ command: "echo hello", args: [] }] }, manualApproval: true },
		]);
		editor.notify("chat/promptStop", { chatId: "c" });
		await editor.turnEnded();
	});

	test("is requested without a command's details in the Neovim client, which treats all details as a diff", async () => {
		const editor = await EcaEditor.ready({ answers: [RUN, says("Done.")] }, { chat: true });
		await editor.request("chat/prompt", { chatId: "c", message: "Run it" });
		await editor.untilContent("toolCallRun");
		const [run] = editor.contents("toolCallRun");
		expect(run).toMatchObject({ arguments: { command: "echo hello" }, manualApproval: true });
		expect(run).not.toHaveProperty("details");
		editor.notify("chat/toolCallApprove", { chatId: "c", toolCallId: run?.["id"] });
		await editor.turnEnded();
		expect(editor.contents("toolCalled")).toMatchObject([{ details: { type: "shellCommand" }, error: false }]);
	});
});

describe("steering", () => {
	test("accepts and removes messages before a turn has started", async () => {
		const made = deferred();
		const editor = await EcaEditor.open({ made: made.opened, answers: [says("One"), says("Two")] });
		await editor.initialize({ capabilities: { codeAssistant: { chat: true } } });
		for (const chatId of ["c", "d"]) {
			void editor.request("chat/prompt", { chatId, message: "Go" });
			editor.notify("chat/promptSteer", { chatId, message: `Steered ${chatId}` });
		}
		editor.notify("chat/promptSteerRemove", { chatId: "d" });
		await settled();
		made.open();
		await editor.until(() => editor.transcript.filter((each) => each === "status idle").length === 2);
		expect(editor.transcript).toContain("user text Steered c");
		expect(editor.transcript).not.toContain("user text Steered d");
		expect(editor.problems).toEqual([]);
		editor.notify("chat/promptSteer", { chatId: "c", message: "Too late" });
		await editor.request("chat/list");
		expect(editor.problems).toMatchObject([{ method: "chat/promptSteer", text: /no running turn/ }]);
	});

	test("sends messages to the running turn and can remove them", async () => {
		const read = calls(["read_file", { path: "a.txt" }]);
		const editor = await EcaEditor.ready({
			files: { "a.txt": "one\n" },
			answers: [[HOLD, ...read], [HOLD, ...read], says("Done.")],
		});
		const turn = editor.turn("Go");
		await editor.conversation.model.holding();
		editor.notify("chat/promptSteer", { chatId: "c", message: "Not that" });
		editor.notify("chat/promptSteerRemove", { chatId: "c" });
		editor.notify("chat/promptSteer", { chatId: "c", message: "In French" });
		await settled();
		await editor.conversation.model.release();
		await editor.conversation.model.release();
		expect(await turn).toContain("user text In French");
		expect(editor.transcript).not.toContain("user text Not that");
		editor.notify("chat/promptSteer", { chatId: "c", message: "Too late" });
		editor.notify("chat/promptSteer", { chatId: "unknown", message: "Hello?" });
		await expect
			.poll(() => editor.problems.map(({ method }) => method))
			.toEqual(["chat/promptSteer", "chat/promptSteer"]);
	});
});
