import type { Permission, PermissionAnswer, Thread, ToolCall, Update } from "./threads/thread.js";

/** The client of a turn: a server with an editor behind it, or a terminal. */
export interface Client {
	/**
	 * Receives updates in order. The turn waits for a returned promise, unless it was cancelled. If an update throws or
	 * rejects, no more are sent.
	 */
	update(update: Update): void | Promise<void>;
	/**
	 * Asks the user whether a call may run. The call waits for the answer. A rejected promise or an aborted signal counts
	 * as "no".
	 */
	approve(question: ApprovalRequest, signal: AbortSignal): Promise<PermissionAnswer>;
	/** Undefined without an editor, or if the editor does not provide its buffers. */
	readonly buffers: Buffers | undefined;
	/** Undefined without an editor, or if the editor does not run commands. */
	readonly terminals?: Terminals | undefined;
	/** Queries that the editor supports. */
	readonly editor: EditorKnowledge;
	/** Only for clients that pass on another agent's messages verbatim. */
	readonly relay?: Relay | undefined;
	/**
	 * Asks the user a question from the model. Resolves with undefined if the user doesn't answer. Absent if the client
	 * can't ask.
	 */
	ask?(question: UserQuestion, signal: AbortSignal): Promise<string | undefined>;
	/** Called after /model, for clients that send the model with each prompt. */
	modelChosen?(name: string): void;
	/** Switches to another thread. Absent if the client can't switch. */
	readonly resume?: ((thread: Thread) => void) | undefined;
}

/**
 * Delivers another agent's messages to a client with the same protocol, instead of the updates that the engine derives
 * from them. Each protocol extends it; see `VerbatimRelay` in acp.ts.
 */
export interface Relay {
	/** For example "acp". */
	readonly protocol: string;
	/** Sends the agent's request to the client. Rejects with the client's error response. */
	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
	/** Sends a notification whose method is not part of the protocol. */
	notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

export interface ApprovalRequest {
	readonly call: ToolCall;
	readonly permission: Permission;
}

/** A question from the model for the user. */
export interface UserQuestion {
	readonly text: string;
	/** Suggested answers; can be empty. */
	readonly options: readonly { readonly label: string; readonly description: string | undefined }[];
	/** Whether answers other than the options are allowed. */
	readonly isOpen: boolean;
	readonly callId: string;
}

/** An editor's open files, which take precedence over those on disk. */
export interface Buffers {
	/** Resolves with the text including unsaved changes, or undefined if the file on disk should be read. */
	read(path: string, signal: AbortSignal): Promise<string | undefined>;
	/** Writes through the editor. Resolves with false if the file should be written to disk instead. */
	write(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/** Terminals in the editor, which show the user a command's output while it runs. */
export interface Terminals {
	/**
	 * Starts a program. Resolves with undefined if the editor declines. The client keeps the terminal until the call
	 * that uses it has ended.
	 */
	create(program: TerminalProgram, signal: AbortSignal): Promise<EditorTerminal | undefined>;
}

export interface TerminalProgram {
	readonly command: string;
	readonly args: readonly string[];
	/** Added to the editor's environment, overriding existing variables. */
	readonly env: Readonly<Record<string, string>>;
	/** The absolute path of the working directory. */
	readonly folder: string;
	/** How much of the end of the output the editor must keep. */
	readonly outputBytesMax: number;
}

export interface EditorTerminal {
	readonly id: string;
	exited(signal: AbortSignal): Promise<TerminalExit>;
	/** The output so far. `isCut` means that its start is missing. */
	output(signal: AbortSignal): Promise<{ readonly text: string; readonly isCut: boolean }>;
	/** Kills the program without waiting. */
	kill(): void;
}

/** Both values are undefined if the editor does not report them. */
export interface TerminalExit {
	readonly code: number | undefined;
	readonly signal: string | undefined;
}

/** Queries to the editor. The results are unfiltered; the tools remove anything that the model may not see. */
export interface EditorKnowledge {
	readonly openDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	readonly recentDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** At most one document. */
	readonly activeDocument?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** Diagnostics for one file, given by its absolute path, or for all files. */
	readonly diagnostics?: (path: string | undefined, signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** The definitions of the symbol at a position. A rejection with a `ToolError` sends the model an error. */
	readonly definition?: (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** The references to the symbol at a position. A rejection with a `ToolError` sends the model an error. */
	readonly references?: (at: EditorPosition, signal: AbortSignal) => Promise<readonly EditorNote[]>;
}

export interface EditorPosition {
	/** Absolute. */
	readonly path: string;
	/** 1-based. `character` is 1-based as well and counts UTF-16 code units. */
	readonly line: number;
	readonly character: number;
}

/** Information from the editor about a file. */
export interface EditorNote {
	/** Absolute. */
	readonly path: string;
	/** Details such as the cursor position, the selection, or a line and its problem. Can be empty. */
	readonly text: string;
}
