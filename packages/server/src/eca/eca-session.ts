import type { Assist, Entry, Flag, Mode, OtherAgentSession } from "@segue/assist";
import type { Effort } from "@segue/models";
import type * as eca from "@segue/protocol/eca";
import type { Connection } from "@segue/rpc";
import type { EcaBackend, EcaEngine } from "./backend.js";
import type { EcaVersion } from "./encoding/eca-version.js";
import type { ContentItem } from "./encoding/encoder.js";

/** The connection to one editor, from `initialize` on, as all parts of the server share it. */
export interface EcaSession {
	readonly connection: Connection<"agent">;
	readonly protocolVersion: EcaVersion;
	readonly capabilities: NonNullable<eca.ClientCapabilities["codeAssistant"]>;
	/** Absolute paths: the workspace, and what else the editor has open. Other ones when the editor changes them. */
	readonly folders: readonly [string, ...string[]];
	readonly backend: EcaBackend;
	engine(): Promise<EcaEngine>;
	/** Those that the editor has named since it started, and every one that is opened. */
	readonly chats: OpenChats;
	/** What the person chose for no chat in particular: new ones begin with it. */
	chosen?: Partial<EcaChatSettings>;
	/** Shown at the top of a new chat. */
	readonly welcomeMessage: string;
	/** Aborted when the editor shuts us down, or is gone. */
	readonly closing: AbortSignal;
	/** Shows a kept thread to the user, who goes on with it. */
	resume(threadId: string): void;
	/** Tells the person something that belongs to no chat. */
	show(type: "error" | "warning" | "info", message: string): void;
	/** Tells the person why something did not come about: what they have to mend, or that the log says more. */
	explain(error: unknown): void;
	/** Tells the log of what nobody else can be told: a failure of our own. */
	report(error: unknown): void;
}

export interface OpenChats {
	known(): readonly OpenChat[];
	/** Of a chat that the editor names: the one it has open, or a kept one; undefined where there is none. */
	find(id: eca.ChatId): Promise<OpenChat | undefined>;
	/** Forgets it here; what is kept of it stays. */
	forget(chat: OpenChat): Promise<void>;
	/** The chat of an id that may be one, known from now on. */
	begin(id: eca.ChatId): OpenChat;
	/** Knows a kept thread as a chat from now on. */
	adopt(threadId: string): OpenChat;
}

/** One chat of the editor. */
export interface OpenChat {
	/** As the editor says it. */
	readonly id: eca.ChatId;
	readonly threadId: string;
	readonly settings: EcaChatSettings;
	/** Has it hold from the next turn on, and trust at once. Returns how to take it back, if nothing else was chosen since. */
	choose(chosen: Partial<EcaChatSettings>): () => void;
	readonly status: "idle" | "running" | "stopping";
	/** Calls the chat so when it has a thread, which it gets with its first prompt. */
	setTitle(title: string): void;
	/** Opens the chat's session with another agent, if one answers. Rejects with an RpcError if the user has to fix something. */
	agent?(): Promise<OtherAgentSession>;
	/** Cancels the turn that is under way, and waits until everything of it is written down. */
	stop(): Promise<void>;
	/** Sends content outside any turn, in the editor's version of the protocol. */
	send(item: ContentItem): void;
	/** Sends many such items, no faster than the editor reads them. The running turn continues after the last one. */
	sendAll(items: readonly ContentItem[]): Promise<void>;
	/** What is kept of it, up to what the editor was told last: `replay` it at once, or the turn under way goes on before. */
	entries(assist: Assist): Promise<readonly Entry[]>;
	/**
	 * The content of entries, in the current version; that of the running turn as far as it was sent. A prompt
	 * has its entry's number as its `contentId`. Flags stand behind their entries; those in the turn under way, at its end.
	 */
	replay(entries: readonly Entry[], flags: readonly Flag[]): readonly ContentItem[];
}

export interface EcaChatSettings {
	/** Undefined where the usual one is meant. */
	readonly model: string | undefined;
	/** What the editor calls the agent: `code` is our mode `edit`, the others are called alike. */
	readonly mode: Mode;
	/** What the editor calls the variant. */
	readonly effort: Effort | undefined;
	/** Whether everything is approved that would be asked for. */
	readonly trust: boolean;
}
