import { request } from "@segue/rpc";
import * as z from "zod";
import { uint32 } from "../acp/position.js";
import { record, withoutNul } from "../tolerance.js";

// Conversations. In the reading that the code of the draft's time had, the editor asks for these and the agent answers; the
// draft's own headings have it the other way round. So either side may send them.

/** What carries nothing. It is written as null; peers leave it out, or write an object. */
const nothing = z.unknown().transform(() => null);

const threadId = z.string();

const role = z.enum(["user", "assistant"]);

const chunk = record({ type: z.literal("text"), chunk: z.string() });
export type MessageChunk = z.output<typeof chunk>;

const message = record({ role, chunks: z.array(chunk) });
export type Message = z.output<typeof message>;

/** `modifiedAt` is a time as RFC 3339 writes it. */
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

/** Its answer ends the turn that it began. */
export const sendMessage = request({
	method: "sendMessage",
	from: "either",
	params: record({ threadId, message }),
	result: nothing,
});

/** A part of a message that is being written. */
export const streamMessageChunk = request({
	method: "streamMessageChunk",
	from: "either",
	params: record({ threadId, chunk }),
	result: nothing,
});

// Files of a thread's workspace. Paths are absolute, or relative to it.

/** Past 2^53 a number is read as its nearest neighbour: no file is as long, and a version is only compared. */
const uint64 = z.number().min(0).multipleOf(1);

const path = withoutNul(z.string());
/** Grows when the content changes, and stays while it does not. */
const version = uint64;

/** Lines count from 0, each with its end. */
export const readTextFile = request({
	method: "readTextFile",
	from: "either",
	params: record({ threadId, path, lineOffset: uint32.nullish(), lineLimit: uint32.nullish() }),
	result: record({ version, content: z.string() }),
});

/** The content is in base64. */
export const readBinaryFile = request({
	method: "readBinaryFile",
	from: "either",
	params: record({ threadId, path, byteOffset: uint64.nullish(), byteLimit: uint64.nullish() }),
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
