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

/** A thread and the client that uses it. */
export interface ThreadContext extends Pick<ThreadState, "folders" | "workspace" | "approvals" | "estimator"> {
	/** Its `workspace` is the folder to work in, which can differ from the stored thread's. */
	readonly thread: Thread;
	readonly client: Client;
	readonly store: Store;
	/** The enabled servers, from the configuration and from the client. */
	readonly mcpServers: readonly McpServer[];
	readonly signal: AbortSignal;
}

/**
 * The context of a turn, whether a model, another agent or a command responds. `Assist` creates it when the turn
 * starts. Functions take either all of it or the part that they use.
 */
export interface TurnContext extends ThreadContext, ToolContext {
	readonly client: Client;
	/** The id of the turn. */
	readonly id: string;
	readonly parts: readonly PromptPart[];
	/** The name of the model that the user chose; undefined for the default. */
	readonly modelName: string | undefined;
	readonly mode: Mode;
	readonly effort: Effort | undefined;
	readonly verbatim: TurnOptions["verbatim"];
	readonly instruct: TurnOptions["instruct"];
	/** The built-in tools, without MCP tools. */
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
	/** Chooses a model by name for later turns in the thread. */
	chooseModel(name: string): void;
}

/** The models that a user can choose from. */
export interface ChatModels {
	readonly names: readonly string[];
	/** Returns the model with this name, or the default. */
	choose(name: string | undefined): ChatModel | UnavailableModel;
}

export interface UnavailableModel {
	/** Tells the user how to configure a model. */
	readonly why: string;
}

/** A client's options for a turn. */
export interface TurnOptions extends ThreadOptions {
	readonly model?: string | undefined;
	/** Defaults to "edit". */
	readonly mode?: Mode | undefined;
	readonly effort?: Effort | undefined;
	/** The prompt exactly as the client sent it, for another agent with the same protocol. */
	readonly verbatim?: Verbatim | undefined;
	/** Called once another agent has a session for the thread, before it gets the prompt. */
	readonly instruct?: ((session: OtherAgentSession) => Promise<void>) | undefined;
}

/** A client's options for using a thread. */
export interface ThreadOptions {
	/**
	 * The absolute path of a folder to work in instead of the thread's workspace, which remains unchanged in the store.
	 */
	readonly workspace?: string | undefined;
	/** Additional folders that the thread can use. */
	readonly folders?: readonly string[] | undefined;
	/** Servers in addition to the configured ones. */
	readonly mcpServers?: readonly McpServer[] | undefined;
	readonly signal: AbortSignal;
}
