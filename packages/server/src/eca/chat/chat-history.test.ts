import { type Assist, type Entry, NoSuchThread, ThreadBusy } from "@segue/assist";
import * as eca from "@segue/protocol/eca";
import { Connection, memoryPair, on, RpcError } from "@segue/rpc";
import { ChatFixture, type ChatFixtureOptions, calls } from "@segue/testing/chat/chat-fixture";
import { describe, expect, test } from "vitest";
import type { EcaEngine } from "../backend.js";
import type { EcaChatSettings, EcaSession, OpenChat } from "../eca-session.js";
import type { ContentItem } from "../encoding/encoder.js";
import { historyHandlers } from "./chat-history.js";

/** An editor that uses the history handlers with an actual store. */
class HistoryEditor {
	/** Summaries of all messages received, in order. */
	readonly told: string[] = [];
	readonly chats = new Map<eca.ChatId, FakeChat>();
	readonly client: Connection<"client">;
	readonly agent: Connection<"agent">;
	/** Overrides for the engine's members. */
	besides: Partial<EcaEngine> = {};

	private constructor(readonly conversation: ChatFixture) {
		const [ours, theirs] = memoryPair();
		const { assist, tools: box, model } = conversation;
		const models = { names: [model.name], choose: () => model };
		const report = (problem: unknown) => this.told.push(`problem ${JSON.stringify(problem)}`);
		const session: Partial<EcaSession> = {
			folders: [box.root],
			engine: async () => ({ assist, models, mode: "edit", ...this.besides }) as never,
			show: (type, message) => void this.told.push(`${type}: ${message}`),
			chats: {
				known: () => [...this.chats.values()],
				find: async (id) => {
					const isKept = typeof id === "string" && (await assist.thread(id)) !== undefined;
					return this.chats.get(id) ?? (isKept ? this.open(id) : undefined);
				},
				forget: async (chat) => {
					await chat.stop();
					this.chats.delete(chat.id);
				},
				begin: (id) => this.open(String(id), id),
				adopt: (threadId) => this.open(threadId),
			},
		};
		const handlers = historyHandlers(session as EcaSession);
		this.agent = new Connection<"agent">(theirs, { dialect: eca.dialect, handlers, report });
		Object.assign(session, { connection: this.agent });
		this.client = new Connection<"client">(ours, {
			dialect: eca.dialect,
			report,
			handlers: [
				on(eca.chatCleared, ({ chatId, messages }) => void this.told.push(`cleared ${chatId} ${messages}`)),
				on(eca.chatOpened, ({ chatId, title }) => void this.told.push(`opened ${chatId} ${title}`)),
				on(eca.chatDeleted, ({ chatId }) => void this.told.push(`deleted ${chatId}`)),
				on(eca.contentReceived, (received) => void this.told.push(wordsOf(received))),
				on(eca.configUpdated, ({ chatId, chat }) => {
					this.told.push(`chosen ${chatId} ${[chat?.selectModel, chat?.selectAgent, chat?.selectTrust].join(" ")}`);
				}),
			],
		});
		// Responses are recorded in order with the notifications.
		this.client.tap(({ direction, phase, text }) => {
			if (direction === "in" && phase === "before" && "result" in JSON.parse(text)) this.told.push("answer");
		});
	}

	static async begin(conditions: ChatFixtureOptions = {}): Promise<HistoryEditor> {
		return new HistoryEditor(await ChatFixture.begin(conditions));
	}

	get id(): string {
		return this.conversation.thread.id;
	}

	open(threadId: string, id: eca.ChatId = threadId): FakeChat {
		const chat = new FakeChat(id, threadId, this.agent);
		this.chats.set(id, chat);
		return chat;
	}

	/** Returns the messages since the last call. */
	heard(): string[] {
		return this.told.splice(0);
	}

	/** Returns the contentIds of the user's prompts, in order. */
	async prompts(): Promise<string[]> {
		const entries = await this.conversation.entries();
		return entries.filter(({ body }) => body.type === "prompt").map(({ number }) => `${number}`);
	}
}

class FakeChat implements OpenChat {
	settings: EcaChatSettings = { model: undefined, mode: "edit", effort: undefined, trust: false };
	status: OpenChat["status"] = "idle";
	stops = 0;
	title = "";

	constructor(
		readonly id: eca.ChatId,
		readonly threadId: string,
		private readonly connection: Connection<"agent">,
	) {}

	choose(chosen: Partial<EcaChatSettings>): () => void {
		this.settings = { ...this.settings, ...chosen };
		return () => {};
	}

	setTitle(title: string): void {
		this.title = title;
	}

	async stop(): Promise<void> {
		this.stops++;
	}

	send(piece: ContentItem): void {
		this.connection.notify(eca.contentReceived, { chatId: this.id, ...piece });
	}

	async sendAll(pieces: readonly ContentItem[]): Promise<void> {
		for (const piece of pieces) this.send(piece);
	}

	entries(assist: Assist): Promise<Entry[]> {
		return assist.entries(this.threadId);
	}

	replay(entries: readonly Entry[]): readonly ContentItem[] {
		return entries.flatMap(({ number, body }): ContentItem[] => {
			if (body.type === "text") return [{ role: "assistant", content: { type: "text", text: body.text } }];
			if (body.type !== "prompt") return [];
			const [part] = body.parts;
			const text = part?.type === "text" ? part.text : "";
			return [{ role: "user", content: { type: "text", text, contentId: `${number}` } }];
		});
	}
}

function wordsOf({ chatId, role, content }: eca.ContentReceived): string {
	const text = content.type === "text" ? content.text.trim() : content.type;
	return `${role} ${chatId} ${text}`;
}

describe("the list of chats", () => {
	test("contains the workspace's chats, most recently used first, with times, model and number of prompts", async () => {
		const times = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"].map((day) => new Date(day));
		let now = times[0] as Date;
		const editor = await HistoryEditor.begin({ answers: ["one", "two", "three"], now: () => now });
		const { conversation } = editor;
		const { assist } = conversation;
		await conversation.prompt("First");
		const empty = await assist.create(conversation.tools.root);
		const elsewhere = await assist.create("/elsewhere");
		const second = await assist.create(conversation.tools.root);
		const signal = new AbortController().signal;
		now = times[1] as Date;
		await assist.prompt(second.id, [{ type: "text", text: "Second" }], conversation, { signal });
		await assist.prompt(elsewhere.id, [{ type: "text", text: "Elsewhere" }], conversation, { signal });
		now = times[2] as Date;
		await conversation.prompt("More");
		editor.open(second.id, 7).status = "running";

		const first = {
			id: editor.id,
			title: "First",
			status: "idle",
			createdAt: times[0]?.getTime(),
			updatedAt: times[2]?.getTime(),
			model: "test/first",
			messageCount: 2,
		};
		const numbered = { id: 7, status: "running", createdAt: times[1]?.getTime(), updatedAt: times[1]?.getTime() };
		const list = async (params: object) => (await editor.client.request(eca.listChats, params)).chats;
		expect(await list({})).toMatchObject([first, numbered]);
		expect(await list({ limit: 1 })).toEqual([first]);
		expect(await list({ sortBy: "createdAt" })).toMatchObject([{ id: 7 }, { id: editor.id }]);
		expect(await list({ sortBy: "createdAt", limit: 1 })).toMatchObject([{ id: 7 }]);
		expect(empty.title).toBe("");
	});

	test("is empty before the first prompt", async () => {
		const editor = await HistoryEditor.begin();
		expect(await editor.client.request(eca.listChats, {})).toEqual({ chats: [] });
	});
});

describe("opening a chat", () => {
	test("clears the chat, then sends its title, content and settings before the response", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello.", "Bye."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Good night");
		editor.open(editor.id).settings = { model: "test/other", mode: "plan", effort: "low", trust: true };
		const { id } = editor;
		const answer = await editor.client.request(eca.openChat, { chatId: id });
		expect(editor.heard()).toEqual([
			`cleared ${id} true`,
			`opened ${id} Hi`,
			`user ${id} Hi`,
			`assistant ${id} Hello.`,
			`user ${id} Good night`,
			`assistant ${id} Bye.`,
			`chosen ${id} test/other plan true`,
			"answer",
		]);
		expect(answer).toEqual({
			found: true,
			chatId: id,
			title: "Hi",
			selection: {
				model: "test/other",
				agent: "plan",
				variant: "low",
				variants: ["low", "medium", "high"],
				trust: true,
			},
			meta: { total: 4, returned: 4, beforeCursor: null, afterCursor: null, compactionCursor: null },
		});
	});

	test("sends only the requested page", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello.", "Bye."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Good night");
		const { meta, selection } = await editor.client.request(eca.openChat, { chatId: editor.id, limit: 1 });
		expect(editor.heard().filter((each) => /^(user|assistant)/.test(each))).toEqual([`assistant ${editor.id} Bye.`]);
		expect(meta).toMatchObject({ total: 4, returned: 1 });
		expect(selection).toMatchObject({ model: "test/first", agent: "code", variant: null });
	});

	test("works if the chat's agent is unavailable", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello."] });
		await editor.conversation.prompt("Hi");
		editor.besides = { agent: "other" };
		const chat: OpenChat = editor.open(editor.id);
		chat.agent = () => Promise.reject(new RpcError(-32603, "The agent has exited."));
		const { found, selection } = await editor.client.request(eca.openChat, { chatId: editor.id });
		expect({ found, selection }).toMatchObject({ found: true, selection: { model: null, variants: [] } });
		expect(editor.heard()).toEqual(
			expect.arrayContaining(["error: The agent has exited.", `assistant ${editor.id} Hello.`]),
		);
	});

	test("sends nothing for an unknown chat or an expired cursor", async () => {
		const editor = await HistoryEditor.begin();
		await editor.conversation.prompt("Hi");
		expect(await editor.client.request(eca.openChat, { chatId: "none" })).toEqual({ found: false });
		expect(await editor.client.request(eca.openChat, { chatId: 4 })).toEqual({ found: false });
		expect(await editor.client.request(eca.openChat, { chatId: editor.id, before: "99" })).toMatchObject({
			found: true,
			error: { code: "cursor_expired" },
		});
		expect(editor.heard()).toEqual(["answer", "answer", "answer"]);
	});
});

describe("the history of a chat", () => {
	test("is returned in pages", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello.", "Bye."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Good night");
		const page = (more: object) => editor.client.request(eca.history, { chatId: editor.id, limit: 2, ...more });
		const last = await page({});
		expect(last.contents?.map(wordsOf)).toEqual([`user ${editor.id} Good night`, `assistant ${editor.id} Bye.`]);
		expect(last.meta).toMatchObject({ total: 4, returned: 2, afterCursor: null });
		const before = await page({ before: last.meta?.beforeCursor });
		expect(before.contents?.map(wordsOf)).toEqual([`user ${editor.id} Hi`, `assistant ${editor.id} Hello.`]);
		expect(before.meta?.beforeCursor).toBeNull();
		const after = await page({ after: before.meta?.afterCursor });
		expect(after.contents).toEqual(last.contents);
		expect(editor.heard()).toEqual(["answer", "answer", "answer"]);
	});

	test("rejects cursors of rolled-back messages, even after new messages", async () => {
		const editor = await HistoryEditor.begin({ answers: ["One.", "Two.", "Other."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Again");
		const page = (more: object) => editor.client.request(eca.history, { chatId: editor.id, ...more });
		const before = (await page({ limit: 2 })).meta?.beforeCursor;
		expect(before).toBeTypeOf("string");
		await editor.client.request(eca.rollback, { chatId: editor.id, contentId: (await editor.prompts())[1] as string });
		await editor.conversation.prompt("Otherwise");
		expect(await page({ before })).toMatchObject({ error: { code: "cursor_expired" } });
		expect((await page({})).contents?.map(wordsOf)).toContain(`user ${editor.id} Otherwise`);
	});

	test("fails for an unknown chat", async () => {
		const editor = await HistoryEditor.begin();
		expect(await editor.client.request(eca.history, { chatId: "none" })).toMatchObject({
			error: { code: "chat_not_found" },
		});
	});
});

describe("a chat", () => {
	test("is stopped and deleted with its stored content", async () => {
		const editor = await HistoryEditor.begin();
		await editor.conversation.prompt("Hi");
		const chat = editor.open(editor.id, 1);
		expect(await editor.client.request(eca.deleteChat, { chatId: 1 })).toEqual({});
		expect(editor.heard()).toEqual(["deleted 1", "answer"]);
		expect([chat.stops, editor.chats.size]).toEqual([1, 0]);
		expect(await editor.conversation.assist.thread(editor.id)).toBeUndefined();
	});

	test("is cleared without being deleted", async () => {
		const editor = await HistoryEditor.begin();
		await editor.conversation.prompt("Hi");
		const chat = editor.open(editor.id);
		await editor.client.request(eca.clearChat, { chatId: editor.id });
		expect(await editor.prompts()).toHaveLength(1);
		await editor.client.request(eca.clearChat, { chatId: editor.id, messages: true });
		expect(await editor.conversation.entries()).toEqual([]);
		expect(editor.heard()).toEqual(["answer", `cleared ${editor.id} true`, "answer"]);
		expect(chat.stops).toBe(1);
	});

	test("can be deleted or cleared even if it is unknown", async () => {
		const editor = await HistoryEditor.begin();
		expect(await editor.client.request(eca.deleteChat, { chatId: "none" })).toEqual({});
		expect(await editor.client.request(eca.deleteChat, {})).toEqual({});
		expect(await editor.client.request(eca.clearChat, { chatId: "none", messages: true })).toEqual({});
		expect(editor.heard()).toEqual(["answer", "answer", "answer"]);
	});

	test("can be deleted after another process has deleted it", async () => {
		const editor = await HistoryEditor.begin();
		editor.open("gone");
		expect(await editor.client.request(eca.deleteChat, { chatId: "gone" })).toEqual({});
		expect(editor.heard()).toEqual(["deleted gone", "answer"]);
	});

	test("can be renamed and trusted independently", async () => {
		const editor = await HistoryEditor.begin();
		await editor.conversation.prompt("Hi");
		const chat = editor.open(editor.id);
		await editor.client.request(eca.updateChat, { chatId: editor.id, title: " A better name " });
		expect((await editor.conversation.assist.thread(editor.id))?.title).toBe("A better name");
		expect(chat.settings.trust).toBe(false);
		await editor.client.request(eca.updateChat, { chatId: editor.id, trust: true, title: " " });
		expect((await editor.conversation.assist.thread(editor.id))?.title).toBe("A better name");
		expect(chat.settings.trust).toBe(true);
	});

	test("can be renamed and trusted before its first prompt", async () => {
		const editor = await HistoryEditor.begin();
		await editor.client.request(eca.updateChat, { chatId: "new", trust: true, title: "A name" });
		expect(editor.chats.get("new")).toMatchObject({ title: "A name", settings: { trust: true } });
	});

	test("is not created for an invalid id", async () => {
		const editor = await HistoryEditor.begin();
		const named = editor.client.request(eca.updateChat, { chatId: "a b", title: "A name" });
		await expect(named).rejects.toMatchObject({ code: -32602, message: /no spaces/ });
		expect(editor.chats.size).toBe(0);
	});

	test.each<[string, (editor: HistoryEditor) => Promise<unknown>]>([
		["rolled back", (editor) => editor.client.request(eca.rollback, { chatId: "none", contentId: "1" })],
		["forked", (editor) => editor.client.request(eca.fork, { chatId: "none", contentId: "1" })],
	])("cannot be %s if it is unknown", async (_what, act) => {
		const editor = await HistoryEditor.begin();
		await expect(act(editor)).rejects.toMatchObject({ code: -32602, message: "Chat not found." });
	});
});

describe("rolling back to a prompt", () => {
	const write = calls(["write_file", { path: "a.ts", content: "new\n" }]);

	async function written(): Promise<HistoryEditor> {
		const editor = await HistoryEditor.begin({ files: {}, answers: ["Hello.", write, "Written."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Write it");
		expect(await editor.conversation.tools.text("a.ts")).toBe("new\n");
		return editor;
	}

	test.each<[string, string[] | undefined, { hasMessages: boolean; isThere: boolean }]>([
		["removes messages and restores files", undefined, { hasMessages: false, isThere: false }],
		[
			"removes messages and restores files if both are requested",
			["messages", "tools"],
			{ hasMessages: false, isThere: false },
		],
		["removes messages only, if requested", ["messages"], { hasMessages: false, isThere: true }],
		["restores files only, if requested", ["tools"], { hasMessages: true, isThere: false }],
	])("%s", async (_title, include, { hasMessages, isThere }) => {
		const editor = await written();
		const chat = editor.open(editor.id);
		const { id } = editor;
		const contentId = (await editor.prompts())[1] as string;
		expect(await editor.client.request(eca.rollback, { chatId: id, contentId, include })).toEqual({});
		const restored = isThere ? [] : [`system ${id} Restored: ${editor.conversation.tools.root}/a.ts.`];
		const replayed = hasMessages ? [] : [`cleared ${id} true`, `user ${id} Hi`, `assistant ${id} Hello.`];
		expect(editor.heard()).toEqual([...replayed, ...restored, "answer"]);
		expect(await editor.prompts()).toHaveLength(hasMessages ? 2 : 1);
		const text = await editor.conversation.tools.text("a.ts").catch(() => undefined);
		expect(text).toBe(isThere ? "new\n" : undefined);
		expect(chat.stops).toBe(1);
	});

	test("reports files that were changed later and does not restore them", async () => {
		const editor = await written();
		await editor.conversation.tools.add({ "a.ts": "mine\n" });
		const contentId = (await editor.prompts())[1] as string;
		await editor.client.request(eca.rollback, { chatId: editor.id, contentId });
		expect(editor.heard().at(-2)).toMatch(/^system .* Not restored, because they were changed later: .*a\.ts\.$/);
		expect(await editor.conversation.tools.text("a.ts")).toBe("mine\n");
	});

	test.each(["999", "2", "x", ""])("fails for %j, which is not a prompt in the chat", async (contentId) => {
		const editor = await written();
		const request = editor.client.request(eca.rollback, { chatId: editor.id, contentId });
		await expect(request).rejects.toMatchObject({ code: -32602 });
		expect(await editor.prompts()).toHaveLength(2);
		expect(editor.heard()).toEqual([]);
	});

	test.each<[string, Error, object]>([
		[
			"the chat is running in another process",
			new ThreadBusy("t"),
			{ code: -32600, message: new ThreadBusy("t").message },
		],
		["the chat was deleted by another process", new NoSuchThread("t"), { code: -32602, message: "Chat not found." }],
		["an internal error occurs", new Error("disk sk-123"), { code: -32603, message: "Internal error" }],
	])("fails if %s", async (_title, error, expected) => {
		const editor = await written();
		const { assist } = editor.conversation;
		assist.rollback = () => Promise.reject(error);
		assist.fork = () => Promise.reject(error);
		const contentId = (await editor.prompts())[1] as string;
		const at = { chatId: editor.id, contentId };
		await expect(editor.client.request(eca.rollback, at)).rejects.toMatchObject(expected);
		await expect(editor.client.request(eca.fork, at)).rejects.toBeInstanceOf(RpcError);
		expect(editor.heard().filter((each) => !each.startsWith("problem"))).toEqual([]);
	});
});

test("adding a flag to a long chat replays only its latest messages", async () => {
	const editor = await HistoryEditor.begin({ answers: ["Hello."] });
	await editor.conversation.prompt("Hi");
	const { assist } = editor.conversation;
	const text = { turn: "t", at: "", body: { type: "text", text: "More." } } as const;
	const [first] = await assist.entries(editor.id);
	const more = Array.from({ length: 2_500 }, (_, i) => ({ ...text, number: i + 10 }));
	assist.entries = async () => [first as Entry, ...more];
	editor.heard();
	await editor.client.request(eca.addFlag, { chatId: editor.id, contentId: "1", text: "here" });
	expect(editor.heard().filter((line) => line.startsWith("assistant "))).toHaveLength(2_000);
});

describe("a fork", () => {
	/** Forks at this message. Returns the id of the new chat and the messages received. */
	async function forked(
		editor: HistoryEditor,
		contentId: string | undefined,
	): Promise<{ copy: eca.ChatId; told: string[] }> {
		const known = new Set(editor.chats.keys());
		expect(await editor.client.request(eca.fork, { chatId: editor.id, contentId: contentId ?? "" })).toEqual({});
		const copy = [...editor.chats.keys()].find((id) => !known.has(id) && id !== editor.id);
		return { copy: copy ?? "", told: editor.heard() };
	}

	test("sends the entries up to the prompt, the same settings and a new title before the response", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello.", "Bye."] });
		await editor.conversation.prompt("Hi");
		await editor.conversation.prompt("Good night");
		editor.open(editor.id).settings = { model: "test/other", mode: "ask", effort: undefined, trust: true };
		const { copy, told } = await forked(editor, (await editor.prompts())[1]);
		expect(told).toEqual([
			`opened ${copy} Hi (2)`,
			`user ${copy} Hi`,
			`assistant ${copy} Hello.`,
			`user ${copy} Good night`,
			`chosen ${copy} test/other ask true`,
			`system ${editor.id} Forked to: Hi (2)`,
			"answer",
		]);
		expect(await editor.prompts()).toHaveLength(2);
		expect(await editor.client.request(eca.openChat, { chatId: copy })).toMatchObject({
			found: true,
			title: "Hi (2)",
			meta: { total: 3 },
		});
	});

	test("can end with a tool call", async () => {
		const write = calls(["write_file", { path: "a.ts", content: "new\n" }]);
		const editor = await HistoryEditor.begin({ files: {}, answers: [write, "Written."] });
		await editor.conversation.prompt("Write it");
		const call = (await editor.conversation.entries()).find(({ body }) => body.type === "call");
		const { copy } = await forked(editor, call?.body.type === "call" ? call.body.call.id : undefined);
		const types = (await editor.conversation.assist.entries(`${copy}`)).map(({ body }) => body.type);
		expect([types.slice(-2), types.includes("text")]).toEqual([["call", "end"], false]);
	});

	test("has a unique title in the workspace", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello."] });
		await editor.conversation.prompt("Hi");
		const [first] = await editor.prompts();
		const titles = [await forked(editor, first), await forked(editor, first)].map(({ told }) => told[0]);
		expect(titles).toEqual([expect.stringMatching(/ Hi \(2\)$/), expect.stringMatching(/ Hi \(3\)$/)]);
	});

	test("fails for an unknown message", async () => {
		const editor = await HistoryEditor.begin({ answers: ["Hello."] });
		await editor.conversation.prompt("Hi");
		const request = editor.client.request(eca.fork, { chatId: editor.id, contentId: "999" });
		await expect(request).rejects.toMatchObject({ code: -32602, message: /no longer in the chat/ });
	});
});
