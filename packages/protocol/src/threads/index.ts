import type { Dialect } from "@segue/rpc";

// Imported whole, so that a wire's names are told from our own: `import * as threads from "@segue/protocol/threads"`.

export type { Message, MessageChunk, ThreadEntry, ThreadMetadata } from "./thread.js";
export * from "./threads-messages.js";
export * as messages from "./threads-messages.js";

/** JSON-RPC as the draft writes it. A request cannot be cancelled, and there are no notifications. */
export const dialect: Dialect = {
	envelope: "bare",
	cancel: undefined,
	methodNotFound: (method) => `Method not found - '${method}'`,
};
