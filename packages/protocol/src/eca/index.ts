import type { Dialect } from "@segue/rpc";

// Import as a namespace, to distinguish wire types from our own: `import * as eca from "@segue/protocol/eca"`.

export type { ChatContext, ChatInfo, HistoryMeta, OfferedContext, PromptParams, PromptResult } from "./chat.js";
export type { AddServer, ConfigUpdated, LoginStep, Provider, ServerUpdated } from "./configuration.js";
export type { ChatContent, ContentReceived, Details } from "./content.js";
export * from "./eca-messages.js";
export * as messages from "./eca-messages.js";
export type { EditorDiagnostic, EditorPlaces } from "./editor.js";
export type { JobsUpdated } from "./jobs.js";
export type { ClientCapabilities, InitializeParams, InitializeResult } from "./lifecycle.js";
export type { ChatId, Position, Range, WorkspaceFolder } from "./params.js";
export type {
	CompletionInline,
	GenerateDocumentation,
	Insertion,
	RewriteContent,
	RewritePrompt,
	RewriteResult,
} from "./writing.js";

/** ECA editors read an error's `type`, and they don't expect responses without a request. */
export const dialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancelRequest", idField: "id" },
	methodNotFound: () => "Method not found",
	namesMissingMethod: true,
	errorMembers: { type: "error" },
	answersUnreadable: false,
};

export const ErrorCode = {
	/** A request was sent before `initialize`. */
	notInitialized: -32002,
} as const;
