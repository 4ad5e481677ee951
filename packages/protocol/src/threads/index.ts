import type { Dialect } from "@segue/rpc";
import { globSearch, readBinaryFile, readTextFile, stat } from "./files.js";
import { createThread, getThreadEntries, getThreads, openThread, sendMessage, streamMessageChunk } from "./thread.js";

export type { Message, MessageChunk, ThreadEntry, ThreadMetadata } from "./thread.js";

/** Every message of the thread draft. Either side sends any of them. */
export const threads = {
	getThreads,
	createThread,
	openThread,
	getThreadEntries,
	sendMessage,
	streamMessageChunk,
	readTextFile,
	readBinaryFile,
	stat,
	globSearch,
} as const;

/** JSON-RPC as the draft writes it. A request cannot be cancelled, and there are no notifications. */
export const threadsDialect: Dialect = {
	envelope: "bare",
	cancel: undefined,
	methodNotFound: (method) => `Method not found - '${method}'`,
};
