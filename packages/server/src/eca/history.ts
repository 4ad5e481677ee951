import type { Entry, Thread, Undone } from "@segue/assist";
import { NoSuchThread, ThreadBusy } from "@segue/assist/failures";
import { type ChatId, type ChatInfo, type ContentReceived, eca } from "@segue/protocol/eca";
import { ErrorCode, type Handler, on, RpcError } from "@segue/rpc";
import { pageOf } from "./page.js";
import { type Announced, selectionFor } from "./selection.js";
import type { Chat, EcaSession } from "./session.js";

// More chats than anybody looks through in a list.
const LISTED_MAX = 500;
// Messages that are shown when a chat is opened: more than anybody scrolls through. The editor can ask for those before.
const OPENED_MAX = 2_000;
// Messages in one answer, all of which the editor has to read at once.
const PAGE_MAX = 200;

/** The chats that are kept: listed, shown again, shortened, copied and deleted. */
export function historyHandlers(session: EcaSession): Handler<"client">[] {
	return [
		on(eca.listChats, async ({ limit, sortBy }) => {
			const chats = await chatsOf(session);
			if (sortBy === "createdAt") chats.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
			return { chats: chats.slice(0, limit ?? LISTED_MAX) };
		}),
		on(eca.openChat, async ({ chatId, ...wanted }) => {
			const kept = await keptOf(session, chatId);
			if (kept === undefined) return { found: false };
			const { chat, thread } = kept;
			const page = pageOf(kept.entries, wanted, OPENED_MAX);
			if (page === undefined) return { found: true, chatId: chat.id, error: EXPIRED };
			const chosen = await chosenIn(session, chat);
			tellCleared(session, chat);
			tellOpened(session, chat, thread, page.entries, chosen);
			const selection = selectionOf(chat, chosen);
			return { found: true, chatId: chat.id, title: thread.title, selection, meta: page.meta };
		}),
		on(eca.history, async ({ chatId, ...wanted }) => {
			const kept = await keptOf(session, chatId);
			if (kept === undefined) return { error: NOT_FOUND };
			const page = pageOf(kept.entries, wanted, PAGE_MAX);
			if (page === undefined) return { error: EXPIRED };
			return { contents: contentsOf(kept.chat, page.entries), meta: page.meta };
		}),
		on(eca.deleteChat, async ({ chatId }, call) => {
			const chat = await find(session, chatId);
			if (chat === undefined) return {};
			await session.chats.forget(chat);
			const { assist } = await session.engine();
			await assist.delete(chat.threadId).catch(unlessGone);
			call.afterwards(() => session.connection.notify(eca.chatDeleted, { chatId: chat.id }));
			return {};
		}),
		on(eca.clearChat, async ({ chatId, messages }, call) => {
			const chat = await find(session, chatId);
			if (chat === undefined || messages !== true) return {};
			const { assist } = await session.engine();
			await chat.stop();
			await assist.clear(chat.threadId).catch(unlessGone).catch(throwForEditor);
			call.afterwards(() => tellCleared(session, chat));
			return {};
		}),
		on(eca.updateChat, async ({ chatId, title, trust }) => {
			const { chat, thread } = await keptOrRefuse(session, chatId);
			const { assist } = await session.engine();
			const name = title?.trim();
			if (name) await assist.rename(thread.id, name).catch(throwForEditor);
			if (typeof trust === "boolean") chat.settings = { ...chat.settings, trust };
			return {};
		}),
		on(eca.rollback, async ({ chatId, contentId, include }, call) => {
			const { chat, thread } = await keptOrRefuse(session, chatId);
			await chat.stop();
			const { assist } = await session.engine();
			const number = promptIn(await assist.entries(thread.id), contentId);
			const what = { messages: include?.includes("messages") ?? true, files: include?.includes("tools") ?? true };
			const undone = await assist.rollback(thread.id, number, what).catch(throwForEditor);
			const left = await assist.entries(thread.id);
			call.afterwards(() => {
				if (what.messages) {
					tellCleared(session, chat);
					for (const piece of chat.replay(left)) chat.tell(piece);
				}
				for (const text of sentencesOf(undone)) chat.tell({ role: "system", content: { type: "text", text } });
			});
			return {};
		}),
		on(eca.fork, async ({ chatId, contentId }, call) => {
			const { chat, thread, entries } = await keptOrRefuse(session, chatId);
			const { assist } = await session.engine();
			const copied = await assist.fork(thread.id, promptIn(entries, contentId)).catch(throwForEditor);
			const copy = session.chats.adopt(copied.id);
			copy.settings = chat.settings;
			const kept = await assist.entries(copied.id);
			const chosen = await chosenIn(session, copy);
			call.afterwards(() => tellOpened(session, copy, copied, kept, chosen));
			return {};
		}),
	];
}

const NOT_FOUND = { code: "chat_not_found", message: "There is no such chat." };
const EXPIRED = {
	code: "cursor_expired",
	message: "That part of the chat is no longer there. Ask for the newest part.",
};

function tellCleared({ connection }: EcaSession, { id }: Chat): void {
	connection.notify(eca.chatCleared, { chatId: id, messages: true });
}

function tellOpened(
	{ connection }: EcaSession,
	chat: Chat,
	{ title }: Thread,
	entries: readonly Entry[],
	chosen: Announced,
): void {
	connection.notify(eca.chatOpened, { chatId: chat.id, ...(title !== "" && { title }) });
	for (const piece of chat.replay(entries)) chat.tell(piece);
	// Another chat may have been trusted, and the editor has one switch for all.
	const { trust: selectTrust } = chat.settings;
	connection.notify(eca.configUpdated, { chatId: chat.id, chat: { ...chosen, selectTrust } });
}

/** Those of the workspace in which something was asked, the last used first. */
async function chatsOf(session: EcaSession): Promise<ChatInfo[]> {
	const { assist } = await session.engine();
	const threads = await assist.list({ workspace: session.folders[0], limit: LISTED_MAX });
	const asked = threads.filter(({ title }) => title !== "");
	const tallies = await assist.tallies(asked.map(({ id }) => id));
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

async function find({ chats }: EcaSession, id: ChatId | null | undefined): Promise<Chat | undefined> {
	return id === undefined || id === null ? undefined : chats.find(id);
}

/** A chat with what is kept of it. */
interface Kept {
	readonly chat: Chat;
	readonly thread: Thread;
	readonly entries: readonly Entry[];
}

async function keptOf(session: EcaSession, id: ChatId): Promise<Kept | undefined> {
	const chat = await session.chats.find(id);
	if (chat === undefined) return undefined;
	const { assist } = await session.engine();
	const thread = await assist.thread(chat.threadId);
	return thread && { chat, thread, entries: await assist.entries(thread.id) };
}

async function keptOrRefuse(session: EcaSession, id: ChatId): Promise<Kept> {
	const kept = await keptOf(session, id);
	if (kept === undefined) throw new RpcError(ErrorCode.invalidParams, NOT_FOUND.message);
	return kept;
}

/** The number of the prompt that an editor names, by what it was told with it. */
function promptIn(entries: readonly Entry[], contentId: string): number {
	const named = entries.find(({ number, body }) => body.type === "prompt" && `${number}` === contentId);
	if (named !== undefined) return named.number;
	throw new RpcError(
		ErrorCode.invalidParams,
		"What the chat was to go back to is no longer in it. Open the chat again.",
	);
}

function contentsOf(chat: Chat, entries: readonly Entry[]): ContentReceived[] {
	return chat.replay(entries).map((piece) => ({ chatId: chat.id, ...piece }));
}

/** A chat can be read though the agent that answers in it cannot be reached. */
async function chosenIn(session: EcaSession, chat: Chat): Promise<Announced> {
	try {
		return await selectionFor(session, chat);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		session.show("error", error.message);
		return {};
	}
}

function selectionOf({ settings }: Chat, { selectModel, selectAgent, selectVariant, variants }: Announced) {
	return {
		model: selectModel ?? null,
		agent: selectAgent ?? "",
		variant: selectVariant ?? null,
		variants: variants ?? [],
		trust: settings.trust,
	};
}

function sentencesOf({ restored, left }: Undone): string[] {
	return [
		...(restored.length === 0 ? [] : [`As they were before: ${restored.join(", ")}.\n`]),
		...(left.length === 0 ? [] : [`Left as they are, because they were changed since: ${left.join(", ")}.\n`]),
	];
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
