import { randomUUID } from "node:crypto";
import * as eca from "@segue/protocol/eca";
import { type Handler, on, type Problem } from "@segue/rpc";
import type { EcaSession, OpenChat, OpenChats } from "../eca-session.js";
import { promptResult } from "../encoding/eca-version.js";
import { EcaChat } from "./eca-chat.js";

/** Far more than anybody has open. One that is forgotten here is still in the store. */
const CHATS_MAX = 256;
const ID_CHARS_MAX = 256;

/** The chats of one connection. */
export class EcaChats implements OpenChats {
	private readonly chats = new Map<eca.ChatId, EcaChat>();
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
	named(id: eca.ChatId): EcaChat | undefined {
		this.isNaming = true;
		return this.chats.get(id);
	}

	/** The chat of a prompt without an id: a new one, but for a client that names none, which has only one chat. */
	continued(): EcaChat {
		if (!this.isTextOnly || this.unnamed === undefined) this.unnamed = this.add(randomUUID());
		return this.unnamed;
	}

	/** Sends prompts without a chatId to this thread. */
	continueThread(threadId: string): void {
		if (this.isTextOnly) this.unnamed = this.adopt(threadId);
	}

	/** The chat of an id, known from now on. A number is only a name for this connection; new chats get an id. */
	begin(id: eca.ChatId): EcaChat {
		this.isNaming = true;
		return this.chats.get(id) ?? (typeof id === "string" ? this.add(id) : this.add(randomUUID(), id));
	}

	async find(id: eca.ChatId): Promise<EcaChat | undefined> {
		if (this.unnamed?.id !== id) this.isNaming = true;
		const engine = await this.session.engine();
		const isKept = typeof id === "string" && (await engine.assist.thread(id)) !== undefined;
		const chat = this.chats.get(id) ?? (isKept ? this.adopt(id) : undefined);
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

	/** Cancels every turn, and waits until all is written down. */
	async stop(): Promise<void> {
		await Promise.all(this.known().map((chat) => chat.close()));
	}

	/** Lets go of a folder, once the turns have ended that work there. */
	async leave(folder: string, isLeft: () => boolean): Promise<void> {
		const chats = this.known();
		await Promise.all(chats.map((chat) => chat.settled()));
		if (!isLeft()) return;
		await Promise.all(chats.map((chat) => chat.leave(folder)));
		this.session.backend.release(folder);
	}

	/** Whether the client has shown no sign yet that it can show a tool call and answer it: that takes the id of a chat. */
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

/** Why a chat cannot have this id; undefined where it can. The rules are those of the protocol's own server. */
export function chatIdProblem(id: eca.ChatId): string | undefined {
	if (typeof id === "number") return undefined;
	if (id.trim() === "") return "A chat's id cannot be blank.";
	if (id.length > ID_CHARS_MAX) return `A chat's id has at most ${ID_CHARS_MAX} characters.`;
	if (/[\s\p{Cc}]/u.test(id)) return "A chat's id has no spaces and no control characters.";
	return id.startsWith("subagent-") ? 'A chat\'s id does not begin with "subagent-".' : undefined;
}

/** What is said in chats, and about what they are doing. */
export function chatHandlers(
	session: EcaSession,
	chats: EcaChats,
	/** Called behind the answer to each prompt. */
	prompted: () => void,
	report: (problem: Problem) => void,
): Handler<"client">[] {
	const settle = (method: string, chatId: eca.ChatId, toolCallId: string, answer: "once" | "session" | "no") => {
		if (chats.named(chatId)?.settle(toolCallId, answer) === true) return;
		report({ kind: "bad-notification", method, text: "no call of this id waits to be approved" });
	};
	const within = (method: string, chatId: eca.ChatId, act: (chat: EcaChat) => void) => {
		const chat = chats.named(chatId);
		if (chat === undefined) report({ kind: "bad-notification", method, text: "no chat of this id is open" });
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
					text: "no turn is under way that hears it",
				});
			});
		}),
		on(eca.promptSteerRemove, ({ chatId }) => {
			within(eca.promptSteerRemove.method, chatId, (chat) => chat.unsteer());
		}),
	];
}
