import type * as acp from "@segue/protocol/acp";
import type { Call, Connection, Handler, ParamsOf, ResultOf } from "@segue/rpc";

// The interface between next edits and chat on one connection. This is a separate module because next edits also run in
// browsers, where the chat code cannot be loaded.

/** The connected client. Read its properties only while handling a request. */
export interface ChatPeer {
	readonly connection: Connection<"agent">;
	readonly capabilities: acp.ClientCapabilities;
	/** Throws an `RpcError` if the client has to sign in first. */
	checkSignedIn(): void;
	/** Logs a failure that no response reports. */
	report(method: string, text: string, error: unknown): void;
}

/** The part of the initialize response that chat provides. */
export interface Introduction {
	readonly authMethods: readonly acp.AuthMethod[];
	/** Overrides `ChatServer.capabilities`. */
	readonly capabilities: acp.AgentCapabilities;
}

/** The chat part of a connection. */
export interface ChatServer {
	/** Capabilities that chat adds to those for next edits. */
	readonly capabilities: acp.AgentCapabilities;
	handlers(): Handler<"client">[];
	/** A handler for a method outside the protocol, such as an external agent's extension; undefined if there is none. */
	fallback(method: string, kind: "request" | "notification"): Handler<"client"> | undefined;
	/** Returns undefined if chat has nothing to add to the initialize response. */
	introduce(): Promise<Introduction | undefined> | undefined;
	/** Like `logout`, returns undefined if there is nothing to sign in to. */
	authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>> | undefined;
	logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>> | undefined;
	/** Returns undefined if this is not a chat session. */
	setConfigOption(
		sessionId: string,
		configId: string,
		value: string | boolean,
		call: Call,
	): Promise<acp.ConfigOption[]> | undefined;
	/** Called when the client has disconnected. */
	end(): Promise<void>;
}
