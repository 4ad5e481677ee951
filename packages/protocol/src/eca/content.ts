import { notification, type ParamsOf } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, record, skipping, word } from "../tolerance.js";
import { chatId } from "./params.js";

const task = record({
	id: z.int(),
	subject: z.string(),
	description: z.string(),
	status: word("pending", "in-progress", "done"),
	priority: word("high", "medium", "low"),
	isBlocked: z.boolean(),
});

/** Details shown with a tool call. */
const details = z.discriminatedUnion("type", [
	record({
		type: z.literal("fileChange"),
		path: z.string(),
		/** A unified diff. */
		diff: z.string(),
		linesAdded: z.int(),
		linesRemoved: z.int(),
	}),
	record({ type: z.literal("jsonOutputs"), jsons: z.array(z.string()) }),
	record({
		type: z.literal("task"),
		tasks: skipping(task),
		inProgressTaskIds: z.array(z.int()),
		summary: record({ done: z.int(), inProgress: z.int(), pending: z.int(), total: z.int() }),
		activeSummary: lenient(z.string()),
	}),
	record({
		type: z.literal("shellCommand"),
		commands: skipping(record({ command: z.string(), args: z.array(z.string()) })),
		background: lenient(z.boolean()),
	}),
]);
export type Details = z.output<typeof details>;

const call = {
	origin: word("mcp", "native", "server", "unknown"),
	id: z.string(),
	name: z.string(),
	server: z.string(),
	summary: lenient(z.string()),
	details: lenient(details),
};

const input = z.record(z.string(), z.unknown());

/**
 * Chat content. A tool call is reported in this order: prepare (repeatedly), run, running, and then called or rejected.
 */
const chatContent = z.discriminatedUnion("type", [
	record({
		type: z.literal("text"),
		text: z.string(),
		/** Only in user messages. Identifies the message for a rollback or a fork. */
		contentId: lenient(z.string()),
		/** First version only. */
		codeBlocks: lenient(skipping(record({ code: z.string(), language: lenient(z.string()) }))),
	}),
	record({ type: z.literal("url"), title: z.string(), url: z.string() }),
	record({ type: z.literal("image"), mediaType: z.string(), base64: z.string() }),
	record({ type: z.literal("progress"), state: word("running", "finished"), text: lenient(z.string()) }),
	record({
		type: z.literal("usage"),
		sessionTokens: z.int(),
		lastMessageCost: lenient(z.string()),
		sessionCost: lenient(z.string()),
		limit: lenient(record({ context: z.int(), output: z.int() })),
	}),
	record({ type: z.literal("reasonStarted"), id: z.string() }),
	record({ type: z.literal("reasonText"), id: z.string(), text: z.string() }),
	record({ type: z.literal("reasonFinished"), id: z.string(), totalTimeMs: z.number() }),
	/** To get the arguments, concatenate every `argumentsText`. */
	record({ type: z.literal("toolCallPrepare"), ...call, argumentsText: z.string() }),
	record({ type: z.literal("toolCallRun"), ...call, arguments: input, manualApproval: z.boolean() }),
	record({ type: z.literal("toolCallRunning"), ...call, arguments: input }),
	record({
		type: z.literal("toolCalled"),
		...call,
		arguments: input,
		error: z.boolean(),
		outputs: skipping(record({ type: z.literal("text"), text: z.string() })),
		totalTimeMs: z.number(),
	}),
	record({
		type: z.literal("toolCallRejected"),
		...call,
		arguments: input,
		reason: word("userChoiceDeny", "userConfigDeny", "hookRejected", "userPromptStop", "userStop", "user"),
	}),
	record({ type: z.literal("metadata"), title: z.string() }),
	/** A named checkpoint. `chat/fork` and `chat/removeFlag` refer to it by `contentId`. */
	record({ type: z.literal("flag"), text: z.string(), contentId: z.string() }),
	/** First version only: a file change, which may require approval. Lines are 1-based. */
	record({
		type: z.literal("fileChange"),
		description: z.string(),
		manualApproval: z.boolean(),
		file: lenient(z.string()),
		changes: lenient(
			skipping(
				record({
					kind: word("create", "change", "delete"),
					content: lenient(z.string()),
					range: lenient(record({ startLine: z.int(), endLine: z.int() })),
				}),
			),
		),
	}),
]);
export type ChatContent = z.output<typeof chatContent>;

/** Content of an unknown type, or with invalid members. */
const other = z.pipe(
	z.looseObject({ type: z.string() }),
	z.transform((raw) => ({ type: "(other)" as const, raw: raw as Readonly<Record<string, unknown>> })),
);

/** Content with its chat and role. `isComplete` and `metadata` are in the first version only. */
export const received = record({
	chatId,
	parentChatId: lenient(z.string()),
	role: lenient(word("user", "system", "assistant")),
	content: z.union([chatContent, other]),
	isComplete: lenient(z.boolean()),
	metadata: lenient(record({ tokensUsed: lenient(z.int()) })),
});

export const contentReceived = notification({ method: "chat/contentReceived", from: "agent", params: received });
export type ContentReceived = ParamsOf<typeof contentReceived>;
