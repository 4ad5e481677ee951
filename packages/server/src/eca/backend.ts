import type { ChatEngine } from "@segue/agent/chat/chat";
import type { McpServerEntry } from "@segue/agent/config/mcp-servers";
import type { Settings } from "@segue/agent/next-edit/settings";
import type { Mode, ThreadWorkspace } from "@segue/assist";
import type * as eca from "@segue/protocol/eca";

/** The auth type of an external agent that is listed as a provider. The agent has its own sign-in methods. */
export const AGENT = "agent";

/** Provides engines for the ECA server, configured by the user and the editor. */
export interface EcaBackend {
	/**
	 * Applies the editor's `initializationOptions`. Must be called before any other method. Returns messages for the user
	 * about invalid options, which are ignored.
	 */
	configure(options: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
	/** Returns the engine for a workspace. Rejects with an RpcError if the user has to fix something. */
	engineFor(folder: string): Promise<EcaEngine>;
	/** Releases the engine for a workspace that is no longer in use. */
	release(folder: string): void;
	/**
	 * Changes an MCP server in the user's configuration file and in the engines for all folders. If nothing was
	 * changed, rejects with an RpcError that explains why.
	 */
	changeServer(folder: string, name: string, change: ServerChange): Promise<void>;
	/** Returns the suggestion settings configured for a workspace. */
	suggestionSettings(folder: string): Promise<Omit<Settings, "model">>;
	/** Returns the providers available in a workspace, with their models, whether or not the user is signed in. */
	providers(folder: string): Promise<readonly eca.Provider[]>;
	/** Stores a provider's key; engines use it immediately. Rejects with an RpcError if the key is invalid. */
	signIn(provider: string, key: string): Promise<void>;
	/**
	 * Signs in to the external agent, which replaces the models, with one of its methods. Rejects with an RpcError if
	 * that fails.
	 */
	authorize(method: string): Promise<void>;
	/** Signs out of a provider or of the external agent. */
	signOut(provider: string): Promise<void>;
	close(): Promise<void>;
}

export type ServerChange =
	| { readonly type: "add" | "update"; readonly entry: McpServerEntry }
	| { readonly type: "remove" };

export interface EcaEngine extends ChatEngine {
	/** The default mode for turns. */
	readonly mode: Mode;
	/** Returns a view of these folders. The first one is the workspace. */
	workspaceOf(folders: readonly [string, ...string[]]): ThreadWorkspace;
	/**
	 * The models for completions and rewrites. If not configured, completions use no model, and rewrites use the default
	 * model.
	 */
	readonly writers: { readonly completion: string | undefined; readonly rewrite: string | undefined };
}
