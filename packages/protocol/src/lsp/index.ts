import type { Dialect } from "@segue/rpc";
import { applyEdit, codeActions, executeCommand, inlayHints, refreshInlayHints } from "./action.js";
import {
	checkStatus,
	didChangeStatus,
	getVersion,
	setEditorInfo,
	signIn,
	signInConfirm,
	signInInitiate,
	signOut,
} from "./copilot.js";
import {
	didChange,
	didClose,
	didFocus,
	didOpen,
	didSave,
	forwardedDiagnostics,
	publishDiagnostics,
} from "./document.js";
import {
	didPartiallyAcceptCompletion,
	didShowCompletion,
	didShowInlineEdit,
	inlineCompletion,
	inlineEdits,
} from "./inline.js";
import {
	configuration,
	didChangeConfiguration,
	didChangeWatchedFiles,
	didChangeWorkspaceFolders,
	exit,
	initialize,
	initialized,
	logMessage,
	progress,
	registerCapability,
	setTrace,
	showDocument,
	showMessage,
	shutdown,
} from "./lifecycle.js";

export type { CodeAction, CodeActionParams, TextEdit, WorkspaceEdit } from "./action.js";
export type { Diagnostic, DidChange, DidOpen } from "./document.js";
export {
	type InlineCompletionItem,
	type InlineCompletionParams,
	type InlineEdits,
	type InlineEditsParams,
	TriggerKind,
} from "./inline.js";
export {
	type ClientCapabilities,
	type InitializeParams,
	type InitializeResult,
	MessageType,
	type WorkspaceFolder,
} from "./lifecycle.js";
export type { Command, Position, PositionEncoding, Range } from "./place.js";

/** The messages of LSP 3.18, of Copilot's next edits and of Segue's own that `segue lsp` uses, both ways. */
export const lsp = {
	initialize,
	initialized,
	shutdown,
	exit,
	setTrace,
	didChangeWorkspaceFolders,
	didChangeConfiguration,
	didChangeWatchedFiles,
	configuration,
	registerCapability,
	logMessage,
	showMessage,
	showDocument,
	progress,
	didOpen,
	didChange,
	didClose,
	didSave,
	didFocus,
	forwardedDiagnostics,
	publishDiagnostics,
	inlineCompletion,
	inlineEdits,
	didShowInlineEdit,
	didShowCompletion,
	didPartiallyAcceptCompletion,
	codeActions,
	executeCommand,
	applyEdit,
	inlayHints,
	refreshInlayHints,
	checkStatus,
	signIn,
	signInInitiate,
	signInConfirm,
	signOut,
	setEditorInfo,
	getVersion,
	didChangeStatus,
} as const;

export const lspDialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancelRequest", idField: "id" },
	methodNotFound: (method) => `Method not found: ${method}`,
};

/** Error codes of LSP beside those of JSON-RPC. */
export const LspErrorCode = {
	/** A request before `initialize`. */
	notInitialized: -32002,
} as const;
