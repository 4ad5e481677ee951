import * as threads from "@segue/protocol/threads";
import type { ThreadsPeer } from "./threads-peer.js";

// Enough to keep the editor busy. Text that is produced while this many chunks are pending is merged into the next
// chunk.
const PENDING_MAX = 4;

/**
 * Streams one turn's text to the editor in chunks, with few requests pending at a time. A peer without the chunk method
 * gets the whole text as one message at the end.
 */
export class ChunkStream {
	/** Text that has not been sent yet. */
	private held = "";
	private sent = 0;
	/** Chunks rejected by a peer without the chunk method, by position, because responses can arrive in any order. */
	private readonly rejected: string[] = [];
	private readonly pending = new Set<Promise<void>>();

	constructor(
		private readonly peer: ThreadsPeer,
		private readonly threadId: string,
	) {}

	write(text: string): void {
		this.held += text;
		this.sendNext();
	}

	/** Resolves once all text has been sent and every request has been answered or has timed out. */
	async end(): Promise<void> {
		await this.settled();
		if (this.held !== "") this.send();
		await this.settled();
		const rejected = this.rejected.join("");
		if (rejected === "") return;
		const message = { role: "assistant" as const, chunks: [{ type: "text" as const, chunk: rejected }] };
		await this.peer.ask(threads.sendMessage, { threadId: this.threadId, message });
	}

	private sendNext(): void {
		if (this.held !== "" && this.pending.size < PENDING_MAX && !this.peer.isSilent) this.send();
	}

	private send(): void {
		const text = this.held;
		const index = this.sent++;
		this.held = "";
		const params = { threadId: this.threadId, chunk: { type: "text" as const, chunk: text } };
		const request = this.peer.ask(threads.streamMessageChunk, params).then(({ outcome }) => {
			if (outcome === "unknown") this.rejected[index] = text;
			this.pending.delete(request);
			this.sendNext();
		});
		this.pending.add(request);
	}

	private async settled(): Promise<void> {
		while (this.pending.size > 0) await Promise.all(this.pending);
	}
}
