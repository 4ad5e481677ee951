import type { Store } from "@segue/assist";
import { Connection } from "@segue/rpc";
import { calls, says } from "@segue/testing/chat/chat-fixture";
import { ECA_CURRENT, EcaEditor } from "@segue/testing/editors/eca-editor";
import { HOLD } from "@segue/testing/models/scripted-model";
import { deferred } from "@segue/testing/rpc/peers";
import { describe, expect, test, vi } from "vitest";

const WRITE = calls(["write_file", { path: "a.txt", content: "two\n" }]);

type Content = Record<string, unknown>;

/**
 * Normalizes chat contents for comparison with a replay: merges chunks, and removes content that exists only in running
 * turns.
 */
function lasting(contents: readonly Content[]): Content[] {
	const all: Content[] = [];
	for (const { manualApproval: _approval, ...content } of contents) {
		const { type } = content;
		if (PASSING.includes(type as string)) continue;
		// The summary of a call is known only once its input is complete.
		if (type === "toolCallPrepare") content["summary"] = undefined;
		const last = all.at(-1);
		const grows = ["text", "argumentsText"].find((key) => typeof content[key] === "string");
		const isMore = last?.["type"] === type && last?.["id"] === content["id"] && last?.["contentId"] === undefined;
		if (last !== undefined && grows !== undefined && isMore) last[grows] = `${last[grows]}${content[grows]}`;
		else all.push({ ...content });
	}
	return all;
}

const PASSING = ["progress", "metadata", "toolCallRunning"];

/** Answers the pending approval request. */
async function decide(editor: EcaEditor, verdict: "Approve" | "Reject"): Promise<void> {
	await editor.until(() => editor.contents("toolCallRun").some(isOpenIn(editor)));
	const open = editor.contents("toolCallRun").find(isOpenIn(editor));
	editor.notify(`chat/toolCall${verdict}`, { chatId: "c", toolCallId: open?.["id"] });
}

/** Returns the text received since a message, with consecutive text from the same role merged. */
function saidIn(editor: EcaEditor, from: number): string[] {
	const said: { role: unknown; text: string }[] = [];
	for (const { method, params } of editor.messages.slice(from)) {
		const content = params?.["content"] as Content | undefined;
		if (method !== "chat/contentReceived" || content?.["type"] !== "text") continue;
		const last = said.at(-1);
		if (last !== undefined && last.role === params?.["role"]) last.text += content["text"];
		else said.push({ role: params?.["role"], text: String(content["text"]) });
	}
	return said.map(({ text }) => text);
}

/** Returns the index of the last `chat/cleared`. */
function cleared(editor: EcaEditor): number {
	return editor.messages.findLastIndex(({ method }) => method === "chat/cleared");
}

function isOfTool(content: unknown): boolean {
	return String((content as Content | undefined)?.["type"]).startsWith("toolCall");
}

function isOpenIn(editor: EcaEditor): (content: Content) => boolean {
	const over = [...editor.contents("toolCalled"), ...editor.contents("toolCallRejected")].map(({ id }) => id);
	return ({ id, manualApproval }) => manualApproval === true && !over.includes(id);
}

describe("a reopened chat", () => {
	test("replays text, thoughts, and completed, rejected and failed calls", async () => {
		const first = await EcaEditor.ready({
			files: { "a.txt": "one\n" },
			answers: [
				[
					{ type: "thought", text: "Let me ", signature: undefined },
					{ type: "thought", text: "see.", signature: undefined },
					...says("I ", "write."),
					...calls(["read_file", { path: "a.txt" }]),
				],
				WRITE,
				says("Written."),
				calls(["run_command", { command: "echo hello" }]),
				says("Then not."),
				calls(["read_file", { path: "none.txt" }]),
				says("There is none."),
			],
		});
		const turn = first.turn("Write it");
		await decide(first, "Approve");
		await turn;
		const refused = first.turn("Run it");
		await decide(first, "Reject");
		await refused;
		await first.turn("Read it");
		const lived = lasting(first.contents());
		expect(lived.map(({ type }) => type)).toEqual(
			expect.arrayContaining(["reasonText", "toolCalled", "toolCallRejected", "text"]),
		);

		const second = EcaEditor.on(first.conversation);
		await second.initialize({ capabilities: { codeAssistant: { rewrite: true } } });
		second.messages.length = 0;
		const { result } = await second.request("chat/open", { chatId: "c" });
		expect(result).toMatchObject({ found: true, chatId: "c", title: "Write it", selection: { agent: "code" } });
		expect(lasting(second.contents())).toEqual(lived);
		expect(second.transcript.slice(0, 2)).toEqual(["chat/cleared", "chat/opened"]);
		expect(second.transcript.slice(-2)).toEqual(["config/updated", "answer 1: ok"]);

		const pages = await second.request("chat/history", { chatId: "c" });
		expect(lasting(pages.result.contents.map(({ content }: { content: Content }) => content))).toEqual(lived);
	});

	test("continues after a rollback without sending the removed messages to the model", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two."), says("Three.")] });
		await editor.turn("First");
		await editor.turn("Second");
		const [, second] = editor.contents("text").filter(({ contentId }) => contentId !== undefined);
		const from = editor.messages.length;
		await editor.request("chat/rollback", { chatId: "c", contentId: second?.["contentId"] });
		expect(editor.transcript.slice(from)).toEqual([
			"chat/cleared",
			"user text First",
			"assistant text One.",
			expect.stringMatching(/^answer/),
		]);
		await editor.turn("Third");
		const heard = JSON.stringify(editor.conversation.model.requests.at(-1)?.messages);
		expect(heard).toMatch(/First.*One\..*Third/);
		expect(heard).not.toMatch(/Second|Two/);
	});

	test("diverges after a fork", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two."), says("Other.")] });
		await editor.turn("First");
		await editor.turn("Second");
		const [, second] = editor.contents("text").filter(({ contentId }) => contentId !== undefined);
		await editor.request("chat/fork", { chatId: "c", contentId: second?.["contentId"] });
		const opened = editor.messages.find(({ method }) => method === "chat/opened");
		await editor.turn("Otherwise", { chatId: opened?.params?.["chatId"] });
		const { result } = await editor.request("chat/list");
		expect(result.chats).toMatchObject([
			{ title: "First (2)", messageCount: 3 },
			{ title: "First", messageCount: 2 },
		]);
		const heard = JSON.stringify(editor.conversation.model.requests.at(-1)?.messages);
		expect(heard).toMatch(/First.*One\..*Second.*Otherwise/);
		expect(heard).not.toMatch(/Two/);
	});
});

describe("a command", () => {
	test("opens another chat in the editor when it resumes that chat", async () => {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two.")] });
		await editor.turn("First");
		const from = editor.messages.length;
		await editor.turn("/resume latest", { chatId: "d" });
		await editor.until((messages) => messages.slice(from).some(({ method }) => method === "config/updated"));
		const opened = editor.messages.slice(from).find(({ method }) => method === "chat/opened");
		expect(opened?.params).toEqual({ chatId: "c", title: "First" });
		const told = editor.transcript.slice(from);
		expect(told).toEqual(expect.arrayContaining(['system text Resuming "First".', "assistant text One."]));
	});

	test("is answered and not sent to the model if it is unknown, even with contexts", async () => {
		const editor = await EcaEditor.ready({ files: { "a.txt": "one\n" } });
		const path = `${editor.conversation.tools.root}/a.txt`;
		const told = await editor.turn("/contxt", { contexts: [{ type: "file", path }] });
		expect(told).toContainEqual(
			expect.stringMatching(/^system text Unknown command \/contxt\. Did you mean \/context\?/),
		);
		expect(editor.conversation.model.requests).toEqual([]);
	});

	test("is offered as a completion", async () => {
		const editor = await EcaEditor.ready({});
		const { result } = await editor.request("chat/queryCommands", { chatId: "c", query: "co" });
		expect(result.commands.map(({ name }: { name: string }) => name)).toEqual([
			"conversations",
			"compact",
			"context",
			"costs",
		]);
	});
});

describe("a flag", () => {
	async function flagged(): Promise<{ editor: EcaEditor; told: string[]; flagId: unknown }> {
		const editor = await EcaEditor.ready({ answers: [says("One."), says("Two."), says("Three.")] });
		await editor.turn("First");
		await editor.turn("Second");
		const from = editor.messages.length;
		const [first] = editor.contents("text").filter(({ contentId }) => contentId !== undefined);
		const params = { chatId: "c", contentId: first?.["contentId"], text: " before  it " };
		expect((await editor.request("chat/addFlag", params)).result).toEqual({});
		return { editor, told: editor.transcript.slice(from), flagId: editor.contents("flag").at(-1)?.["contentId"] };
	}

	test("is replayed after its message, before the response", async () => {
		const { editor, told } = await flagged();
		expect(told).toEqual([
			"chat/cleared",
			"user text First",
			"system flag before it",
			"assistant text One.",
			"user text Second",
			"assistant text Two.",
			expect.stringMatching(/^answer/),
		]);
		const second = EcaEditor.on(editor.conversation);
		await second.initialize({ capabilities: { codeAssistant: { rewrite: true } } });
		await second.request("chat/open", { chatId: "c" });
		expect(second.contents("flag")).toMatchObject([{ text: "before it" }]);
		const { result } = await second.request("chat/history", { chatId: "c" });
		expect(JSON.stringify(result.contents)).toContain('"type":"flag"');
	});

	test("is not shown to the model", async () => {
		const { editor } = await flagged();
		await editor.turn("Third");
		expect(JSON.stringify(editor.conversation.model.requests.at(-1)?.messages)).not.toContain("before it");
	});

	test("can be the end of a fork and is copied with it", async () => {
		const { editor, flagId } = await flagged();
		const from = editor.messages.length;
		await editor.request("chat/fork", { chatId: "c", contentId: flagId });
		expect(editor.transcript.slice(from, from + 3)).toEqual([
			"chat/opened",
			"user text First",
			"system flag before it",
		]);
		expect(editor.transcript.slice(from).join()).not.toContain("One.");
	});

	test("is no longer replayed once it is removed", async () => {
		const { editor, flagId } = await flagged();
		expect((await editor.request("chat/removeFlag", { chatId: "c", contentId: flagId })).result).toEqual({});
		const from = editor.messages.length;
		await editor.request("chat/open", { chatId: "c" });
		expect(editor.transcript.slice(from).join()).not.toContain("flag");
	});

	test.each([
		["after an unknown message", { contentId: "999", text: "x" }, /no longer in the chat/],
		["without a name", { contentId: "1", text: " " }, /needs a name/],
	])("is rejected %s", async (_what, params, message) => {
		const { editor } = await flagged();
		const { error } = await editor.request("chat/addFlag", { chatId: "c", ...params });
		expect(error?.message).toMatch(message);
	});

	test("is rejected if a chat has too many flags", async () => {
		const { editor } = await flagged();
		const { assist } = editor.conversation;
		for (let i = 1; i < 100; i++) expect(await assist.addFlag("c", 1, `${i}`)).toBe(true);
		const { error } = await editor.request("chat/addFlag", { chatId: "c", contentId: "1", text: "One more" });
		expect(error?.message).toMatch(/too many flags/);
	});
});

describe("a chat with a running turn", () => {
	test("shows a flag added to that turn at the end of the content", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once "), HOLD, ...says("upon")]] });
		const turn = editor.turn("A story");
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		const [prompt] = editor.contents("text").filter(({ contentId }) => contentId !== undefined);
		const from = editor.messages.length;
		await editor.request("chat/addFlag", { chatId: "c", contentId: prompt?.["contentId"], text: "here" });
		const told = editor.transcript.slice(from);
		expect([told[0], told.at(-2)]).toEqual(["chat/cleared", "system flag here"]);
		await editor.conversation.model.release();
		await turn;
	});

	test("continues after the replay, even if the editor reads slowly", async () => {
		const long = "x".repeat(2_000_000);
		const story = [...says("Once "), HOLD, ...says("upon")];
		const editor = await EcaEditor.ready({ answers: [says(long), says(long), story] });
		await editor.turn("First");
		await editor.turn("Second");
		const turn = editor.turn("A story");
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		const [prompt] = editor.contents("text").filter(({ contentId }) => contentId !== undefined);
		const from = editor.messages.length;
		const waiting = vi.spyOn(Connection.prototype, "drained");
		editor.pause();
		const flagged = editor.request("chat/addFlag", { chatId: "c", contentId: prompt?.["contentId"], text: "here" });
		await expect.poll(() => waiting.mock.calls.length).toBeGreaterThan(0);
		const { assist, model } = editor.conversation;
		await model.release();
		const last = async () => (await assist.entries("c")).findLast(({ body }) => body.type === "text")?.body;
		await expect.poll(last).toMatchObject({ text: "Once upon" });
		editor.resume();
		await editor.until(() => {
			editor.clock.advance(100);
			return editor.messages.slice(from).some(({ result }) => result !== undefined);
		});
		await Promise.all([flagged, turn]);
		expect(saidIn(editor, from).map((text) => text.trim().slice(0, 10))).toEqual([
			"First",
			"xxxxxxxxxx",
			"Second",
			"xxxxxxxxxx",
			"A story",
			"Once upon",
		]);
	});

	test.each([
		["cleared", "chat/clear", { messages: true }, "chat/cleared"],
		["deleted", "chat/delete", {}, "chat/deleted"],
	])("is stopped before the chat is %s", async (_what, method, params, notification) => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once "), HOLD]] });
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.untilContent("text");
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		const { result } = await editor.request(method, { chatId: "c", ...params });
		expect(result).toEqual({});
		expect(editor.transcript.filter((each) => /^status|^answer|^chat/.test(each)).slice(-3)).toEqual([
			"status idle",
			notification,
			expect.stringMatching(/^answer/),
		]);
		expect(await editor.conversation.assist.entries("c").catch(() => [])).toEqual([]);
	});

	test("is replayed up to the current point, then continues without losing or repeating content", async () => {
		const read = deferred();
		const goOn = deferred();
		let isSlow = false;
		const slowly = (store: Store): Store =>
			Object.assign(Object.create(store), {
				entries: async (id: string) => {
					const entries = await store.entries(id);
					if (isSlow) {
						read.open();
						await goOn.opened;
					}
					return entries;
				},
			});
		const story = [...says("Once "), HOLD, ...says("upon "), HOLD, ...says("a time.")];
		const editor = await EcaEditor.ready({ answers: [says("Before."), story], store: slowly });
		const { model } = editor.conversation;
		await editor.turn("First");
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		await model.holding();
		isSlow = true;
		const opened = editor.request("chat/open", { chatId: "c" });
		await read.opened;
		await model.release();
		await editor.until(() => editor.transcript.includes("assistant text upon"));
		goOn.open();
		await opened;
		const from = editor.messages.length;
		await model.holding();
		await model.release();
		await editor.turnEnded(from);
		expect(saidIn(editor, cleared(editor))).toEqual(["First\n", "Before.", "A story\n", "Once upon a time."]);
	});

	test("is replayed with a call that still needs approval", async () => {
		const answers = [calls(["read_file", { path: "a.txt" }]), WRITE, says("Done.")];
		const editor = await EcaEditor.ready({ files: { "a.txt": "one\n" }, answers });
		await editor.request("chat/prompt", { chatId: "c", message: "Write it" });
		await editor.until(() => editor.contents("toolCallRun").some(isOpenIn(editor)));
		await editor.request("chat/open", { chatId: "c" });
		const [before, again] = [editor.messages.slice(0, cleared(editor)), editor.messages.slice(cleared(editor))];
		const toolsIn = (messages: typeof before) => messages.filter(({ params }) => isOfTool(params?.["content"]));
		expect(toolsIn(again)).toEqual(toolsIn(before));
		await decide(editor, "Approve");
		await editor.turnEnded();
		expect(await editor.conversation.tools.text("a.txt")).toBe("two\n");
	});

	test("is listed as running", async () => {
		const editor = await EcaEditor.ready({ answers: [[...says("Once "), HOLD]] });
		await editor.request("chat/prompt", { chatId: "c", message: "A story" });
		await editor.until(() => editor.transcript.includes("assistant text Once"));
		const { result } = await editor.request("chat/list", null);
		expect(result.chats).toMatchObject([{ id: "c", title: "A story", status: "running", messageCount: 1 }]);
	});
});

test("a reopened chat keeps its cost", async () => {
	const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: undefined, costUsd: 0.5 };
	const answer = [...says("Hello"), { type: "usage", usage } as const];
	const first = await EcaEditor.ready({ answers: [answer, answer] });
	await first.turn("One");
	const second = EcaEditor.on(first.conversation);
	await second.initialize({ capabilities: { codeAssistant: ECA_CURRENT } });
	await second.turn("Two");
	expect(second.contents("usage")).toMatchObject([{ lastMessageCost: "0.50", sessionCost: "1.00" }]);
});
