import { type ParamsOf, type ResultOf, request } from "@segue/rpc";
import * as z from "zod/mini";
import { lenient, meta, record, skipping, word } from "../tolerance.js";
import { contentBlock } from "./content-block.js";
import { uint32 } from "./position.js";

/** Content shown with a tool call: a content block, a diff of a file, or one of the client's terminals. */
const toolCallContent = z.discriminatedUnion("type", [
	record({ type: z.literal("content"), content: contentBlock, _meta: meta }),
	/** If `oldText` is missing, the file is new. The path is absolute. */
	record({
		type: z.literal("diff"),
		path: z.string(),
		oldText: lenient(z.string()),
		newText: z.string(),
		_meta: meta,
	}),
	record({ type: z.literal("terminal"), terminalId: z.string(), _meta: meta }),
]);
export type ToolCallContent = z.output<typeof toolCallContent>;

/** The path is absolute; `line` is 1-based. */
const toolCallLocation = record({ path: z.string(), line: lenient(uint32), _meta: meta });

const toolKind = word("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other");
const toolCallStatus = word("pending", "in_progress", "completed", "failed");

const members = {
	name: lenient(z.string()),
	kind: lenient(toolKind),
	status: lenient(toolCallStatus),
	content: lenient(skipping(toolCallContent)),
	locations: lenient(skipping(toolCallLocation)),
	rawInput: z.optional(z.unknown()),
	rawOutput: z.optional(z.unknown()),
	_meta: meta,
};

/** The first report of a tool call. */
export const toolCall = record({ toolCallId: z.string(), title: z.string(), ...members });
export type ToolCall = z.output<typeof toolCall>;

/** A later report of a tool call. Members that are missing have not changed; a list replaces the previous one. */
export const toolCallUpdate = record({ toolCallId: z.string(), title: lenient(z.string()), ...members });
export type ToolCallUpdate = z.output<typeof toolCallUpdate>;

const permissionOption = record({
	optionId: z.string(),
	name: z.string(),
	kind: word("allow_once", "allow_always", "reject_once", "reject_always"),
	_meta: meta,
});
export type PermissionOption = z.output<typeof permissionOption>;

/** Asks the user to allow a tool call. After `session/cancel`, the client must respond with `cancelled`. */
export const requestPermission = request({
	method: "session/request_permission",
	from: "agent",
	params: record({
		sessionId: z.string(),
		toolCall: toolCallUpdate,
		options: z.array(permissionOption),
		_meta: meta,
	}),
	result: record({
		outcome: z.discriminatedUnion("outcome", [
			record({ outcome: z.literal("cancelled"), _meta: meta }),
			record({ outcome: z.literal("selected"), optionId: z.string(), _meta: meta }),
		]),
		_meta: meta,
	}),
});
export type RequestPermission = ParamsOf<typeof requestPermission>;
export type PermissionOutcome = ResultOf<typeof requestPermission>["outcome"];
