import type { Agents, Assist, Client, McpServer, Models } from "@segue/assist";
import type { Effort } from "@segue/models";
import type { AgentCapabilities, AuthMethod, ClientCapabilities } from "@segue/protocol/acp";

/** What chat over any wire stands on. */
export interface Chat {
	/**
	 * Lends the engine as it is configured for a folder, or, for threads of any folder, the usual one. All work on one store.
	 * Rejects with an RpcError for what the user has to mend.
	 */
	engineFor(folder: string | undefined): Promise<Lease>;
	readonly clock: { after(delayMs: number, run: () => void): () => void };
	/**
	 * What an editor that can do this should know before there is a session; undefined where there is nothing. Another agent is
	 * started for it. Rejects where it does not start: who wants a session is then told why.
	 */
	introduce?(capabilities: ClientCapabilities): Promise<Introduction> | undefined;
	/**
	 * Looks whether somebody has signed in to a model, in a terminal, by a method that was introduced. Rejects with an RpcError
	 * that says what is left to do.
	 */
	signIn?(methodId: string): Promise<void>;
	/** Another agent, which answers instead of the models, and which one may have to sign in to. */
	readonly agent?: SignIn | undefined;
}

/**
 * An engine on loan, for as long as a session is open or something is looked up. When the last that was lent for a folder is
 * given back, the engine ends, with its MCP servers and other agents, and the next is made of what is configured then.
 */
export interface Lease {
	readonly engine: ChatEngine;
	/** After the last turn has ended. Doing it again does nothing. */
	release(): void;
}

export interface Introduction {
	readonly authMethods: readonly AuthMethod[];
	/** Where they are others than those of chat with a model. */
	readonly capabilities: AgentCapabilities;
}

/** Both reject with an RpcError: what the agent answers, or why it cannot. */
export type SignIn = Pick<Agents, "authenticate" | "logout">;

export interface ChatEngine {
	readonly assist: Assist;
	readonly models: Models;
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
