import type { Dialect } from "@segue/rpc";

// Import as a namespace, to distinguish wire types from our own: `import * as acp from "@segue/protocol/acp"`.

export * from "./acp-messages.js";
export * as messages from "./acp-messages.js";
export type { AgentCapabilities, ClientCapabilities, NesCapabilities, WorkspaceCapabilities } from "./capabilities.js";
export type { WorkspaceDocument } from "./client-methods.js";
export type { ContentBlock, McpServer } from "./content-block.js";
export type { ContentChange, DidChange, DidFocus, DidOpen, HeldDocument } from "./document.js";
export {
	type AuthMethod,
	agentCapabilitiesOf,
	clientCapabilitiesOf,
	type InitializeRequest,
	type InitializeResponse,
	PROTOCOL_VERSION,
} from "./initialize.js";
export type {
	Diagnostic,
	NesStart,
	RejectReason,
	SuggestContext,
	Suggestion,
	SuggestionKind,
	SuggestRequest,
	SuggestResponse,
} from "./nes.js";
export type { Position, PositionEncoding, Range } from "./position.js";
export type {
	ConfigOption,
	LoadSession,
	ModeState,
	NewSession,
	Prompt,
	SessionInfo,
	StopReason,
} from "./session.js";
export type {
	PermissionOption,
	PermissionOutcome,
	RequestPermission,
	ToolCall,
	ToolCallContent,
	ToolCallUpdate,
} from "./tool-call.js";
export type { AvailableCommand, SessionUpdate } from "./update.js";

/** ACP's dialect of JSON-RPC. */
export const dialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancel_request", idField: "requestId" },
	methodNotFound: (method) => `Method not found: ${method}`,
};

/** ACP error codes, in addition to the JSON-RPC error codes. */
export const ErrorCode = {
	/** The client must authenticate first. */
	authRequired: -32000,
	/** Unknown session or resource. `data` identifies it. */
	notFound: -32002,
} as const;
