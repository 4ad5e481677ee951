import type * as threads from "@segue/protocol/threads";
import type { Problem } from "@segue/rpc";

/**
 * What a plugin lets an agent of the thread draft see and do. A member that may be missing is something that not every editor
 * can do; an agent that asks for it is told so, and looks at the disk by itself.
 */
export interface ThreadsHost {
	/** The uri of the folder that agents work in, without a slash at its end. Nothing outside of it is served. */
	readonly folder: string;
	/** A piece of what the agent says in a thread, as it comes. A promise slows the agent down. */
	chunk(threadId: string, text: string): void | Promise<void>;
	/** Told of everything that has no answer to go into: for the log. */
	report(problem: Problem): void;
	/** Threads of the editor's own, for an agent that keeps none: `new MemoryThreads()` where nobody cares. */
	readonly threads: ThreadStore;

	/** A text as the editor has it, with what is not saved; undefined where there is none, or it is not the editor's to say. */
	readText?(uri: string, lines: ReadRange): MaybePromise<VersionedContent<string> | undefined>;
	/** Links are the host's to follow, and to keep inside of the folder. */
	readBinary?(uri: string, bytes: ReadRange): MaybePromise<VersionedContent<Uint8Array> | undefined>;
	/** Undefined for what is not there. */
	stat?(uri: string): MaybePromise<{ readonly isFolder: boolean } | undefined>;
	/** The paths of files that match, from the folder on. */
	glob?(pattern: string): MaybePromise<readonly string[]>;
	/** Whether a file is left alone besides those that are secret by their name: as `Privacy` says. */
	isPrivate?(uri: string): MaybePromise<boolean>;
}

/** What an agent wants of a file: so many lines or bytes, from the one on that so many come before; or all that follow. */
export interface ReadRange {
	readonly offset: number;
	readonly limit: number | undefined;
}

/** A content, with a number that grows whenever it changes. */
export interface VersionedContent<Content> {
	readonly content: Content;
	readonly version: number;
	/** Whether the content is what was asked for alone, as of a file that is too large to be read whole. */
	readonly isRange?: boolean;
}

/** Threads that an editor keeps. Who is asked for one that is not there answers with undefined, or false. */
export interface ThreadStore {
	/** Newest first. */
	list(): MaybePromise<readonly threads.ThreadMetadata[]>;
	create(): MaybePromise<string>;
	/** Shows it. */
	open(threadId: string): MaybePromise<boolean>;
	entries(threadId: string): MaybePromise<readonly threads.ThreadEntry[] | undefined>;
	add(threadId: string, message: threads.Message): MaybePromise<boolean>;
	/** The assistant's message in a thread goes on, or begins. */
	stream(threadId: string, chunk: threads.MessageChunk): MaybePromise<boolean>;
}

type MaybePromise<Value> = Value | Promise<Value>;
