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

// More chats than anybody looks through in a list.
const LISTED_MAX = 500;
// Messages that are shown when a chat is opened: more than anybody scrolls through. The editor can ask for those before.
const OPENED_MAX = 2_000;
// Some images of the largest size, or the changes of a month: nobody waits for more.
const OPENED_CHARS_MAX = 32 * 2 ** 20;
// Messages in one answer, all of which the editor has to read at once.
const PAGE_MAX = 200;
// The same for their length: one image of the largest size, with what was said of it.
const PAGE_CHARS_MAX = 8 * 2 ** 20;
// A flag is a line in the editor.
const FLAG_CHARS_MAX = 200;

/**
 * The chats that are kept: listed, shown again, shortened, copied and deleted. Notifications come before the response: eca-emacs
 * waits for the response and loses what arrives with or after it.
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
			const kept = await storedChat(session, chatId);
			if (kept === undefined) return { error: NOT_FOUND };
			const page = pageOf(kept.entries, wanted, PAGE_MAX, PAGE_CHARS_MAX);
			if (page === undefined) return { error: EXPIRED };
			return { contents: contentsOf(kept.chat, page.entries, kept.flags), meta: page.meta };
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
			const remarks = sentencesOf(undone).map(
				(text): ContentItem => ({ role: "system", content: { type: "text", text } }),
			);
			if (what.messages) sendCleared(session, chat);
			await chat.sendAll([...(what.messages ? chat.replay(left, flags) : []), ...remarks]);
			return {};
		}),
		on(eca.fork, async ({ chatId, contentId }) => {
			const kept = await storedChatOrThrow(session, chatId);
			const { chat, thread, assist } = kept;
			const copied = await assist.fork(thread.id, messageIn(kept, contentId)).catch(throwForEditor);
			const copy = session.chats.adopt(copied.id);
			copy.choose(chat.settings);
			const content = { entries: await assist.entries(copied.id), flags: await assist.flags(copied.id) };
			await sendOpened(session, copy, copied, content, await chosenIn(session, copy));
			chat.send({ role: "system", content: { type: "text", text: `Forked to: ${copied.title}\n` } });
			return {};
		}),
		on(eca.addFlag, async ({ chatId, contentId, text }) => {
			const kept = await storedChatOrThrow(session, chatId);
			const { chat, thread, assist } = kept;
			const name = [...text.replace(/\s+/g, " ").trim()].slice(0, FLAG_CHARS_MAX).join("");
			if (name === "") throw new RpcError(ErrorCode.invalidParams, "A flag needs a name.");
			const isAdded = await assist.addFlag(thread.id, messageIn(kept, contentId), name).catch(throwForEditor);
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

/** Shows a kept chat to the editor, whole or in part. */
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
	// Nothing is awaited between this and the replay, so that the running turn sends nothing in between.
	const page = pageOf(await chat.entries(assist), wanted, OPENED_MAX, OPENED_CHARS_MAX);
	if (page === undefined) return { found: true, chatId: chat.id, error: EXPIRED };
	sendCleared(session, chat);
	await sendOpened(session, chat, thread, { entries: page.entries, flags }, chosen);
	const selection = selectionOf(chat, chosen);
	return { found: true, chatId: chat.id, title: thread.title, selection, meta: page.meta };
}

const NOT_FOUND = { code: "chat_not_found", message: "There is no such chat." };
const EXPIRED = {
	code: "cursor_expired",
	message: "That part of the chat is no longer there. Ask for the newest part.",
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
	// Another chat may have been trusted, and the editor has one switch for all.
	const { trust: selectTrust } = chat.settings;
	connection.notify(eca.configUpdated, { chatId: chat.id, chat: { ...chosen, selectTrust } });
}

/** Those of the workspace in which something was asked, the last used first. */
async function chatsOf(session: EcaSession): Promise<eca.ChatInfo[]> {
	const { assist } = await session.engine();
	const threads = await assist.list({ workspace: session.folders[0], limit: LISTED_MAX });
	const asked = threads.filter(({ title }) => title !== "");
	const tallies = await assist.stats(asked.map(({ id }) => id));
	return asked.map(({ id, title, modifiedAt }) => {
		const chat = session.chats.known().find(({ threadId }) => threadId === id);
		const tally = tallies.get(id);
		return {
			id: chat?.id ?? id,
			title,
			status: chat?.status ?? "idle",
			...(tally?.createdAt !== undefined && { createdAt: Date.parse(tally.createdAt) }),
			updatedAt: Date.parse(modifiedAt),
			...(tally?.model !== undefined && { model: tally.model }),
			messageCount: tally?.prompts ?? 0,
		};
	});
}

async function find({ chats }: EcaSession, id: eca.ChatId | null | undefined): Promise<OpenChat | undefined> {
	return id === undefined || id === null ? undefined : chats.find(id);
}

/** A chat that has a thread. */
interface ChatWithThread {
	readonly chat: OpenChat;
	readonly thread: Thread;
	readonly assist: Assist;
}

/** The stored content of a chat. */
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
	const kept = await storedChat(session, id);
	if (kept === undefined) throw new RpcError(ErrorCode.invalidParams, NOT_FOUND.message);
	return kept;
}

/** The number of the prompt with this contentId. */
function promptIn(entries: readonly Entry[], contentId: string): number {
	const named = entries.find(({ number, body }) => body.type === "prompt" && `${number}` === contentId);
	return named?.number ?? refuseContent();
}

/** The number of the message with this id: the contentId of a prompt or flag, or the id of a thought, plan or tool call. */
function messageIn({ entries, flags }: Content, contentId: string): number {
	const message = entries.findLast((entry) => contentIdOf(entry) === contentId);
	return message?.number ?? flags.find(({ id }) => id === contentId)?.after ?? refuseContent();
}

function refuseContent(): never {
	throw new RpcError(
		ErrorCode.invalidParams,
		"This message is no longer in the chat. Open the chat again to see what is.",
	);
}

function contentsOf(chat: OpenChat, entries: readonly Entry[], flags: readonly Flag[]): eca.ContentReceived[] {
	return chat.replay(entries, flags).map(({ role, content }) => ({ chatId: chat.id, role, content }));
}

/** A chat can be read though the agent that answers in it cannot be reached. */
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

function sentencesOf({ restored, left }: UndoResult): string[] {
	return [
		...(restored.length === 0 ? [] : [`As they were before: ${restored.join(", ")}.\n`]),
		...(left.length === 0 ? [] : [`Left as they are, because they were changed since: ${left.join(", ")}.\n`]),
	];
}

/** Editors name chats in which nothing was asked yet. */
function nameLater(error: unknown, chat: OpenChat, name: string): void {
	if (!(error instanceof NoSuchThread)) throw error;
	chat.setTitle(name);
}

/** What another process has deleted need not be deleted. */
function unlessGone(error: unknown): void {
	if (!(error instanceof NoSuchThread)) throw error;
}

function throwForEditor(error: unknown): never {
	if (error instanceof ThreadBusy) throw new RpcError(ErrorCode.invalidRequest, error.message);
	if (error instanceof NoSuchThread) throw new RpcError(ErrorCode.invalidParams, NOT_FOUND.message);
	throw error;
}
