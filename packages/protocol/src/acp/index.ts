import type { Dialect } from "@segue/rpc";
import { didChange, didClose, didFocus, didOpen, didSave } from "./document.js";
import { authenticate, initialize, logout } from "./initialize.js";
import { nesAccept, nesClose, nesReject, nesStart, nesSuggest } from "./nes.js";
import { sessionUpdate, setConfigOption } from "./session.js";
import { activeDocument, openDocuments, recentDocuments } from "./workspace.js";

export type { AgentCapabilities, ClientCapabilities, NesCapabilities, WorkspaceCapabilities } from "./capabilities.js";
export type { ContentChange, DidChange, DidFocus, DidOpen } from "./document.js";
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
export type { ConfigOption } from "./session.js";
export type { WorkspaceDocument } from "./workspace.js";

/** Every message of ACP that Segue knows, both ways. */
export const acp = {
	initialize,
	authenticate,
	logout,
	nesStart,
	nesSuggest,
	nesClose,
	nesAccept,
	nesReject,
	didOpen,
	didChange,
	didClose,
	didSave,
	didFocus,
	openDocuments,
	recentDocuments,
	activeDocument,
	setConfigOption,
	sessionUpdate,
} as const;

/** JSON-RPC as ACP writes it. */
export const acpDialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancel_request", idField: "requestId" },
	methodNotFound: (method) => `Method not found: ${method}`,
};

/** Error codes of ACP beside those of JSON-RPC. */
export const AcpErrorCode = {
	/** The client must authenticate first. */
	authRequired: -32000,
	/** No such session, or no such resource; `data` names it. */
	notFound: -32002,
} as const;
