import { request } from "@segue/rpc";
import * as z from "zod";
import { record } from "../tolerance.js";

// Conversations. In the reading that the code of the draft's time had, the editor asks for these and the agent answers; the
// draft's own headings have it the other way round. So either side may send them.

/** What carries nothing. It is written as null; peers leave it out, or write an object. */
const nothing = z.unknown().transform(() => null);

export const threadId = z.string();

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
