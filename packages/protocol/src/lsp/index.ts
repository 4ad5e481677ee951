import type { Dialect } from "@segue/rpc";

// Import as a namespace, to distinguish wire types from our own: `import * as lsp from "@segue/protocol/lsp"`.

export type { Command, Position, PositionEncoding, Range } from "./basic-structures.js";
export type { CodeAction, CodeActionParams, TextEdit, WorkspaceEdit } from "./code-action.js";
export {
	type InlineCompletionItem,
	type InlineCompletionParams,
	type InlineEdits,
	type InlineEditsParams,
	TriggerKind,
} from "./inline.js";
export * from "./lsp-messages.js";
export * as messages from "./lsp-messages.js";
export {
	type ClientCapabilities,
	type InitializeParams,
	type InitializeResult,
	MessageType,
	type WorkspaceFolder,
} from "./server-lifecycle.js";
export type { Diagnostic, DidChange, DidOpen } from "./text-document.js";

export const dialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancelRequest", idField: "id" },
	methodNotFound: (method) => `Method not found: ${method}`,
};

/** LSP error codes, in addition to the JSON-RPC error codes. */
export const ErrorCode = {
	/** A request was sent before `initialize`. */
	notInitialized: -32002,
} as const;
