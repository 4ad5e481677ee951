import type { Assist, Entry, Flag, Thread, UndoResult } from "@segue/assist";
import { NoSuchThread, ThreadBusy } from "@segue/assist/failures";
import * as eca from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, type ResultOf, RpcError } from "@segue/rpc";
import type { EcaSession, OpenChat } from "../eca-session.js";
import { contentIdOf } from "../encoding/content-builder.js";
import type { ContentItem } from "../encoding/encoder.js";
import { type ChatConfig, selectionFor } from "../selection.js";
import { chatIdProblem } from "./eca-chats.js";
import { type PageRequest, pageOf } from "./history-page.js";

// Users don't look through longer lists.
const LISTED_MAX = 500;
// Messages sent when a chat is opened. Users rarely scroll further, and the editor can request older ones.
const OPENED_MAX = 2_000;
// Enough for several images of the maximum size, or a month of changes. More would be slow to load.
const OPENED_CHARS_MAX = 32 * 2 ** 20;
// Limit for messages in one response, which the editor has to read as a whole.
const PAGE_MAX = 200;
// Enough for one image of the maximum size and the conversation around it.
const PAGE_CHARS_MAX = 8 * 2 ** 20;
// Editors show a flag on one line.
const FLAG_CHARS_MAX = 200;

/**
 * Lists, opens, rolls back, forks, flags and deletes stored chats. Sends notifications before the response, because
 * eca-emacs loses those that arrive with the response or after it.
 */
export function historyHandlers(session: EcaSession): Handler<"client">[] {
	return [
		on(eca.listChats, async ({ limit, sortBy }) => {
			const chats = await chatsOf(session);
			if (sortBy === "createdAt") chats.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
			return { chats: chats.slice(0, limit ?? LISTED_MAX) };
		}),
		on(eca.openChat, ({ chatId, ...wanted }) => showChat(session, chatId, wanted)),
		on(eca.history, async ({ chatId, ...wanted }) => {
			const stored = await storedChat(session, chatId);
			if (stored === undefined) return { error: NOT_FOUND };
			const page = pageOf(stored.entries, wanted, PAGE_MAX, PAGE_CHARS_MAX);
			if (page === undefined) return { error: EXPIRED };
			return { contents: contentsOf(stored.chat, page.entries, stored.flags), meta: page.meta };
		}),
		on(eca.deleteChat, async ({ chatId }) => {
			const chat = await find(session, chatId);
			if (chat === undefined) return {};
			await session.chats.forget(chat);
			const { assist } = await session.engine();
			await assist.delete(chat.threadId).catch(unlessGone);
			session.connection.notify(eca.chatDeleted, { chatId: chat.id });
			return {};
		}),
		on(eca.clearChat, async ({ chatId, messages }) => {
			const chat = await find(session, chatId);
			if (chat === undefined || messages !== true) return {};
			const { assist } = await session.engine();
			await chat.stop();
			await assist.clear(chat.threadId).catch(unlessGone).catch(throwForEditor);
			sendCleared(session, chat);
			return {};
		}),
		on(eca.updateChat, async ({ chatId, title, trust }) => {
			const why = chatIdProblem(chatId);
			if (why !== undefined) throw new RpcError(ErrorCode.invalidParams, why);
			const { assist } = await session.engine();
			const chat = (await session.chats.find(chatId)) ?? session.chats.begin(chatId);
			const name = title?.trim();
			if (name) await assist.rename(chat.threadId, name).catch((error) => nameLater(error, chat, name));
			if (typeof trust === "boolean") chat.choose({ trust });
			return {};
		}),
		on(eca.rollback, async ({ chatId, contentId, include }) => {
			const { chat, thread } = await storedChatOrThrow(session, chatId);
			await chat.stop();
			const { assist } = await session.engine();
			const number = promptIn(await assist.entries(thread.id), contentId);
			const what = { messages: include?.includes("messages") ?? true, files: include?.includes("tools") ?? true };
			const undone = await assist.rollback(thread.id, number, what).catch(throwForEditor);
			const flags = await assist.flags(thread.id);
			const left = await assist.entries(thread.id);
			const notices = undoMessages(undone).map(
				(text): ContentItem => ({ role: "system", content: { type: "text", text } }),
			);
			if (what.messages) sendCleared(session, chat);
			await chat.sendAll([...(what.messages ? chat.replay(left, flags) : []), ...notices]);
			return {};
		}),
		on(eca.fork, async ({ chatId, contentId }) => {
			const stored = await storedChatOrThrow(session, chatId);
			const { chat, thread, assist } = stored;
			const copied = await assist.fork(thread.id, messageIn(stored, contentId)).catch(throwForEditor);
			const copy = session.chats.adopt(copied.id);
			copy.choose(chat.settings);
			const content = { entries: await assist.entries(copied.id), flags: await assist.flags(copied.id) };
			await sendOpened(session, copy, copied, content, await chosenIn(session, copy));
			chat.send({ role: "system", content: { type: "text", text: `Forked to: ${copied.title}\n` } });
			return {};
		}),
		on(eca.addFlag, async ({ chatId, contentId, text }) => {
			const stored = await storedChatOrThrow(session, chatId);
			const { chat, thread, assist } = stored;
			const name = [...text.replace(/\s+/g, " ").trim()].slice(0, FLAG_CHARS_MAX).join("");
			if (name === "") throw new RpcError(ErrorCode.invalidParams, "A flag needs a name.");
			const isAdded = await assist.addFlag(thread.id, messageIn(stored, contentId), name).catch(throwForEditor);
			if (!isAdded) throw new RpcError(ErrorCode.invalidParams, "This chat has too many flags. Remove one first.");
			const flags = await assist.flags(thread.id);
			const page = pageOf(await chat.entries(assist), {}, OPENED_MAX, OPENED_CHARS_MAX);
			sendCleared(session, chat);
			await chat.sendAll(chat.replay(page?.entries ?? [], flags));
			return {};
		}),
		on(eca.removeFlag, async ({ chatId, contentId }) => {
			const { thread, assist } = await storedChatOrThrow(session, chatId);
			await assist.removeFlag(thread.id, contentId).catch(throwForEditor);
			return {};
		}),
	];
}

/** Opens a stored chat, or a page of it, in the editor. */
export async function showChat(
	session: EcaSession,
	chatId: eca.ChatId,
	wanted: PageRequest,
): Promise<ResultOf<typeof eca.openChat>> {
	const known = await chatWithThread(session, chatId);
	if (known === undefined) return { found: false };
	const { chat, thread, assist } = known;
	const chosen = await chosenIn(session, chat);
	const flags = await assist.flags(thread.id);
	// Don't await anything between here and the replay, or content from the running turn will be mixed in.
	const page = pageOf(await chat.entries(assist), wanted, OPENED_MAX, OPENED_CHARS_MAX);
	if (page === undefined) return { found: true, chatId: chat.id, error: EXPIRED };
	sendCleared(session, chat);
	await sendOpened(session, chat, thread, { entries: page.entries, flags }, chosen);
	const selection = selectionOf(chat, chosen);
	return { found: true, chatId: chat.id, title: thread.title, selection, meta: page.meta };
}

const NOT_FOUND = { code: "chat_not_found", message: "Chat not found." };
const EXPIRED = {
	code: "cursor_expired",
	message: "This part of the chat no longer exists. Request the latest messages instead.",
};

function sendCleared({ connection }: EcaSession, { id }: OpenChat): void {
	connection.notify(eca.chatCleared, { chatId: id, messages: true });
}

async function sendOpened(
	session: EcaSession,
	chat: OpenChat,
	{ title }: Thread,
	{ entries, flags }: Content,
	chosen: ChatConfig,
): Promise<void> {
	const { connection } = session;
	connection.notify(eca.chatOpened, { chatId: chat.id, ...(title !== "" && { title }) });
	await chat.sendAll(chat.replay(entries, flags));
	// Editors have one trust switch for all chats. It may still show the value for another chat.
	const { trust: selectTrust } = chat.settings;
	connection.notify(eca.configUpdated, { chatId: chat.id, chat: { ...chosen, selectTrust } });
}

/** Returns the workspace's chats that have a prompt, most recently used first. */
async function chatsOf(session: EcaSession): Promise<eca.ChatInfo[]> {
	const { assist } = await session.engine();
	const threads = await assist.list({ workspace: session.folders[0], limit: LISTED_MAX });
	const used = threads.filter(({ title }) => title !== "");
	const statistics = await assist.stats(used.map(({ id }) => id));
	return used.map(({ id, title, modifiedAt }) => {
		const chat = session.chats.known().find(({ threadId }) => threadId === id);
		const stats = statistics.get(id);
		return {
			id: chat?.id ?? id,
			title,
			status: chat?.status ?? "idle",
			...(stats?.createdAt !== undefined && { createdAt: Date.parse(stats.createdAt) }),
			updatedAt: Date.parse(modifiedAt),
			...(stats?.model !== undefined && { model: stats.model }),
			messageCount: stats?.prompts ?? 0,
		};
	});
}

async function find({ chats }: EcaSession, id: eca.ChatId | null | undefined): Promise<OpenChat | undefined> {
	return id === undefined || id === null ? undefined : chats.find(id);
}

interface ChatWithThread {
	readonly chat: OpenChat;
	readonly thread: Thread;
	readonly assist: Assist;
}

/** A chat's stored content. */
interface Content {
	readonly entries: readonly Entry[];
	readonly flags: readonly Flag[];
}

interface StoredChat extends ChatWithThread, Content {}

async function storedChat(session: EcaSession, id: eca.ChatId): Promise<StoredChat | undefined> {
	const known = await chatWithThread(session, id);
	if (known === undefined) return undefined;
	const flags = await known.assist.flags(known.thread.id);
	return { ...known, flags, entries: await known.chat.entries(known.assist) };
}

async function chatWithThread(session: EcaSession, id: eca.ChatId): Promise<ChatWithThread | undefined> {
	const chat = await session.chats.find(id);
	if (chat === undefined) return undefined;
	const { assist } = await session.engine();
	const thread = await assist.thread(chat.threadId);
	return thread && { chat, thread, assist };
}

async function storedChatOrThrow(session: EcaSession, id: eca.ChatId): Promise<StoredChat> {
	const stored = await storedChat(session, id);
	if (stored === undefined) throw new RpcError(ErrorCode.invalidParams, NOT_FOUND.message);
	return stored;
}

/** Returns the entry number of the prompt with this contentId. */
function promptIn(entries: readonly Entry[], contentId: string): number {
	const named = entries.find(({ number, body }) => body.type === "prompt" && `${number}` === contentId);
	return named?.number ?? refuseContent();
}

/** Returns the entry number for a contentId, which identifies a prompt, flag, thought, plan or tool call. */
function messageIn({ entries, flags }: Content, contentId: string): number {
	const message = entries.findLast((entry) => contentIdOf(entry) === contentId);
	return message?.number ?? flags.find(({ id }) => id === contentId)?.after ?? refuseContent();
}

function refuseContent(): never {
	throw new RpcError(
		ErrorCode.invalidParams,
		"This message is no longer in the chat. Open the chat again to refresh it.",
	);
}

function contentsOf(chat: OpenChat, entries: readonly Entry[], flags: readonly Flag[]): eca.ContentReceived[] {
	return chat.replay(entries, flags).map(({ role, content }) => ({ chatId: chat.id, role, content }));
}

/** Shows an error instead of throwing, so a chat can be read even if its agent is unavailable. */
async function chosenIn(session: EcaSession, chat: OpenChat): Promise<ChatConfig> {
	try {
		return await selectionFor(session, chat);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		session.show("error", error.message);
		return {};
	}
}

function selectionOf({ settings }: OpenChat, { selectModel, selectAgent, selectVariant, variants }: ChatConfig) {
	return {
		model: selectModel ?? null,
		agent: selectAgent ?? "",
		variant: selectVariant ?? null,
		variants: variants ?? [],
		trust: settings.trust,
	};
}

function undoMessages({ restored, left }: UndoResult): string[] {
	return [
		...(restored.length === 0 ? [] : [`Restored: ${restored.join(", ")}.\n`]),
		...(left.length === 0 ? [] : [`Not restored, because they were changed later: ${left.join(", ")}.\n`]),
	];
}

/** Stores the name for later, because editors can rename a chat before its first prompt creates the thread. */
function nameLater(error: unknown, chat: OpenChat, name: string): void {
	if (!(error instanceof NoSuchThread)) throw error;
	chat.setTitle(name);
}

/** Ignores a thread that another process has deleted. */
function unlessGone(error: unknown): void {
	if (!(error instanceof NoSuchThread)) throw error;
}

function throwForEditor(error: unknown): never {
	if (error instanceof ThreadBusy) throw new RpcError(ErrorCode.invalidRequest, error.message);
	if (error instanceof NoSuchThread) throw new RpcError(ErrorCode.invalidParams, NOT_FOUND.message);
	throw error;
}
