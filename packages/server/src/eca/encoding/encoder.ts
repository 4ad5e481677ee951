import type * as eca from "@segue/protocol/eca";
import type { Connection } from "@segue/rpc";

/** An item of chat content, as defined by the current version of the protocol. */
export interface ContentItem {
	readonly role: "user" | "system" | "assistant";
	readonly content: eca.ChatContent;
	/**
	 * All file changes in a call, in full. In the current version, a call shows only one change, which may be truncated.
	 */
	readonly changes?: readonly FileChange[];
	/** The approval request as text, for clients that cannot show tool calls. */
	readonly request?: string;
}

export type FileChange = Extract<eca.Details, { type: "fileChange" }>;

export type SendContent = (received: Omit<eca.ContentReceived, "chatId">) => void;

/** Sends the content of one chat in one version of the protocol. */
export interface Encoder {
	/** Sends an item in the running turn. */
	sendInTurn(item: ContentItem): void;
	/** Sends an item outside any turn. */
	send(item: ContentItem): void;
	/** Ends the turn. */
	complete(): void;
}

/** Sends the content of one chat. During a replay, content from the running turn is buffered. */
export class ContentSender {
	readonly encoder: Encoder;
	/** The number of replays in progress. */
	private replays = 0;
	private held: (() => void)[] = [];
	/** Whether an item of a replay is being sent. */
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

	/** Sends many items, waiting whenever the editor falls behind. The running turn continues after the last item. */
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
