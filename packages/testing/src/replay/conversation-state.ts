import * as z from "zod";
import type { CapturedLine, CapturedMessage } from "./capture.js";

/** Where a conversation stands: what was answered, which turns go on, what waits for a yes. */
export class ConversationState {
	/** The ids of the editor's requests that were answered. */
	readonly answered = new Set<string | number>();
	/** What the server has told of by itself, by method. */
	readonly announced = new Set<string>();
	/** The rewrites that came to their end. */
	readonly rewritten = new Set<string>();
	/** The chats that the server gave an id, in order. */
	readonly minted: ChatKey[] = [];
	private readonly chats = new Map<ChatKey, ChatState>();
	/** The editor's prompts without an answer, with the chats that they named. */
	private readonly prompts = new Map<string | number, ChatKey | undefined>();

	chat(id: ChatKey): ChatState {
		const known = this.chats.get(id) ?? { isOpen: false, waiting: [], said: [] };
		this.chats.set(id, known);
		return known;
	}

	take(from: CapturedLine["from"], message: CapturedMessage): void {
		if (from === "editor") this.hearEditor(message);
		else if (message.method !== undefined) this.hearServer(message.method, message.params);
		else if (message.id !== undefined) this.hearAnswer(message.id, message.result);
	}

	private hearEditor({ id, method, params }: CapturedMessage): void {
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

	private hearAnswer(id: string | number, result: unknown): void {
		this.answered.add(id);
		if (!this.prompts.has(id)) return;
		const asked = this.prompts.get(id);
		this.prompts.delete(id);
		const { chatId } = named.parse(result ?? {});
		if (asked !== undefined || chatId === undefined) return;
		this.minted.push(chatId);
		this.begin(chatId);
	}

	/** The first that is heard of a chat may be its answer or its content. */
	private begin(id: ChatKey): void {
		if (!this.chats.has(id)) this.chat(id).isOpen = true;
	}

	private hearServer(method: string, params: unknown): void {
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
		if (contentId !== undefined && !chat.said.includes(contentId)) chat.said.push(contentId);
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
	/** Whether a turn is under way. */
	isOpen: boolean;
	/** The calls that wait to be approved. */
	waiting: string[];
	/** What the user said, by the ids that the server gave it, in order. */
	readonly said: string[];
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
