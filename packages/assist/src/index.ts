export { type AgentCommand, agentCommandOf } from "./agents/command-line.js";
export type {
	AgentMemory,
	AgentProcesses,
	AgentSignInMethod,
	OtherAgent,
	OtherAgentOptions,
	OtherAgentSession,
	StartAgent,
	Verbatim,
} from "./agents/other-agent.js";
export { Assist, type AssistOptions, agentProcesses, type RollbackOptions } from "./assist.js";
export type {
	ApprovalRequest,
	Buffers,
	Client,
	EditorKnowledge,
	EditorNote,
	EditorPosition,
	EditorTerminal,
	Relay,
	TerminalExit,
	TerminalProgram,
	Terminals,
	UserQuestion,
} from "./client.js";
export { NoSuchThread, StoreError, ThreadBusy, ThreadExists, ToolError } from "./failures.js";
export type { McpServer, StartMcpServer } from "./mcp/server.js";
export type { McpStatus, PromptCommand, ServerState } from "./mcp/status.js";
export { type OpenedEmbeddedStore, type OpenedStore, openEmbeddedStore, openSoundStore } from "./store/embedded.js";
export type { Feedback, SeenSuggestion, SeenVerdict, SuggestionOutcome } from "./store/feedback.js";
export { openPostgresStore } from "./store/postgres.js";
export type { Page } from "./store/queries.js";
export { type Allowance, Store } from "./store/store.js";
export type { ThreadStats } from "./store/thread-stats.js";
export { type ApprovalRule, ruleAllowing } from "./threads/approvals.js";
export { COMMANDS } from "./threads/commands.js";
export type { Mode, ThreadSettings } from "./threads/settings.js";
export { commandOf } from "./threads/slash-command.js";
export type {
	Approval,
	Body,
	EndReason,
	Entry,
	FileDiff,
	Flag,
	Location,
	Permission,
	PermissionAnswer,
	PermissionKind,
	PlanStep,
	PromptPart,
	Thread,
	ToolCall,
	ToolKind,
	Update,
} from "./threads/thread.js";
export type {
	ChatModels,
	ThreadOptions,
	TurnOptions,
	UnavailableModel,
} from "./threads/turn-context.js";
export type { UndoResult } from "./threads/undo.js";
export { editorTools } from "./tools/editor.js";
export { schemaOf, type Tool, type ToolAction, type ToolContext, type ToolOutcome } from "./tools/tool.js";
export type { Job, JobLine, Jobs, ThreadJobs } from "./workspace/jobs.js";
export type { ResolvedPath } from "./workspace/resolved-path.js";
export type { RestrictedView } from "./workspace/restricted-view.js";
export { walk } from "./workspace/walk.js";
export { decodeText, ThreadWorkspace, type WorkspacePrivacy } from "./workspace/workspace.js";
