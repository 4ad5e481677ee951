export { type AgentCommand, agentCommandOf } from "./agents/command-line.js";
export { type ApprovalRule, ruleAllowing } from "./approvals.js";
export {
	Assist,
	type AssistOptions,
	type Models,
	type OpenOptions,
	type PromptOptions,
	type RollbackOptions,
	type Unavailable,
} from "./assist.js";
export type {
	Buffers,
	Client,
	EditorKnowledge,
	EditorNote,
	EditorPlace,
	EditorTerminal,
	Inquiry,
	Question,
	Relay,
	TerminalExit,
	TerminalProgram,
	Terminals,
} from "./client.js";
export { COMMANDS, commandOf } from "./commands.js";
export { NoSuchThread, StoreError, ThreadBusy, ThreadExists, ToolError } from "./failures.js";
export type { Job, JobLine, Jobs, ThreadJobs } from "./jobs.js";
export type { McpServer } from "./mcp.js";
export type { McpBoard, PromptCommand, ServerState } from "./mcp-board.js";
export type { StartMcpServer } from "./mcp-server.js";
export type { Mode } from "./mode.js";
export {
	type AgentMemory,
	type AgentOptions,
	type AgentProcesses,
	agentProcesses,
	type OtherAgent,
	type OtherAgentSession,
	type SignInMethod,
	type StartAgent,
	type Verbatim,
} from "./other-agent.js";
export type { Place } from "./place.js";
export type { ThreadSettings } from "./settings.js";
export { type OpenedEmbeddedStore, type OpenedStore, openEmbeddedStore, openSoundStore } from "./store/embedded.js";
export type { Feedback, Outcome as SuggestionOutcome, SeenSuggestion, SeenVerdict } from "./store/feedback.js";
export type { Page } from "./store/page.js";
export { openPostgresStore } from "./store/postgres.js";
export { type Allowance, Store } from "./store/store.js";
export type { Tally } from "./store/tally.js";
export type {
	Answer,
	Approval,
	Body,
	Call,
	EndReason,
	Entry,
	FileDiff,
	Flag,
	Location,
	Permission,
	PermissionKind,
	PlanStep,
	PromptPart,
	Thread,
	ToolKind,
	Update,
} from "./thread.js";
export { type Action, type Outcome, type Scope, schemaOf, type Tool } from "./tool.js";
export { editorTools } from "./tools/editor.js";
export { walk } from "./tools/walk.js";
export type { Undone } from "./undo.js";
export type { Visit } from "./visit.js";
export { type Privacy, textIn, Workspace } from "./workspace.js";
