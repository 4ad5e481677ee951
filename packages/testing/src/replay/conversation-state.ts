import * as z from "zod";
import type { CapturedLine, CapturedMessage } from "./capture.js";

/** The state of a session: answered requests, running turns and pending approvals. */
export class ConversationState {
	/** Ids of the editor's requests that have been answered. */
	readonly answered = new Set<string | number>();
	/** Methods of the notifications that the server has sent. */
	readonly announced = new Set<string>();
	/** Ids of finished rewrites. */
	readonly rewritten = new Set<string>();
	/** Ids of chats created by the server, in order. */
	readonly minted: ChatKey[] = [];
	private readonly chats = new Map<ChatKey, ChatState>();
	/** The editor's pending prompts, with their chat ids. */
	private readonly prompts = new Map<string | number, ChatKey | undefined>();

	chat(id: ChatKey): ChatState {
		const known = this.chats.get(id) ?? { isOpen: false, waiting: [], contentIds: [] };
		this.chats.set(id, known);
		return known;
	}

	take(from: CapturedLine["from"], message: CapturedMessage): void {
		if (from === "editor") this.takeEditorMessage(message);
		else if (message.method !== undefined) this.takeServerMessage(message.method, message.params);
		else if (message.id !== undefined) this.takeResponse(message.id, message.result);
	}

	private takeEditorMessage({ id, method, params }: CapturedMessage): void {
		const { chatId, toolCallId } = named.parse(params ?? {});
		if (method === "chat/prompt" && id !== undefined) {
			this.prompts.set(id, chatId);
			if (chatId !== undefined) this.chat(chatId).isOpen = true;
		}
		if (chatId === undefined) return;
		const chat = this.chat(chatId);
		if (method === "chat/promptStop") chat.waiting = [];
		if (method === "chat/toolCallApprove" || method === "chat/toolCallReject") {
			chat.waiting = chat.waiting.filter((each) => each !== toolCallId);
		}
	}

	private takeResponse(id: string | number, result: unknown): void {
		this.answered.add(id);
		if (!this.prompts.has(id)) return;
		const requested = this.prompts.get(id);
		this.prompts.delete(id);
		const { chatId } = named.parse(result ?? {});
		if (requested !== undefined || chatId === undefined) return;
		this.minted.push(chatId);
		this.begin(chatId);
	}

	/** Creates a chat if necessary, because a chat may start with the response to its prompt or with content. */
	private begin(id: ChatKey): void {
		if (!this.chats.has(id)) this.chat(id).isOpen = true;
	}

	private takeServerMessage(method: string, params: unknown): void {
		this.announced.add(method);
		if (method === "rewrite/contentReceived") {
			const { rewriteId, content } = rewritten.parse(params);
			if (content.type === "finished" || content.type === "error") this.rewritten.add(rewriteId);
		}
		if (method !== "chat/contentReceived") return;
		const { chatId, content, isComplete } = received.parse(params);
		const { type, id = type, contentId } = content;
		if ([...this.prompts.values()].includes(undefined)) this.begin(chatId);
		const chat = this.chat(chatId);
		if (contentId !== undefined && !chat.contentIds.includes(contentId)) chat.contentIds.push(contentId);
		if ((type === "toolCallRun" || type === "fileChange") && content.manualApproval === true) chat.waiting.push(id);
		if (type === "toolCalled" || type === "toolCallRejected") chat.waiting = chat.waiting.filter((each) => each !== id);
		if ((type === "progress" && content.state === "finished") || isComplete === true) {
			chat.isOpen = false;
			chat.waiting = [];
		}
	}
}

type ChatKey = string | number;

interface ChatState {
	/** Whether a turn is running. */
	isOpen: boolean;
	/** Ids of tool calls that are waiting for approval. */
	waiting: string[];
	/** The server's ids for user messages, in order. */
	readonly contentIds: string[];
}

const key = z.union([z.string(), z.number()]);
const named = z.looseObject({ chatId: key.optional().catch(undefined), toolCallId: z.string().optional() }).catch({});
const rewritten = z.object({ rewriteId: z.string(), content: z.object({ type: z.string() }) });
const received = z.object({
	chatId: key,
	isComplete: z.boolean().optional(),
	content: z.object({
		type: z.string(),
		id: z.string().optional(),
		contentId: z.string().optional(),
		state: z.string().optional(),
		manualApproval: z.boolean().optional(),
	}),
});
