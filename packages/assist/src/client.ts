import type { ClientCapabilities, PermissionOutcome, RequestPermission, SessionUpdate } from "@segue/protocol/acp";
import type { Answer, Call, Permission, Update } from "./thread.js";

/** Who a turn is for: a door with an editor behind it, or a terminal. */
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
	approve(question: Question, signal: AbortSignal): Promise<Answer>;
	/** Absent where there is no editor, or it does not serve its buffers. */
	readonly buffers: Buffers | undefined;
	/** What an editor knows of itself, each absent where it does not say. */
	readonly editor: EditorKnowledge;
	/** Only of a client that speaks ACP itself. */
	readonly relay?: Relay | undefined;
	/** Told of the model that was chosen with /model, for a client that says with each prompt which one it is to be. */
	modelChosen?(name: string): void;
}

/**
 * How a client that speaks ACP is told what another agent says, to the letter, instead of what we would make of it. The id of
 * the agent's session stays between us and the agent.
 */
export interface Relay {
	/** What the client can do for an agent. */
	readonly capabilities: ClientCapabilities;
	update(update: SessionUpdate): void;
	permission(asked: Omit<RequestPermission, "sessionId">, signal: AbortSignal): Promise<PermissionOutcome>;
	/** Has the client answer a request of the agent. Rejects with a `PeerError` where it answers with an error. */
	request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

export interface Question {
	readonly call: Call;
	readonly permission: Permission;
}

/** An editor's open files, which win over those on disk. */
export interface Buffers {
	/** The whole text, with what is not saved yet; undefined where the editor has none and the disk counts. */
	read(path: string, signal: AbortSignal): Promise<string | undefined>;
	/** Writes through the editor; false where it will not and the disk has to be written. */
	write(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/** Each answers with all that the editor knows; what of that a model may be told is not for the editor to decide. */
export interface EditorKnowledge {
	readonly openDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	readonly recentDocuments?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** One, or none. */
	readonly activeDocument?: (signal: AbortSignal) => Promise<readonly EditorNote[]>;
	/** Of one file by its absolute path, or of all. */
	readonly diagnostics?: (path: string | undefined, signal: AbortSignal) => Promise<readonly EditorNote[]>;
}

/** What an editor says of one file. */
export interface EditorNote {
	/** Absolute. */
	readonly path: string;
	/** What is told besides the path: where the cursor is, what is selected, a line and what is wrong there. May be empty. */
	readonly text: string;
}
