import type { Readable, Writable } from "node:stream";
import type { StartTimer } from "@segue/text";
import type { AgentFailure } from "../failures.js";
import type { AgentCommand } from "./command-line.js";

// The protocol-independent interface of an agent that answers instead of the models. `agents/` implements it for ACP.
// Servers that pass ACP messages on verbatim use the types of `@segue/assist/acp` instead.

/** An agent behind Segue. */
export interface OtherAgent {
	readonly name: string;
	/** The agent's protocol, for example "acp". */
	readonly protocol: string;
	/**
	 * Resolves with the sign-in methods that need neither a terminal nor an environment variable. Starts the agent in
	 * the folder if it isn't running there. Rejects with an `AgentFailure`.
	 */
	signInMethods(folder: string): Promise<readonly AgentSignInMethod[]>;
	/** Signs in to each of the agent's processes. Rejects with an `AgentFailure` or the agent's error response. */
	signIn(methodId: string): Promise<void>;
	/** Rejects with the same errors as `signIn`. */
	signOut(): Promise<void>;
}

export interface AgentSignInMethod {
	readonly id: string;
	/** A label for the user. */
	readonly name: string;
}

/** A thread's session with another agent. Its properties change as the agent reports changes. */
export interface OtherAgentSession {
	readonly agentName: string;
	readonly protocol: string;
	/** False once the agent has ended or the session has been closed. */
	readonly isOpen: boolean;
	/** The size of the model's context window, once the agent has reported it. */
	readonly windowTokens: number | undefined;
	/** The agent's slash commands. `hint` describes the argument. */
	readonly commands: readonly {
		readonly name: string;
		readonly description: string;
		readonly input?: { readonly hint: string } | null | undefined;
	}[];
	/** Undefined if the agent offers no such choice. */
	choice(kind: ChoiceKind): AgentChoice | undefined;
	/** Throws a `RangeError` if the agent offers no such choice. Rejects with the agent's error response. */
	choose(kind: ChoiceKind, value: string, signal: AbortSignal): Promise<void>;
}

export type ChoiceKind = "mode" | "model" | "effort";

export interface AgentChoice {
	readonly current: string;
	readonly values: readonly string[];
}

/**
 * A prompt in the protocol that the client and the other agent share, passed on verbatim. Only `agents/` and the server
 * that creates it inspect its content.
 */
export interface Verbatim {
	readonly protocol: string;
	onFailure(failure: AgentFailure): void;
}

export interface OtherAgentOptions {
	readonly command: AgentCommand;
	/** Receives log lines. */
	readonly report: (line: string) => void;
	readonly after?: StartTimer;
	/** Starts the agent, by default as a child process. */
	readonly start?: StartAgent | undefined;
	/** A pool shared with other engines, which the caller closes. By default, each engine has its own. */
	readonly processes?: AgentProcesses | undefined;
	/** If absent, nothing is stored. */
	readonly memory?: AgentMemory | undefined;
}

/** Stores descriptions of agents for later processes. */
export interface AgentMemory {
	recall(key: string): string | undefined;
	store(key: string, text: string): void;
}

/** Starts an agent in a folder. Rejects with the reason if the agent does not start. */
export type StartAgent = (command: AgentCommand, folder: string) => Promise<AgentStreams>;

/** The standard streams of an agent, which ends when its input ends. */
interface AgentStreams {
	readonly stdin: Writable;
	readonly stdout: Readable;
}

/** The running agents in a process, shared by its engines. */
export interface AgentProcesses {
	/** Ends the agents and their children. */
	close(): Promise<void>;
}
