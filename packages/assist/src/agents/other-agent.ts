import type { Readable, Writable } from "node:stream";
import type { StartTimer } from "@segue/text";
import type { AgentFailure } from "../failures.js";
import type { AgentCommand } from "./command-line.js";

// Another agent that answers instead of the models, in plain values. `agents/` implements this for agents that speak ACP. A
// server that speaks the same protocol and passes messages on verbatim uses the types of `@segue/assist/acp` instead.

/** An agent behind Segue. */
export interface OtherAgent {
	readonly name: string;
	/** The protocol that it speaks, for example "acp". */
	readonly protocol: string;
	/**
	 * The sign-in methods that it carries out by itself, without a terminal and without an environment variable. Starts it in
	 * the folder if it isn't running there. Rejects with an `AgentFailure`.
	 */
	signInMethods(folder: string): Promise<readonly AgentSignInMethod[]>;
	/** Signs in to each of its processes. Rejects with an `AgentFailure`, or with the error that the agent responds with. */
	signIn(methodId: string): Promise<void>;
	/** Rejects like `signIn`. */
	signOut(): Promise<void>;
}

export interface AgentSignInMethod {
	readonly id: string;
	/** A label for the user. */
	readonly name: string;
}

/** A thread's session with another agent. The values are current when they are read, and change as the agent reports changes. */
export interface OtherAgentSession {
	readonly agentName: string;
	readonly protocol: string;
	/** False after the agent has ended or the session was closed. */
	readonly isOpen: boolean;
	/** The size of its model's context window, once the agent has reported it. */
	readonly windowTokens: number | undefined;
	/** Its slash commands. `hint` describes the argument. */
	readonly commands: readonly {
		readonly name: string;
		readonly description: string;
		readonly input?: { readonly hint: string } | null | undefined;
	}[];
	/** Undefined if the agent offers no such choice. */
	choice(kind: ChoiceKind): AgentChoice | undefined;
	/** Throws a `RangeError` if the agent offers no such choice. Rejects with the error that the agent responds with. */
	choose(kind: ChoiceKind, value: string, signal: AbortSignal): Promise<void>;
}

export type ChoiceKind = "mode" | "model" | "effort";

export interface AgentChoice {
	readonly current: string;
	readonly values: readonly string[];
}

/**
 * A prompt in the protocol that the client and the other agent share. The agent gets it verbatim. Opaque to everything between
 * the server that makes it and `agents/`.
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
	/** Replaces the child process that runs the agent by default. */
	readonly start?: StartAgent | undefined;
	/** Shared with other engines. The caller closes them. By default the engine has its own. */
	readonly processes?: AgentProcesses | undefined;
	/** Absent if nothing is to be stored. */
	readonly memory?: AgentMemory | undefined;
}

/** Stores what agents said of themselves, for the next process that starts them. */
export interface AgentMemory {
	recall(key: string): string | undefined;
	store(key: string, text: string): void;
}

/** Starts an agent in a folder. Rejects with the reason if it does not start. */
export type StartAgent = (command: AgentCommand, folder: string) => Promise<AgentStreams>;

/** The standard streams of an agent. It ends when its input ends. */
interface AgentStreams {
	readonly stdin: Writable;
	readonly stdout: Readable;
}

/** The running agents of a process, shared by its engines. */
export interface AgentProcesses {
	/** Ends them, with everything that they started. */
	close(): Promise<void>;
}
