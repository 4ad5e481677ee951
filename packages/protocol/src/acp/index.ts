import type { Dialect } from "@segue/rpc";
import {
	cancel,
	closeSession,
	deleteSession,
	listSessions,
	loadSession,
	newSession,
	prompt,
	resumeSession,
	setMode,
} from "./chat.js";
import { didChange, didClose, didFocus, didOpen, didSave } from "./document.js";
import { readTextFile, writeTextFile } from "./files.js";
import { heldDocuments } from "./held.js";
import { authenticate, initialize, logout } from "./initialize.js";
import { nesAccept, nesClose, nesReject, nesStart, nesSuggest } from "./nes.js";
import { setConfigOption } from "./session.js";
import { createTerminal, killTerminal, releaseTerminal, terminalOutput, waitForTerminalExit } from "./terminal.js";
import { requestPermission } from "./tool-call.js";
import { sessionUpdate } from "./update.js";
import { activeDocument, openDocuments, recentDocuments } from "./workspace.js";

export type { AgentCapabilities, ClientCapabilities, NesCapabilities, WorkspaceCapabilities } from "./capabilities.js";
export type { LoadSession, ModeState, NewSession, Prompt, SessionInfo, StopReason } from "./chat.js";
export type { ContentBlock, McpServer } from "./content.js";
export type { ContentChange, DidChange, DidFocus, DidOpen } from "./document.js";
export type { HeldDocument } from "./held.js";
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
export type {
	PermissionOption,
	PermissionOutcome,
	RequestPermission,
	ToolCall,
	ToolCallContent,
	ToolCallUpdate,
} from "./tool-call.js";
export type { AvailableCommand, SessionUpdate } from "./update.js";
export type { WorkspaceDocument } from "./workspace.js";

/** Every message of ACP that Segue knows, both ways. */
export const acp = {
	initialize,
	heldDocuments,
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
	newSession,
	loadSession,
	resumeSession,
	closeSession,
	deleteSession,
	listSessions,
	prompt,
	cancel,
	setMode,
	setConfigOption,
	sessionUpdate,
	requestPermission,
	readTextFile,
	writeTextFile,
	createTerminal,
	terminalOutput,
	waitForTerminalExit,
	killTerminal,
	releaseTerminal,
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
