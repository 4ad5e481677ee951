import type * as eca from "@segue/protocol/eca";
import type { Connection } from "@segue/rpc";

/** A piece of a chat's content, in terms of the current version of the protocol. */
export interface ContentItem {
	readonly role: "user" | "system" | "assistant";
	readonly content: eca.ChatContent;
	/** All files that a call changes, whole. In the current version a call has room for one, and for its beginning. */
	readonly changes?: readonly FileChange[];
	/** The request for approval as text, for clients that cannot show a tool call. */
	readonly request?: string;
}

export type FileChange = Extract<eca.Details, { type: "fileChange" }>;

export type SendContent = (received: Omit<eca.ContentReceived, "chatId">) => void;

/** Sends the content of one chat in one version of the protocol. */
export interface Encoder {
	/** Sends an item of the running turn. */
	sendInTurn(item: ContentItem): void;
	/** Sends an item outside any turn. */
	send(item: ContentItem): void;
	/** Ends the turn. */
	complete(): void;
}

/** Sends the content of one chat. While earlier content is replayed, that of the running turn is held back. */
export class ContentSender {
	readonly encoder: Encoder;
	/** How many replays are under way. */
	private replays = 0;
	private held: (() => void)[] = [];
	/** An item of a replay is being sent. */
	private isReplaying = false;

	constructor(
		private readonly connection: Pick<Connection<"agent">, "isFull" | "drained">,
		notify: SendContent,
		encoderFor: (send: SendContent) => Encoder,
	) {
		this.encoder = encoderFor((received) => {
			if (this.replays === 0 || this.isReplaying) notify(received);
			else this.held.push(() => notify(received));
		});
	}

	/** Sends an item outside any turn. */
	send(item: ContentItem): void {
		this.encoder.send(item);
	}

	/** Sends many items, no faster than the editor reads them. The running turn continues after the last one. */
	async replay(items: readonly ContentItem[]): Promise<void> {
		const { connection } = this;
		this.replays++;
		for (const item of items) {
			if (connection.isFull) await connection.drained();
			this.isReplaying = true;
			this.send(item);
			this.isReplaying = false;
		}
		if (--this.replays > 0) return;
		for (const notify of this.held.splice(0)) notify();
	}
}
