import type { ChatEngine } from "@segue/agent/chat/chat";
import type { McpServerEntry } from "@segue/agent/config/mcp-servers";
import type { Settings } from "@segue/agent/next-edit/settings";
import type { Mode, ThreadWorkspace } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";

/** The type of sign-in of another agent, which is listed as a provider: one in its own ways. */
export const AGENT = "agent";

/** The engines behind the ECA server, as the user and the editor have configured them. */
export interface EcaBackend {
	/**
	 * Takes what the editor says in `initializationOptions`, before anything else is asked. Gives sentences for the user about
	 * what of it is wrong and does not hold.
	 */
	configure(options: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
	/** The engine for a workspace. Rejects with an RpcError for what the user has to mend. */
	engineFor(folder: string): Promise<EcaEngine>;
	/** Gives the engine of a workspace back, in which nobody works any more. */
	release(folder: string): void;
	/**
	 * Changes an MCP server in the user's configuration file, for the engines of all folders. Rejects with an RpcError that says
	 * why nothing was changed.
	 */
	changeServer(folder: string, name: string, change: ServerChange): Promise<void>;
	/** The settings of suggestions that are configured for a workspace. */
	suggestionSettings(folder: string): Promise<Omit<Settings, "model">>;
	/** Those that a workspace can use, signed in to or not, with their models. */
	providers(folder: string): Promise<readonly eca.Provider[]>;
	/** Keeps a provider's key. Rejects with an RpcError where it cannot be one; engines know of it at once. */
	signIn(provider: string, key: string): Promise<void>;
	/** Signs in to another agent that answers instead of the models, in one of its ways. Rejects with an RpcError. */
	authorize(method: string): Promise<void>;
	/** Of a provider, or of that agent. */
	signOut(provider: string): Promise<void>;
	close(): Promise<void>;
}

export type ServerChange =
	| { readonly type: "add" | "update"; readonly entry: McpServerEntry }
	| { readonly type: "remove" };

export interface EcaEngine extends ChatEngine {
	/** What a turn may do where the editor does not say. */
	readonly mode: Mode;
	/** What may be looked at in these folders, the first of which is the workspace. */
	workspaceOf(folders: readonly [string, ...string[]]): ThreadWorkspace;
	/** The models that complete and rewrite; undefined where the usual one rewrites, and none completes. */
	readonly writers: { readonly completion: string | undefined; readonly rewrite: string | undefined };
}
