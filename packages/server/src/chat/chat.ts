import type { Assist, Client, McpServer, Models } from "@segue/assist";

/** What chat over any wire stands on. */
export interface Chat {
	/**
	 * The engine as it is configured for a folder, or, for threads of any folder, the usual one. All work on one store. Rejects
	 * with an RpcError for what the user has to mend.
	 */
	engineFor(folder: string | undefined): Promise<ChatEngine>;
	readonly clock: { after(delayMs: number, run: () => void): () => void };
}

export interface ChatEngine {
	readonly assist: Assist;
	readonly models: Models;
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
	/** As of `assist`, where another agent answers. Rejects with an RpcError for what the editor should know. */
	readonly agentFor?: Assist["agentFor"];
	/** Where that agent can ask what an editor knows; undefined for an editor that does not say. */
	readonly deskFor?: (folders: readonly [string, ...string[]], client: Client) => Promise<Desk | undefined>;
}

export interface Desk {
	/** What the agent is given to ask with. */
	readonly server: McpServer;
	close(): void;
}
