import type { Assist, ChatModels, Client, McpServer, OtherAgent } from "@segue/assist";
import type { Effort } from "@segue/models";
import type { Clock } from "@segue/text";

/** The chat engines and agents, shared by the servers for all protocols. */
export interface Chat {
	/**
	 * Acquires the engine for a folder, or the default engine for threads in any folder. All engines share one store.
	 * Rejects with a `UserError` or `StoreError` that explains what to fix, or with `EnginePoolFull`.
	 */
	acquireEngine(folder: string | undefined): Promise<AcquiredEngine>;
	readonly clock: Pick<Clock, "after">;
	/** Another agent, used instead of the models. */
	readonly agent?: NamedAgent | undefined;
	/** Returns the configured model's provider if it needs a key and has none. */
	readonly missingKey?: (() => Promise<string | undefined>) | undefined;
	/** Must be called after a key has been stored. Makes all engines use it. */
	readonly keysChanged?: (() => Promise<void>) | undefined;
}

/** Another agent that the user selected. */
export interface NamedAgent {
	/** The folder in which the agent is started before a thread exists. */
	readonly folder: string;
	/** Loads the agent on the first call and keeps it running, because the user may sign in to it. */
	open(): Promise<OtherAgent>;
}

/** Thrown when too many folders are in use. */
export class EnginePoolFull extends Error {
	override readonly name = "Busy";
}

/**
 * A reference to an engine, held while a session is open or a thread is being read. Releasing a folder's last reference
 * closes the engine with its MCP servers and other agents. The next engine reads the configuration again.
 */
export interface AcquiredEngine {
	readonly engine: ChatEngine;
	/** Call after the last turn has ended. Repeated calls do nothing. */
	release(): void;
}

export interface ChatEngine {
	readonly assist: Assist;
	readonly models: ChatModels;
	/** The default effort for turns that specify none. */
	readonly effort?: Effort | undefined;
	/** The name of another agent, used instead of the models. */
	readonly agent?: string | undefined;
	/** The slash commands. */
	readonly commands: readonly {
		readonly name: string;
		readonly description: string;
		readonly argument: string | undefined;
	}[];
	/** Like `assist.prompt`, but uses the configured defaults. */
	readonly prompt: Assist["prompt"];
	/** Gives the other agent access to information from the editor. Undefined if the editor provides none. */
	readonly openEditorBridge?: (
		folders: readonly [string, ...string[]],
		client: Client,
	) => Promise<EditorBridgeHandle | undefined>;
}

export interface EditorBridgeHandle {
	/** The MCP server for the agent. */
	readonly server: McpServer;
	close(): void;
}
