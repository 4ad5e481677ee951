import type { Dialect } from "@segue/rpc";
import {
	addFlag,
	askQuestion,
	chatCleared,
	chatDeleted,
	chatOpened,
	clearChat,
	deleteChat,
	fork,
	history,
	listChats,
	openChat,
	prompt,
	promptSteer,
	promptSteerRemove,
	promptStop,
	queryCommands,
	queryContext,
	queryFiles,
	removeFlag,
	rollback,
	statusChanged,
	toolCallApprove,
	toolCallReject,
	updateChat,
} from "./chat.js";
import {
	addServer,
	configUpdated,
	connectServer,
	disableServer,
	enableServer,
	listProviders,
	loginInput,
	loginProvider,
	logoutProvider,
	logoutServer,
	providersUpdated,
	removeServer,
	selectedAgentChanged,
	selectedBehaviorChanged,
	selectedModelChanged,
	serverRemoved,
	serverUpdated,
	startServer,
	stopServer,
	updateServer,
} from "./configuration.js";
import { contentReceived } from "./content.js";
import { getDefinition, getDiagnostics, getReferences } from "./editor.js";
import { jobsUpdated, killJob, listJobs, readJobOutput } from "./jobs.js";
import {
	didChangeWorkspaceFolders,
	exit,
	initialize,
	initialized,
	progress,
	showMessage,
	shutdown,
} from "./lifecycle.js";
import { completionInline, generateDocumentation, rewritePrompt, rewriteReceived } from "./writing.js";

export type { ChatInfo, HistoryMeta, PromptParams, PromptResult } from "./chat.js";
export type { ChatId } from "./chat-id.js";
export type { AddServer, ConfigUpdated, LoginStep, Provider, ServerUpdated } from "./configuration.js";
export type { ChatContent, ContentReceived, Details } from "./content.js";
export type { ChatContext, OfferedContext } from "./context.js";
export type { EditorDiagnostic, EditorPlaces } from "./editor.js";
export type { JobsUpdated } from "./jobs.js";
export type { ClientCapabilities, InitializeParams, InitializeResult } from "./lifecycle.js";
export type { Position, Range, WorkspaceFolder } from "./place.js";
export type {
	CompletionInline,
	GenerateDocumentation,
	Insertion,
	RewriteContent,
	RewritePrompt,
	RewriteResult,
} from "./writing.js";

/** Every message of ECA that Segue knows, both ways, of its first form and of today's. */
export const eca = {
	initialize,
	initialized,
	shutdown,
	exit,
	didChangeWorkspaceFolders,
	progress,
	showMessage,
	prompt,
	contentReceived,
	toolCallApprove,
	toolCallReject,
	promptStop,
	promptSteer,
	promptSteerRemove,
	queryContext,
	queryFiles,
	queryCommands,
	listChats,
	openChat,
	history,
	deleteChat,
	clearChat,
	updateChat,
	rollback,
	fork,
	addFlag,
	removeFlag,
	chatOpened,
	chatCleared,
	chatDeleted,
	statusChanged,
	askQuestion,
	configUpdated,
	selectedModelChanged,
	selectedAgentChanged,
	selectedBehaviorChanged,
	serverUpdated,
	startServer,
	stopServer,
	enableServer,
	disableServer,
	connectServer,
	logoutServer,
	addServer,
	updateServer,
	removeServer,
	serverRemoved,
	listProviders,
	loginProvider,
	loginInput,
	logoutProvider,
	providersUpdated,
	listJobs,
	killJob,
	readJobOutput,
	jobsUpdated,
	getDiagnostics,
	getDefinition,
	getReferences,
	completionInline,
	generateDocumentation,
	rewritePrompt,
	rewriteReceived,
} as const;

/** Editors of ECA read an error's `type`, and know nothing to do with an answer to no request. */
export const ecaDialect: Dialect = {
	envelope: "jsonrpc",
	cancel: { method: "$/cancelRequest", idField: "id" },
	methodNotFound: () => "Method not found",
	namesMissingMethod: true,
	errorMembers: { type: "error" },
	answersUnreadable: false,
};

export const EcaErrorCode = {
	/** A request before `initialize`. */
	notInitialized: -32002,
} as const;
