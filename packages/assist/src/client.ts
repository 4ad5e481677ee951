import type { Permission, PermissionAnswer, Thread, ToolCall, Update } from "./threads/thread.js";

/** The client that a turn is for: a server with an editor behind it, or a terminal. */
export interface Client {
	/**
	 * Told in order. A promise slows the turn down to the client's pace, but for a turn that was cancelled, which waits for
	 * nobody. After one that throws or rejects, nothing more is told.
	 */
	update(update: Update): void | Promise<void>;
	/**
	 * Whether a call may do what it is about to. Nothing runs before the answer. When the signal is aborted, or the client is
	 * gone, the answer is taken as no; rejecting means no as well.
	 */
	approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	/** Absent where there is no editor, or it does not serve its buffers. */
	readonly buffers: Buffers | undefined;
	/** Absent where there is no editor, or it runs no commands for others. */
	readonly terminals?: Terminals | undefined;
	/** What an editor knows of itself, each absent where it does not say. */
	readonly editor: EditorKnowledge;
	/** Only of a client that passes on another agent's messages verbatim. */
	readonly relay?: Relay | undefined;
	/**
	 * Asks the person something that a model wants to know; undefined where they would not say. Absent where nobody can be
	 * asked.
	 */
	ask?(question: UserQuestion, signal: AbortSignal): Promise<string | undefined>;
	/** Told of the model that was chosen with /model, for a client that says with each prompt which one it is to be. */
	modelChosen?(name: string): void;
	/** Shows another thread, which the user goes on with from now on. Absent where the client cannot. */
	readonly resume?: ((thread: Thread) => void) | undefined;
}

/**
 * Delivers another agent's messages to a client that speaks the same protocol, in place of the updates that the engine makes of
 * them. Each protocol extends it; see `VerbatimRelay` in acp.ts.
 */
export interface Relay {
	/** For example "acp". */
	readonly protocol: string;
	/** Sends a request of the agent to the client. Rejects with the client's error response. */
	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
	/** Sends a notification whose method is not part of the protocol. */
	notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

export interface ApprovalRequest {
	readonly call: ToolCall;
	readonly permission: Permission;
}

/** What a model wants to know of the person. */
export interface UserQuestion {
	readonly text: string;
	/** Answers to choose from. There may be none. */
	readonly options: readonly { readonly label: string; readonly description: string | undefined }[];
	/** Whether another answer than the options may be given. */
	readonly isOpen: boolean;
	readonly callId: string;
}

/** An editor's open files, which win over those on disk. */
export interface Buffers {
	/** The whole text, with what is not saved yet; undefined where the editor has none and the disk counts. */
	read(path: string, signal: AbortSignal): Promise<string | undefined>;
	/** Writes through the editor; false where it will not and the disk has to be written. */
	write(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/** Terminals that an editor shows, so that a person sees what a command prints while it runs. */
export interface Terminals {
	/**
	 * Starts a program. Undefined where the editor will not and it has to be started otherwise. The client keeps the terminal
	 * until it was told the end of the call that says it is shown in it.
	 */
	create(program: TerminalProgram, signal: AbortSignal): Promise<EditorTerminal | undefined>;
}

export interface TerminalProgram {
	readonly command: string;
	readonly args: readonly string[];
	/** Besides what the editor gives to every program, or instead of it. */
	readonly env: Readonly<Record<string, string>>;
	/** Absolute. */
	readonly folder: string;
	/** How much of what it prints has to be kept: its end. */
	readonly outputBytesMax: number;
}

export interface EditorTerminal {
	readonly id: string;
	exited(signal: AbortSignal): Promise<TerminalExit>;
	/** What was printed so far, and whether its start is missing. */
	output(signal: AbortSignal): Promise<{ readonly text: string; readonly isCut: boolean }>;
	/** Has the program ended, and does not wait for it. */
	kill(): void;
}

/** Both undefined where the editor does not tell. */
export interface TerminalExit {
	readonly code: number | undefined;
	readonly signal: string | undefined;
}

/** Each answers with all that the editor knows; what of that a model may be told is not for the editor to decide. */
export interface EditorKnowledge {
	readonly openDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	readonly recentDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** One, or none. */
	readonly activeDocument?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** Of one file by its absolute path, or of all. */
	readonly diagnostics?: (path: string | undefined, signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** Where what stands at a place is defined. Rejects with a `ToolError` for what the model should know. */
	readonly definition?: (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** Where what stands at a place is used. Rejects with a `ToolError` for what the model should know. */
	readonly references?: (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;
}

export interface EditorPosition {
	/** Absolute. */
	readonly path: string;
	/** 1-based, as is the character, which counts UTF-16 units. */
	readonly line: number;
	readonly character: number;
}

/** What an editor says of one file. */
export interface EditorNote {
	/** Absolute. */
	readonly path: string;
	/** What is told besides the path: where the cursor is, what is selected, a line and what is wrong there. May be empty. */
	readonly text: string;
}
