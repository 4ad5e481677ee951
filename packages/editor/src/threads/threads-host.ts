import type * as threads from "@segue/protocol/threads";
import type { Problem } from "@segue/rpc";

/**
 * The interface that a plugin implements for `ThreadsEditor`: everything that an agent using the thread draft can read
 * and do. If an optional member is missing, agents get "method not found" and read the disk themselves.
 */
export interface ThreadsHost {
	/** The URI of the folder that agents work in, without a trailing slash. Nothing outside it is served. */
	readonly folder: string;
	/** Receives streamed text from the agent. Return a promise to slow the agent down. */
	chunk(threadId: string, text: string): void | Promise<void>;
	/** Receives problems to log that cannot be returned to the agent as errors. */
	report(problem: Problem): void;
	/** Stores threads for agents that don't store their own. `new MemoryThreads()` is enough for most plugins. */
	readonly threads: ThreadStore;

	/**
	 * Reads a text file, including unsaved changes. Undefined if the file does not exist or the editor does not provide
	 * it.
	 */
	readText?(uri: string, lines: ReadRange): MaybePromise<VersionedContent<string> | undefined>;
	/** Reads a file as bytes. The host must follow links and refuse those that lead out of the folder. */
	readBinary?(uri: string, bytes: ReadRange): MaybePromise<VersionedContent<Uint8Array> | undefined>;
	/** Returns undefined if nothing exists there. */
	stat?(uri: string): MaybePromise<{ readonly isFolder: boolean } | undefined>;
	/** Returns the paths of matching files, relative to the folder. */
	glob?(pattern: string): MaybePromise<readonly string[]>;
	/** Whether a file must not be served. `Privacy` implements this. Files with secret names are refused in any case. */
	isPrivate?(uri: string): MaybePromise<boolean>;
}

/** The range of lines or bytes that an agent requested: how many to skip, and how many to return (undefined: all). */
export interface ReadRange {
	readonly offset: number;
	readonly limit: number | undefined;
}

/** The content of a file and its version, which increases with every change. */
export interface VersionedContent<Content> {
	readonly content: Content;
	readonly version: number;
	/** Whether `content` is only the requested range, for example because the file is too large to read as a whole. */
	readonly isRange?: boolean;
}

/** Stores threads for the editor. Methods return undefined or false for an unknown thread. */
export interface ThreadStore {
	/** Returns the threads, newest first. */
	list(): MaybePromise<readonly threads.ThreadMetadata[]>;
	create(): MaybePromise<string>;
	/** Shows the thread to the user. */
	open(threadId: string): MaybePromise<boolean>;
	entries(threadId: string): MaybePromise<readonly threads.ThreadEntry[] | undefined>;
	add(threadId: string, message: threads.Message): MaybePromise<boolean>;
	/** Appends to the assistant's current message, or starts one. */
	stream(threadId: string, chunk: threads.MessageChunk): MaybePromise<boolean>;
}

type MaybePromise<Value> = Value | Promise<Value>;
