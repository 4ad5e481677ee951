import { randomUUID } from "node:crypto";
import type { ChatId } from "@segue/protocol/eca";
import { EcaChat } from "./chat.js";
import type { Chat, Chats, EcaSession } from "./session.js";

/** Far more than anybody has open. One that is forgotten here is still in the store. */
const CHATS_MAX = 256;
const ID_CHARS_MAX = 256;

/** The chats of one connection. */
export class EcaChats implements Chats {
	private readonly chats = new Map<ChatId, EcaChat>();
	/** Whether the client has named a chat. The one of June 2025 never does. */
	private isNaming = false;
	/** The chat that prompts without an id are about. */
	private unnamed: EcaChat | undefined;

	constructor(
		private readonly session: EcaSession,
		private readonly now: () => number,
	) {}

	known(): readonly EcaChat[] {
		return [...this.chats.values()];
	}

	/** The chat that an editor has open under this id. */
	named(id: ChatId): EcaChat | undefined {
		this.isNaming = true;
		return this.chats.get(id);
	}

	/** The chat of a prompt without an id: a new one, but for a client that names none, which has only one chat. */
	continued(): EcaChat {
		if (!this.isTextOnly || this.unnamed === undefined) this.unnamed = this.add(randomUUID());
		return this.unnamed;
	}

	/** Sends prompts without a chatId to this thread. */
	goOnWith(threadId: string): void {
		if (this.isTextOnly) this.unnamed = this.adopt(threadId);
	}

	/** The chat of an id, known from now on. A number is only a name for this connection; new chats get an id. */
	begin(id: ChatId): EcaChat {
		this.isNaming = true;
		return this.chats.get(id) ?? (typeof id === "string" ? this.add(id) : this.add(randomUUID(), id));
	}

	async find(id: ChatId): Promise<EcaChat | undefined> {
		if (this.unnamed?.id !== id) this.isNaming = true;
		const engine = await this.session.engine();
		const isKept = typeof id === "string" && (await engine.assist.thread(id)) !== undefined;
		const chat = this.chats.get(id) ?? (isKept ? this.adopt(id) : undefined);
		await chat?.meet(engine);
		return chat;
	}

	async forget(chat: Chat): Promise<void> {
		const ours = this.chats.get(chat.id);
		this.chats.delete(chat.id);
		if (this.unnamed === ours) this.unnamed = undefined;
		await ours?.close();
	}

	adopt(threadId: string): EcaChat {
		return this.known().find((chat) => chat.threadId === threadId) ?? this.add(threadId);
	}

	/** Cancels every turn, and waits until all is written down. */
	async stop(): Promise<void> {
		await Promise.all(this.known().map((chat) => chat.close()));
	}

	/** Lets go of a folder, once the turns have ended that work there. */
	async leave(folder: string, isLeft: () => boolean): Promise<void> {
		const chats = this.known();
		await Promise.all(chats.map((chat) => chat.rest()));
		if (!isLeft()) return;
		await Promise.all(chats.map((chat) => chat.leave(folder)));
		this.session.backend.leave(folder);
	}

	/** Whether the client has shown no sign yet that it can show a tool call and answer it: that takes the id of a chat. */
	private get isTextOnly(): boolean {
		return this.session.form !== "current" && !this.isNaming;
	}

	private add(threadId: string, id: ChatId = threadId): EcaChat {
		const chat = new EcaChat(id, threadId, this.session, this.now, () => this.isTextOnly);
		this.chats.set(id, chat);
		if (this.chats.size > CHATS_MAX) {
			const unused = this.known().find((each) => each.status === "idle");
			if (unused !== undefined) this.forget(unused).catch((error) => this.session.report(error));
		}
		return chat;
	}
}

/** Why a chat cannot have this id; undefined where it can. The rules are those of the protocol's own server. */
export function refusalOf(id: ChatId): string | undefined {
	if (typeof id === "number") return undefined;
	if (id.trim() === "") return "A chat's id cannot be blank.";
	if (id.length > ID_CHARS_MAX) return `A chat's id has at most ${ID_CHARS_MAX} characters.`;
	if (/[\s\p{Cc}]/u.test(id)) return "A chat's id has no spaces and no control characters.";
	return id.startsWith("subagent-") ? 'A chat\'s id does not begin with "subagent-".' : undefined;
}
