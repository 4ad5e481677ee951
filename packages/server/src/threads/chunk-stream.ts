import * as threads from "@segue/protocol/threads";
import type { ThreadsPeer } from "./threads-peer.js";

// Enough that the editor has always one to show; more would only wait there. What comes meanwhile is joined to the next.
const UNANSWERED_MAX = 4;

/**
 * What is said in one turn, on its way to the editor: in chunks, each sent when few others are without an answer. A peer that
 * knows no chunks gets it as one message at the end, as the draft's own headings have it.
 */
export class ChunkStream {
	/** What waits to be sent. */
	private held = "";
	private sent = 0;
	/** What was sent to a peer that knows no chunks, by its place among all that was sent: answers come in any order. */
	private readonly untaken: string[] = [];
	private readonly unanswered = new Set<Promise<void>>();

	constructor(
		private readonly peer: ThreadsPeer,
		private readonly threadId: string,
	) {}

	write(text: string): void {
		this.held += text;
		this.sendNext();
	}

	/** Returns when all of it is sent, and answered as far as the peer answers at all. */
	async end(): Promise<void> {
		await this.answered();
		if (this.held !== "") this.send();
		await this.answered();
		const untaken = this.untaken.join("");
		if (untaken === "") return;
		const message = { role: "assistant" as const, chunks: [{ type: "text" as const, chunk: untaken }] };
		await this.peer.ask(threads.sendMessage, { threadId: this.threadId, message });
	}

	private sendNext(): void {
		if (this.held !== "" && this.unanswered.size < UNANSWERED_MAX && !this.peer.isSilent) this.send();
	}

	private send(): void {
		const text = this.held;
		const place = this.sent++;
		this.held = "";
		const params = { threadId: this.threadId, chunk: { type: "text" as const, chunk: text } };
		const answered = this.peer.ask(threads.streamMessageChunk, params).then(({ outcome }) => {
			if (outcome === "unknown") this.untaken[place] = text;
			this.unanswered.delete(answered);
			this.sendNext();
		});
		this.unanswered.add(answered);
	}

	private async answered(): Promise<void> {
		while (this.unanswered.size > 0) await Promise.all(this.unanswered);
	}
}
