import type * as acp from "@segue/protocol/acp";
import type { ParamsOf, ResultOf } from "@segue/rpc";
import type { OtherAgent, OtherAgentSession, Verbatim } from "./agents/other-agent.js";
import type { Relay } from "./client.js";

// Types for passing ACP messages verbatim between a server and another agent. The chat engine and `@segue/agent` only
// see the plain types that these extend; the functions below convert them back for servers. `agents/` imports only
// types from here, so a server doesn't load an extra chunk on startup.

/** Another agent that speaks ACP. */
export interface VerbatimAgent extends OtherAgent {
	readonly protocol: "acp";
	/** Starts the agent in a folder if it isn't running there. Rejects with an `AgentFailure`. */
	introduce(folder: string, client: acp.ClientCapabilities): Promise<AgentDescription>;
	/**
	 * The agent's latest description for a client with the same sign-in capabilities, possibly from another process.
	 */
	lastDescription(client: acp.ClientCapabilities): AgentDescription | undefined;
	/** Rejects with an `AgentFailure`, or with the agent's error response as a `PeerError`. */
	authenticate(params: ParamsOf<typeof acp.authenticate>): Promise<ResultOf<typeof acp.authenticate>>;
	/** Rejects with the same errors as `authenticate`. */
	logout(params: ParamsOf<typeof acp.logout>): Promise<ResultOf<typeof acp.logout>>;
}

/** The part of an agent's initialize response that servers pass on. */
export interface AgentDescription {
	readonly capabilities: acp.AgentCapabilities;
	readonly authMethods: readonly acp.AuthMethod[];
}

/** A session with an agent that speaks ACP. */
export interface VerbatimSession extends OtherAgentSession {
	readonly protocol: "acp";
	readonly modes: acp.ModeState | undefined;
	readonly configOptions: acp.ConfigOption[] | undefined;
	readonly commands: acp.AvailableCommand[];
	/** Throws an `RpcError` if the agent does not accept a block. */
	checkTakes(prompt: readonly acp.ContentBlock[]): void;
	setMode(modeId: string, signal: AbortSignal): Promise<void>;
	setConfigOption(configId: string, value: string | boolean, signal: AbortSignal): Promise<acp.ConfigOption[]>;
	/** Sends a request whose method is not part of the protocol. */
	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
	/** Sends a notification whose method is not part of the protocol. */
	notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

/** A prompt and its response. Each block corresponds to one part of the engine's prompt. */
export interface VerbatimPrompt extends Verbatim {
	readonly protocol: "acp";
	readonly request: Omit<acp.Prompt, "sessionId">;
	onResponse(answer: ResultOf<typeof acp.prompt>): void;
}

/** A client that speaks ACP. It doesn't know the agent's session id. */
export interface VerbatimRelay extends Relay {
	readonly protocol: "acp";
	readonly capabilities: acp.ClientCapabilities;
	update(update: acp.SessionUpdate): void;
	permission(request: Omit<acp.RequestPermission, "sessionId">, signal: AbortSignal): Promise<acp.PermissionOutcome>;
}

export function acpAgent(agent: OtherAgent): VerbatimAgent {
	if (isAcp<VerbatimAgent>(agent)) return agent;
	throw new TypeError(`${agent.name} speaks ${agent.protocol}, not ACP`);
}

export function acpSession(session: OtherAgentSession): VerbatimSession {
	if (isAcp<VerbatimSession>(session)) return session;
	throw new TypeError(`${session.agentName} speaks ${session.protocol}, not ACP`);
}

/** Checking the protocol is sufficient, because each plain type has only one ACP extension. */
function isAcp<Acp extends { readonly protocol: "acp" }>(value: { readonly protocol: string }): value is Acp {
	return value.protocol === "acp";
}
