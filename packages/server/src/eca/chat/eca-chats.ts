import { randomUUID } from "node:crypto";
import * as eca from "@segue/protocol/eca";
import { type Handler, on, type Problem } from "@segue/rpc";
import type { EcaSession, OpenChat, OpenChats } from "../eca-session.js";
import { promptResult } from "../encoding/eca-version.js";
import { EcaChat } from "./eca-chat.js";

/** Far more than users keep open. A chat closed because of this limit is still stored. */
const CHATS_MAX = 256;
const ID_CHARS_MAX = 256;

/** The chats on one connection. */
export class EcaChats implements OpenChats {
	private readonly chats = new Map<eca.ChatId, EcaChat>();
	/** Whether the client has sent a chat id. The client from June 2025 never does. */
	private isNaming = false;
	/** The chat for prompts without a chat id. */
	private unnamed: EcaChat | undefined;

	constructor(
		private readonly session: EcaSession,
		private readonly now: () => number,
	) {}

	known(): readonly EcaChat[] {
		return [...this.chats.values()];
	}

	/** Returns the open chat with this id. */
	named(id: eca.ChatId): EcaChat | undefined {
		this.isNaming = true;
		return this.chats.get(id);
	}

	/** Returns the chat for a prompt without an id: a new one or, for a client that never sends ids, its only chat. */
	continued(): EcaChat {
		if (!this.isTextOnly || this.unnamed === undefined) this.unnamed = this.add(randomUUID());
		return this.unnamed;
	}

	/** Sends later prompts without a chat id to this thread. */
	continueThread(threadId: string): void {
		if (this.isTextOnly) this.unnamed = this.adopt(threadId);
	}

	/** Returns the chat with this id, or opens a new one. A numeric id is valid only for this connection. */
	begin(id: eca.ChatId): EcaChat {
		this.isNaming = true;
		return this.chats.get(id) ?? (typeof id === "string" ? this.add(id) : this.add(randomUUID(), id));
	}

	async find(id: eca.ChatId): Promise<EcaChat | undefined> {
		if (this.unnamed?.id !== id) this.isNaming = true;
		const engine = await this.session.engine();
		const isStored = typeof id === "string" && (await engine.assist.thread(id)) !== undefined;
		const chat = this.chats.get(id) ?? (isStored ? this.adopt(id) : undefined);
		await chat?.load(engine);
		return chat;
	}

	async forget(chat: OpenChat): Promise<void> {
		const ours = this.chats.get(chat.id);
		this.chats.delete(chat.id);
		if (this.unnamed === ours) this.unnamed = undefined;
		await ours?.close();
	}

	adopt(threadId: string): EcaChat {
		return this.known().find((chat) => chat.threadId === threadId) ?? this.add(threadId);
	}

	/** Closes all chats and waits until their turns are stored. */
	async stop(): Promise<void> {
		await Promise.all(this.known().map((chat) => chat.close()));
	}

	/** Releases a folder once all running turns have ended. */
	async leave(folder: string, isLeft: () => boolean): Promise<void> {
		const chats = this.known();
		await Promise.all(chats.map((chat) => chat.settled()));
		if (!isLeft()) return;
		await Promise.all(chats.map((chat) => chat.leave(folder)));
		this.session.backend.release(folder);
	}

	/** Whether the client may be unable to show and approve tool calls. Approving a call requires a chat id. */
	private get isTextOnly(): boolean {
		return this.session.protocolVersion !== "current" && !this.isNaming;
	}

	private add(threadId: string, id: eca.ChatId = threadId): EcaChat {
		const chat = new EcaChat(id, threadId, this.session, this.now, () => this.isTextOnly);
		this.chats.set(id, chat);
		if (this.chats.size > CHATS_MAX) {
			const unused = this.known().find((each) => each.status === "idle");
			if (unused !== undefined) this.forget(unused).catch((error) => this.session.report(error));
		}
		return chat;
	}
}

/** Returns why a chat id is invalid, or undefined if it is valid. ECA's own server has the same rules. */
export function chatIdProblem(id: eca.ChatId): string | undefined {
	if (typeof id === "number") return undefined;
	if (id.trim() === "") return "A chat id must not be blank.";
	if (id.length > ID_CHARS_MAX) return `A chat id must not be longer than ${ID_CHARS_MAX} characters.`;
	if (/[\s\p{Cc}]/u.test(id)) return "A chat id must not contain whitespace or control characters.";
	return id.startsWith("subagent-") ? 'A chat id must not begin with "subagent-".' : undefined;
}

/** Handles prompts, approvals and control messages for chats. */
export function chatHandlers(
	session: EcaSession,
	chats: EcaChats,
	/** Called after the response to each prompt. */
	prompted: () => void,
	report: (problem: Problem) => void,
): Handler<"client">[] {
	const settle = (method: string, chatId: eca.ChatId, toolCallId: string, answer: "once" | "session" | "no") => {
		if (chats.named(chatId)?.settle(toolCallId, answer) === true) return;
		report({ kind: "bad-notification", method, text: "no call with this id needs approval" });
	};
	const within = (method: string, chatId: eca.ChatId, act: (chat: EcaChat) => void) => {
		const chat = chats.named(chatId);
		if (chat === undefined) report({ kind: "bad-notification", method, text: "no chat with this id is open" });
		else act(chat);
	};
	return [
		on(
			eca.prompt,
			(params, call) => {
				const { chatId } = params;
				call.afterwards(prompted);
				if (chatId == null) return chats.continued().prompt(params, call);
				const why = chatIdProblem(chatId);
				if (why !== undefined) return promptResult(session.protocolVersion, chatId, undefined, { kind: "error", why });
				return chats.begin(chatId).prompt(params, call);
			},
			{ isTalk: true },
		),
		on(eca.toolCallApprove, ({ chatId, toolCallId, save }) => {
			settle(eca.toolCallApprove.method, chatId, toolCallId, save === "session" ? "session" : "once");
		}),
		on(eca.toolCallReject, ({ chatId, toolCallId }) => {
			settle(eca.toolCallReject.method, chatId, toolCallId, "no");
		}),
		on(eca.promptStop, ({ chatId }) => within(eca.promptStop.method, chatId, (chat) => chat.cancel())),
		on(eca.promptSteer, ({ chatId, message }) => {
			within(eca.promptSteer.method, chatId, (chat) => {
				if (chat.steer(message)) return;
				report({
					kind: "bad-notification",
					method: eca.promptSteer.method,
					text: "no running turn accepts the message",
				});
			});
		}),
		on(eca.promptSteerRemove, ({ chatId }) => {
			within(eca.promptSteerRemove.method, chatId, (chat) => chat.unsteer());
		}),
	];
}
