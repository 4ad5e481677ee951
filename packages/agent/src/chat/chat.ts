import type { Assist, ChatModels, Client, McpServer, OtherAgent } from "@segue/assist";
import type { Effort } from "@segue/models";
import type { Clock } from "@segue/text";

/** What chat over any protocol stands on. */
export interface Chat {
	/**
	 * Acquires the engine as it is configured for a folder, or, for threads of any folder, the usual one. All work on one store.
	 * Rejects with a `UserError` or a `StoreError` that says what the user has to fix, or with `EnginePoolFull`.
	 */
	acquireEngine(folder: string | undefined): Promise<AcquiredEngine>;
	readonly clock: Pick<Clock, "after">;
	/** Another agent, which answers instead of the models. */
	readonly agent?: NamedAgent | undefined;
	/** The provider of the configured model, where it needs a key and has none. */
	readonly missingKey?: (() => Promise<string | undefined>) | undefined;
	/** To be called after a key was stored, so that engines use it at once. */
	readonly keysChanged?: (() => Promise<void>) | undefined;
}

/** The agent behind Segue that the user named. */
export interface NamedAgent {
	/** Where it is started before there is a thread. */
	readonly folder: string;
	/** Loads it on the first call and keeps it from then on, because the user may sign in to it. */
	open(): Promise<OtherAgent>;
}

/** Too many folders are in use. */
export class EnginePoolFull extends Error {
	override readonly name = "Busy";
}

/**
 * An acquired engine, in use for as long as a session is open or something is looked up. When the last user of a folder's engine
 * releases it, the engine ends, with its MCP servers and other agents. The next one is made from the configuration at that time.
 */
export interface AcquiredEngine {
	readonly engine: ChatEngine;
	/** After the last turn has ended. Doing it again does nothing. */
	release(): void;
}

export interface ChatEngine {
	readonly assist: Assist;
	readonly models: ChatModels;
	/** For turns that say none. */
	readonly effort?: Effort | undefined;
	/** The name of another agent, which answers instead of the models. */
	readonly agent?: string | undefined;
	/** What a prompt may be that begins with a slash. */
	readonly commands: readonly {
		readonly name: string;
		readonly description: string;
		readonly argument: string | undefined;
	}[];
	/** Takes a turn of `assist`, with what is configured besides. */
	readonly prompt: Assist["prompt"];
	/** Where that agent can ask what an editor knows; undefined for an editor that does not say. */
	readonly openEditorBridge?: (
		folders: readonly [string, ...string[]],
		client: Client,
	) => Promise<EditorBridgeHandle | undefined>;
}

export interface EditorBridgeHandle {
	/** What the agent is given to ask with. */
	readonly server: McpServer;
	close(): void;
}
