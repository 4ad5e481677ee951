import type { Assist, Entry, Flag, Mode, OtherAgentSession } from "@segue/assist";
import type { Effort } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import type { Connection } from "@segue/rpc";
import type { EcaBackend, EcaEngine } from "./backend.js";
import type { EcaVersion } from "./encoding/eca-version.js";
import type { ContentItem } from "./encoding/encoder.js";

/** The state of a connection to one editor, shared by all parts of the server. */
export interface EcaSession {
	readonly connection: Connection<"agent">;
	readonly protocolVersion: EcaVersion;
	readonly capabilities: NonNullable<eca.ClientCapabilities["codeAssistant"]>;
	/** Absolute paths: the workspace, then the editor's other folders. Replaced when the editor changes its folders. */
	readonly folders: readonly [string, ...string[]];
	readonly backend: EcaBackend;
	engine(): Promise<EcaEngine>;
	/** The chats that the editor has used or opened in this session. */
	readonly chats: OpenChats;
	/** The user's selection outside any chat. New chats start with it. */
	chosen?: Partial<EcaChatSettings>;
	/** Shown at the top of a new chat. */
	readonly welcomeMessage: string;
	/** Aborted when the editor sends `shutdown` or disconnects. */
	readonly closing: AbortSignal;
	/** Opens a stored thread in the editor, so the user can continue it. */
	resume(threadId: string): void;
	/** Shows the user a message outside any chat. */
	show(type: "error" | "warning" | "info", message: string): void;
	/** Shows the user an error: what to fix or, for an internal error, a pointer to the log. */
	explain(error: unknown): void;
	/** Logs an internal error. */
	report(error: unknown): void;
}

export interface OpenChats {
	known(): readonly OpenChat[];
	/** Finds an open or stored chat by the editor's id. */
	find(id: eca.ChatId): Promise<OpenChat | undefined>;
	/** Closes a chat without deleting its thread. */
	forget(chat: OpenChat): Promise<void>;
	/** Returns the open chat with this id, or opens a new one. */
	begin(id: eca.ChatId): OpenChat;
	/** Opens a stored thread as a chat. */
	adopt(threadId: string): OpenChat;
}

/** A chat that is open in the editor. */
export interface OpenChat {
	/** The editor's id for the chat. */
	readonly id: eca.ChatId;
	readonly threadId: string;
	readonly settings: EcaChatSettings;
	/**
	 * Changes the settings starting with the next turn, and trust immediately. The returned function undoes the change,
	 * unless the settings have changed again.
	 */
	choose(chosen: Partial<EcaChatSettings>): () => void;
	readonly status: "idle" | "running" | "stopping";
	/** Sets the title, once the first prompt has created the thread. */
	setTitle(title: string): void;
	/**
	 * Opens the chat's session with the external agent. Undefined if no external agent handles the chat. Rejects with an
	 * RpcError if the user has to fix something.
	 */
	agent?(): Promise<OtherAgentSession>;
	/** Cancels the running turn and waits until it is stored completely. */
	stop(): Promise<void>;
	/** Sends content outside any turn, in the editor's version of the protocol. */
	send(item: ContentItem): void;
	/**
	 * Sends many items outside any turn, no faster than the editor reads them. The running turn continues after the last
	 * item.
	 */
	sendAll(items: readonly ContentItem[]): Promise<void>;
	/**
	 * Returns the stored entries up to the last update sent. Call `replay` synchronously afterwards, or content from
	 * the running turn will be mixed in.
	 */
	entries(assist: Assist): Promise<readonly Entry[]>;
	/**
	 * Returns the content of entries in the current version of the protocol. For the running turn, returns only the part
	 * that has already been sent. The `contentId` of a prompt is its entry's number. Flags follow their entries, but
	 * flags in the running turn are at its end.
	 */
	replay(entries: readonly Entry[], flags: readonly Flag[]): readonly ContentItem[];
}

export interface EcaChatSettings {
	/** Undefined for the default model. */
	readonly model: string | undefined;
	/** The protocol calls this the agent. Its agent `code` is our mode `edit`; the other names are the same. */
	readonly mode: Mode;
	/** The protocol calls this the variant. */
	readonly effort: Effort | undefined;
	/** Whether to approve tool calls without asking. */
	readonly trust: boolean;
}
