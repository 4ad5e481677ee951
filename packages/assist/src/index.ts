export type { AgentOptions } from "./agents/agents.js";
export { type AgentCommand, agentCommandOf } from "./agents/command-line.js";
export { AgentFailure } from "./agents/failure.js";
export type { AgentSession } from "./agents/session.js";
export type { ApprovalRule } from "./approvals.js";
export {
	Assist,
	type AssistOptions,
	type Models,
	type OpenOptions,
	type PromptOptions,
	type Unavailable,
} from "./assist.js";
export type { Buffers, Client, EditorKnowledge, EditorNote, Question, Relay } from "./client.js";
export { COMMANDS, commandOf } from "./commands.js";
export type { McpServer } from "./mcp.js";
export type { Mode } from "./mode.js";
export { nearest } from "./nearest.js";
export { type OpenedStore, openEmbeddedStore } from "./store/embedded.js";
export { NoSuchThread, StoreError } from "./store/failure.js";
export { makeFolder } from "./store/make-folder.js";
export { openPostgresStore } from "./store/postgres.js";
export { type Allowance, type Page, Store } from "./store/store.js";
export type {
	Answer,
	Approval,
	Body,
	Call,
	EndReason,
	Entry,
	FileDiff,
	Location,
	Permission,
	PermissionKind,
	PlanStep,
	PromptPart,
	Thread,
	ToolKind,
	Update,
} from "./thread.js";
export { type Action, type Outcome, type Scope, type Tool, ToolError } from "./tool.js";
export { editorTools } from "./tools/editor.js";
export { type Privacy, Workspace } from "./workspace.js";
