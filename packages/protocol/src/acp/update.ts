import { notification, type ParamsOf } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, record, skipping, word } from "../tolerance.js";
import { contentBlock } from "./content-block.js";
import { configOption } from "./session.js";
import { toolCall, toolCallUpdate } from "./tool-call.js";

const messageChunk = { content: contentBlock, messageId: lenient(z.string()), _meta: meta };

const planEntry = record({
	content: z.string(),
	priority: word("high", "medium", "low"),
	status: word("pending", "in_progress", "completed"),
	_meta: meta,
});

const availableCommand = record({
	name: z.string(),
	description: z.string(),
	input: lenient(record({ hint: z.string(), _meta: meta })),
	_meta: meta,
});
export type AvailableCommand = z.output<typeof availableCommand>;

/**
 * The known kinds of updates. Each update replaces the previous state, except chunks and `tool_call_update`, which add
 * to it.
 */
const known = z.discriminatedUnion("sessionUpdate", [
	record({ sessionUpdate: z.literal("user_message_chunk"), ...messageChunk }),
	record({ sessionUpdate: z.literal("agent_message_chunk"), ...messageChunk }),
	record({ sessionUpdate: z.literal("agent_thought_chunk"), ...messageChunk }),
	record({ sessionUpdate: z.literal("tool_call"), ...toolCall.shape }),
	record({ sessionUpdate: z.literal("tool_call_update"), ...toolCallUpdate.shape }),
	record({ sessionUpdate: z.literal("plan"), entries: skipping(planEntry), _meta: meta }),
	record({
		sessionUpdate: z.literal("available_commands_update"),
		availableCommands: skipping(availableCommand),
		_meta: meta,
	}),
	record({ sessionUpdate: z.literal("current_mode_update"), currentModeId: z.string(), _meta: meta }),
	record({ sessionUpdate: z.literal("config_option_update"), configOptions: skipping(configOption), _meta: meta }),
	record({
		sessionUpdate: z.literal("session_info_update"),
		title: lenient(z.string()),
		updatedAt: lenient(z.string()),
		_meta: meta,
	}),
	/** The number of tokens used in the context window, and the window's size. */
	record({
		sessionUpdate: z.literal("usage_update"),
		used: z.number(),
		size: z.number(),
		cost: lenient(record({ amount: z.number(), currency: z.string(), _meta: meta })),
		_meta: meta,
	}),
	/** Only sent to clients with `session.notices`. */
	record({
		sessionUpdate: z.literal("notice"),
		severity: word("info", "warning", "error"),
		title: z.string(),
		description: lenient(z.string()),
		_meta: meta,
	}),
	/** This update and the summary chunks are only sent to clients with `session.compaction`. */
	record({
		sessionUpdate: z.literal("compaction_update"),
		compactionId: z.string(),
		status: word("in_progress", "completed", "failed", "cancelled"),
		summary: lenient(skipping(contentBlock)),
		error: lenient(z.string()),
		_meta: meta,
	}),
	record({
		sessionUpdate: z.literal("compaction_summary_chunk"),
		compactionId: z.string(),
		content: contentBlock,
		_meta: meta,
	}),
]);

/**
 * An update of an unknown kind, or one with invalid members. `sessionUpdate` is replaced, so it cannot be mistaken for
 * a known kind; to forward it, send `raw`.
 */
const other = z.pipe(
	z.looseObject({ sessionUpdate: z.string() }),
	z.transform((raw) => ({ sessionUpdate: "(other)" as const, raw: raw as Readonly<Record<string, unknown>> })),
);

/** Reports an update in a chat session or an NES session. */
export const sessionUpdate = notification({
	method: "session/update",
	from: "agent",
	params: record({ sessionId: z.string(), update: z.union([known, other]), _meta: meta }),
});
export type SessionUpdate = ParamsOf<typeof sessionUpdate>["update"];
