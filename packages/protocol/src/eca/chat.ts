import { notification, type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { received } from "./content.js";
import { chatId, fromEditor, position } from "./params.js";

/** Context attached to a prompt, in either version of the protocol. Lines are 1-based and inclusive. */
const chatContext = z.discriminatedUnion("type", [
	record({
		type: z.literal("file"),
		path: z.string(),
		linesRange: lenient(record({ start: z.int(), end: z.int() })),
		/** The first version's names for `linesRange` and for the `cursor` context. */
		selection: lenient(record({ startLine: z.int(), endLine: z.int() })),
		cursor: lenient(position),
	}),
	record({ type: z.literal("directory"), path: z.string() }),
	record({ type: z.literal("web"), url: z.string() }),
	record({ type: z.literal("image"), mediaType: z.string(), base64: z.string() }),
	record({ type: z.literal("text"), label: lenient(z.string()), content: z.string() }),
	/** Positions are 1-based. */
	record({ type: z.literal("cursor"), path: z.string(), position: record({ start: position, end: position }) }),
	record({
		type: z.literal("mcpResource"),
		uri: z.string(),
		name: lenient(z.string()),
		description: lenient(z.string()),
		mimeType: lenient(z.string()),
		server: z.string(),
	}),
	/** First version only. */
	record({
		type: z.literal("code"),
		content: z.string(),
		language: lenient(z.string()),
		description: lenient(z.string()),
	}),
	/** The first version mentions this type without defining it. We chose the members. */
	record({ type: z.literal("terminal"), content: z.string(), command: lenient(z.string()) }),
	/** Obsolete, but some editors still send it. */
	record({ type: z.literal("repoMap") }),
]);
export type ChatContext = z.output<typeof chatContext>;

/** A context offered for a prompt. A `cursor` has no position, because the editor adds it. */
const offeredContext = z.union([chatContext, record({ type: z.literal("cursor") })]);
export type OfferedContext = z.output<typeof offeredContext>;

const ofChat = fromEditor(record({ chatId }));
const empty = record({});

export const prompt = request({
	method: "chat/prompt",
	from: "client",
	params: fromEditor(
		record({
			chatId: lenient(chatId),
			message: z.string(),
			model: lenient(z.string()),
			agent: lenient(z.string()),
			/** The former name of `agent`. */
			behavior: lenient(z.string()),
			contexts: lenient(skipping(chatContext)),
			/** The first version's name for `contexts`. */
			context: lenient(skipping(chatContext)),
			variant: lenient(z.string()),
			trust: lenient(z.boolean()),
		}),
	),
	result: record({
		chatId,
		model: lenient(z.string()),
		/** `success`, `connection-error` and `resultMessage` are in the first version only. */
		status: word("prompting", "login", "error", "success", "connection-error"),
		resultMessage: lenient(z.string()),
	}),
});
export type PromptParams = ParamsOf<typeof prompt>;
export type PromptResult = ResultOf<typeof prompt>;

const approval = fromEditor(record({ chatId, toolCallId: z.string(), save: lenient(word("session")) }));
export const toolCallApprove = notification({ method: "chat/toolCallApprove", from: "client", params: approval });
export const toolCallReject = notification({ method: "chat/toolCallReject", from: "client", params: approval });

export const promptStop = notification({ method: "chat/promptStop", from: "client", params: ofChat });
/** Adds a message to the running turn. */
export const promptSteer = notification({
	method: "chat/promptSteer",
	from: "client",
	params: fromEditor(record({ chatId, message: z.string() })),
});
export const promptSteerRemove = notification({ method: "chat/promptSteerRemove", from: "client", params: ofChat });

/** Completes a context typed after `@`. */
export const queryContext = request({
	method: "chat/queryContext",
	from: "client",
	params: fromEditor(
		record({ chatId: lenient(chatId), query: z.catch(z.string(), ""), contexts: lenient(skipping(chatContext)) }),
	),
	result: record({ chatId: lenient(chatId), contexts: skipping(offeredContext) }),
});

const query = fromEditor(record({ chatId: lenient(chatId), query: z.catch(z.string(), "") }));

/** Completes a file name typed after `#`. */
export const queryFiles = request({
	method: "chat/queryFiles",
	from: "client",
	params: query,
	result: record({ chatId: lenient(chatId), files: skipping(chatContext) }),
});

/** Completes a command typed after `/`. */
export const queryCommands = request({
	method: "chat/queryCommands",
	from: "client",
	params: query,
	result: record({
		chatId: lenient(chatId),
		commands: skipping(
			record({
				name: z.string(),
				description: z.string(),
				type: word("mcpPrompt", "native", "customPrompt", "skill"),
				arguments: skipping(
					record({ name: z.string(), description: lenient(z.string()), required: lenient(z.boolean()) }),
				),
			}),
		),
	}),
});

export const listChats = request({
	method: "chat/list",
	from: "client",
	params: fromEditor(
		record({ limit: lenient(z.int().check(z.gte(0))), sortBy: lenient(word("updatedAt", "createdAt")) }),
	),
	result: record({
		chats: skipping(
			record({
				id: chatId,
				title: lenient(z.string()),
				status: word("idle", "running", "stopping", "login"),
				/** Timestamps are in milliseconds since the epoch. */
				createdAt: lenient(z.number()),
				updatedAt: lenient(z.number()),
				model: lenient(z.string()),
				messageCount: z.int(),
			}),
		),
	}),
});
export type ChatInfo = ResultOf<typeof listChats>["chats"][number];

const page = fromEditor(
	record({
		chatId,
		limit: lenient(z.int().check(z.gte(0))),
		/** Either a cursor or `lastCompaction`. */
		before: lenient(z.string()),
		after: lenient(z.string()),
	}),
);

const historyMeta = record({
	total: z.int(),
	returned: z.int(),
	beforeCursor: z.nullable(z.string()),
	afterCursor: z.nullable(z.string()),
	compactionCursor: z.nullable(z.string()),
});
export type HistoryMeta = z.output<typeof historyMeta>;

const pageError = record({ code: word("chat_not_found", "cursor_expired"), message: z.string() });

/** Opens a stored chat. Its content is sent as notifications before the response. */
export const openChat = request({
	method: "chat/open",
	from: "client",
	params: page,
	result: record({
		found: z.boolean(),
		chatId: lenient(chatId),
		title: lenient(z.string()),
		selection: lenient(
			record({
				model: z.nullable(z.string()),
				agent: z.string(),
				variant: z.nullable(z.string()),
				variants: z.array(z.string()),
				trust: z.boolean(),
			}),
		),
		meta: lenient(historyMeta),
		error: lenient(pageError),
	}),
});

/** Like `openChat`, but with the content in the response. */
export const history = request({
	method: "chat/history",
	from: "client",
	params: page,
	result: record({
		contents: lenient(skipping(received)),
		meta: lenient(historyMeta),
		error: lenient(pageError),
	}),
});

export const deleteChat = request({
	method: "chat/delete",
	from: "client",
	params: fromEditor(record({ chatId: lenient(chatId) })),
	result: empty,
});

export const clearChat = request({
	method: "chat/clear",
	from: "client",
	params: fromEditor(record({ chatId, messages: lenient(z.boolean()) })),
	result: empty,
});

export const updateChat = request({
	method: "chat/update",
	from: "client",
	params: fromEditor(record({ chatId, title: lenient(z.string()), trust: lenient(z.boolean()) })),
	result: empty,
});

/**
 * Removes a user message and everything after it. `chat/cleared` and the remaining messages are sent before the
 * response.
 */
export const rollback = request({
	method: "chat/rollback",
	from: "client",
	params: fromEditor(record({ chatId, contentId: z.string(), include: lenient(z.array(word("messages", "tools"))) })),
	result: empty,
});

/** Copies a chat up to and including a message. `chat/opened` and the copied messages are sent before the response. */
export const fork = request({
	method: "chat/fork",
	from: "client",
	params: fromEditor(record({ chatId, contentId: z.string() })),
	result: empty,
});

/** Adds a flag after a message. `chat/cleared` and all messages are sent before the response. */
export const addFlag = request({
	method: "chat/addFlag",
	from: "client",
	params: fromEditor(record({ chatId, contentId: z.string(), text: z.string() })),
	result: empty,
});

export const removeFlag = request({
	method: "chat/removeFlag",
	from: "client",
	params: fromEditor(record({ chatId, contentId: z.string() })),
	result: empty,
});

export const chatOpened = notification({
	method: "chat/opened",
	from: "agent",
	params: record({ chatId, title: lenient(z.string()) }),
});

export const chatCleared = notification({
	method: "chat/cleared",
	from: "agent",
	params: record({ chatId, messages: z.boolean() }),
});

export const chatDeleted = notification({ method: "chat/deleted", from: "agent", params: record({ chatId }) });

export const statusChanged = notification({
	method: "chat/statusChanged",
	from: "agent",
	params: record({ chatId, status: word("running", "idle", "stopping") }),
});

/** Only sent to editors with `chatCapabilities.askQuestion`. */
export const askQuestion = request({
	method: "chat/askQuestion",
	from: "agent",
	params: record({
		chatId,
		question: z.string(),
		options: lenient(skipping(record({ label: z.string(), description: lenient(z.string()) }))),
		toolCallId: lenient(z.string()),
		allowFreeform: z.boolean(),
	}),
	result: fromEditor(record({ answer: lenient(z.string()), cancelled: lenient(z.boolean()) })),
});
