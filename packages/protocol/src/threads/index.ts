import type { Dialect } from "@segue/rpc";

// Import as a namespace, to distinguish wire types from our own: `import * as threads from "@segue/protocol/threads"`.

export type { Message, MessageChunk, ThreadEntry, ThreadMetadata } from "./thread.js";
export * from "./threads-messages.js";
export * as messages from "./threads-messages.js";

/** The draft's dialect of JSON-RPC. It has no notifications, and requests cannot be cancelled. */
export const dialect: Dialect = {
	envelope: "bare",
	cancel: undefined,
	methodNotFound: (method) => `Method not found - '${method}'`,
};
