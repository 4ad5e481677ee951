import type { ChatModel, Effort } from "@segue/models";
import type { OtherAgentSession, Verbatim } from "../agents/other-agent.js";
import type { Client } from "../client.js";
import type { McpServer } from "../mcp/server.js";
import type { McpServers } from "../mcp/servers.js";
import type { McpStatus } from "../mcp/status.js";
import type { Store } from "../store/store.js";
import type { Tool, ToolContext } from "../tools/tool.js";
import type { TurnRecord } from "./record.js";
import type { Mode } from "./settings.js";
import type { Steering } from "./steering.js";
import type { PromptPart, Thread } from "./thread.js";
import type { ThreadState } from "./thread-state.js";

/** A thread with the client that works on it. */
export interface ThreadContext extends Pick<ThreadState, "folders" | "workspace" | "approvals" | "estimator"> {
	/** Its workspace is the folder to work in. */
	readonly thread: Thread;
	readonly client: Client;
	readonly store: Store;
	/** The enabled servers of the configuration, and those of the client. */
	readonly mcpServers: readonly McpServer[];
	readonly signal: AbortSignal;
}

/**
 * Everything that a turn needs, for a model as well as for another agent or a command. `Assist` builds it when the turn starts.
 * Functions take all of it, or the part that they use.
 */
export interface TurnContext extends ThreadContext, ToolContext {
	readonly client: Client;
	/** The id of the turn. */
	readonly id: string;
	readonly parts: readonly PromptPart[];
	/** The model's name as the user chose it; undefined for the default. */
	readonly modelName: string | undefined;
	readonly mode: Mode;
	readonly effort: Effort | undefined;
	readonly verbatim: TurnOptions["verbatim"];
	readonly instruct: TurnOptions["instruct"];
	/** Without those of MCP servers. */
	readonly tools: readonly Tool[];
	readonly record: TurnRecord;
	readonly steering: Steering;
	readonly models: ChatModels;
	/** The name of the agent that answers instead of the models. */
	readonly agentName: string | undefined;
	readonly mcp: McpStatus;
	readonly runningServers: McpServers;
	readonly now: () => Date;
	readonly newId: () => string;
	/** Chooses a model by name for the next turns of the thread. */
	chooseModel(name: string): void;
}

/** The models that a user can choose from. */
export interface ChatModels {
	readonly names: readonly string[];
	/** The model of that name, or the default. */
	choose(name: string | undefined): ChatModel | UnavailableModel;
}

export interface UnavailableModel {
	/** Tells the user how to configure a model. */
	readonly why: string;
}

/** How a client wants a turn to be taken. */
export interface TurnOptions extends ThreadOptions {
	readonly model?: string | undefined;
	/** `edit` where it is absent. */
	readonly mode?: Mode | undefined;
	readonly effort?: Effort | undefined;
	/** The prompt as the client sent it, for another agent that speaks the same protocol. */
	readonly verbatim?: Verbatim | undefined;
	/** Called when another agent has a session for the thread, before it gets the prompt. */
	readonly instruct?: ((session: OtherAgentSession) => Promise<void>) | undefined;
}

/** How a client works on a thread. */
export interface ThreadOptions {
	/** The folder to work in where it is not that of the thread, which stays listed there. Absolute. */
	readonly workspace?: string | undefined;
	/** Folders that the thread may work in besides its workspace. */
	readonly folders?: readonly string[] | undefined;
	/** Besides the configured ones. */
	readonly mcpServers?: readonly McpServer[] | undefined;
	readonly signal: AbortSignal;
}
