import { request } from "@segue/rpc";
import * as z from "zod/mini";
import { uint32 } from "../acp/position.js";
import { record, withoutNul } from "../tolerance.js";

// Conversations. In implementations from the time of the draft, the editor sends these requests to the agent; the
// draft's headings say the opposite. We accept them from either side.

/** Empty params or an empty result. We send null; peers may send an object or omit the value. */
const nothing = z.pipe(
	z.unknown(),
	z.transform(() => null),
);

const threadId = z.string();

const role = z.enum(["user", "assistant"]);

const chunk = record({ type: z.literal("text"), chunk: z.string() });
export type MessageChunk = z.output<typeof chunk>;

const message = record({ role, chunks: z.array(chunk) });
export type Message = z.output<typeof message>;

/** `modifiedAt` is an RFC 3339 timestamp. */
const metadata = record({ id: threadId, title: z.string(), modifiedAt: z.string() });
export type ThreadMetadata = z.output<typeof metadata>;

const entry = z.discriminatedUnion("type", [
	record({ type: z.literal("message"), role, chunks: z.array(chunk) }),
	record({ type: z.literal("readFile"), path: z.string(), content: z.string() }),
]);
export type ThreadEntry = z.output<typeof entry>;

export const getThreads = request({
	method: "getThreads",
	from: "either",
	params: nothing,
	result: record({ threads: z.array(metadata) }),
});

export const createThread = request({
	method: "createThread",
	from: "either",
	params: nothing,
	result: record({ threadId }),
});

export const openThread = request({
	method: "openThread",
	from: "either",
	params: record({ threadId }),
	result: nothing,
});

export const getThreadEntries = request({
	method: "getThreadEntries",
	from: "either",
	params: record({ threadId }),
	result: record({ entries: z.array(entry) }),
});

/** Starts a turn. The turn ends with the response. */
export const sendMessage = request({
	method: "sendMessage",
	from: "either",
	params: record({ threadId, message }),
	result: nothing,
});

/** Sends the next part of a message as it is generated. */
export const streamMessageChunk = request({
	method: "streamMessageChunk",
	from: "either",
	params: record({ threadId, chunk }),
	result: nothing,
});

// Files in a thread's workspace. Paths are absolute or relative to the workspace.

/** Loses precision beyond 2^53. That does not matter, because no file is that long and versions are only compared. */
const uint64 = z.number().check(z.gte(0), z.multipleOf(1));

const path = withoutNul(z.string());
/** Increases if and only if the content changes. */
const version = uint64;

/** Lines are 0-based and include their terminator. */
export const readTextFile = request({
	method: "readTextFile",
	from: "either",
	params: record({ threadId, path, lineOffset: z.nullish(uint32), lineLimit: z.nullish(uint32) }),
	result: record({ version, content: z.string() }),
});

/** The content is base64-encoded. */
export const readBinaryFile = request({
	method: "readBinaryFile",
	from: "either",
	params: record({ threadId, path, byteOffset: z.nullish(uint64), byteLimit: z.nullish(uint64) }),
	result: record({ version, content: z.string() }),
});

export const stat = request({
	method: "stat",
	from: "either",
	params: record({ threadId, path }),
	result: record({ exists: z.boolean(), isDirectory: z.boolean() }),
});

export const globSearch = request({
	method: "globSearch",
	from: "either",
	params: record({ threadId, pattern: z.string() }),
	result: record({ matches: z.array(z.string()) }),
});
