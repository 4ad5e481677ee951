import { unlessCancelled } from "@segue/text";
import type { Client } from "../client.js";
import type { Store } from "../store/store.js";
import type { Body, Entry, ToolCall, Update } from "./thread.js";

/**
 * The log of a turn. Each entry is stored before it is sent to the client, so nothing that the user has seen is lost.
 * Writes never wait for the client. Text chunks that arrive during a write are joined, so a slow disk leads to fewer
 * writes instead of a queue.
 */
export class TurnRecord {
	/** The entries of the turn, in their current state. */
	readonly entries: Entry[] = [];
	/** The queue of writes. Never rejects; see `failure`. */
	private written: Promise<void> = Promise.resolve();
	/** The queue of updates for the client. Never rejects. */
	private sent: Promise<void> = Promise.resolve();
	/** The first store error. Later writes fail with the same error, or the thread would have gaps. */
	private failure: { readonly error: unknown } | undefined;
	/** The last queued chunk, if the next one can be joined with it. */
	private waiting: Piece | undefined;
	/** The latest states of calls whose updates are queued, by entry. */
	private readonly changed = new Map<number | Promise<number>, ToolCall>();
	/** The number of the text or thought entry that the next chunk continues. */
	private open: number | undefined;
	/** Set after the first failed update. Later updates are skipped, because the client would see a gap. */
	private isClientGone = false;

	constructor(
		private readonly store: Store,
		private readonly threadId: string,
		private readonly turn: string,
		private readonly client: Pick<Client, "update">,
		private readonly signal: AbortSignal,
		private readonly now: () => Date,
	) {}

	/** The name of the model or agent that received the prompt. */
	get model(): string | undefined {
		const prompt = this.entries.find(({ body }) => body.type === "prompt")?.body;
		return prompt?.type === "prompt" ? prompt.model : undefined;
	}

	/** Adds a chunk of text or thought. Throws the store's error if an earlier write failed. */
	write(type: Piece["type"], text: string): void {
		if (this.failure !== undefined) throw this.failure.error;
		if (this.waiting?.type === type) {
			this.waiting.text += text;
			return;
		}
		const piece: Piece = { type, text };
		void this.inOrder(async () => {
			if (this.waiting === piece) this.waiting = undefined;
			await this.put(piece);
		});
		this.waiting = piece;
	}

	/** Completes the current thought with the signature that the provider expects back. */
	async sign(signature: string): Promise<void> {
		await this.inOrder(async () => {
			const entry = this.openEntry();
			await this.close();
			if (entry?.body.type !== "thought") await this.append({ type: "thought", text: "", signature });
			else await this.replace(entry.number, { ...entry.body, signature });
		});
	}

	/** Adds an entry after everything queued earlier, and resolves with its number. */
	add(body: Body): Promise<number> {
		return this.inOrder(async () => {
			await this.close();
			return (await this.append(body)).number;
		});
	}

	/** Updates a call. `entry` is its entry's number, or the promise returned by `add`. */
	async change(entry: number | Promise<number>, call: ToolCall): Promise<void> {
		this.changed.set(entry, call);
		await this.inOrder(async () => {
			const newest = this.changed.get(entry);
			if (newest === undefined) return;
			this.changed.delete(entry);
			const number = await entry;
			await this.replace(number, { type: "call", call: newest });
			this.send({ type: "call", number, call: newest });
		});
	}

	/** Sends an update to the client without storing it. */
	send(update: Update): void {
		this.sendBy(() => this.client.update(update));
	}

	/** Calls `send` once everything queued earlier is stored, unless a write failed. */
	relay(send: () => void): void {
		void this.written.then(() => {
			if (this.failure === undefined) this.sendBy(send);
		});
	}

	private sendBy(send: () => void | Promise<void>): void {
		this.sent = this.sent.then(async () => {
			if (this.isClientGone) return;
			try {
				const pace = send();
				if (pace !== undefined) await unlessCancelled(pace, this.signal);
			} catch {
				// A cancelled turn does not wait for the client, but still reports how it ended.
				this.isClientGone = !this.signal.aborted;
			}
		});
	}

	/** Resolves once everything is stored, and the client has received it or the turn was cancelled. */
	async flush(): Promise<void> {
		await this.inOrder(() => this.close());
		await this.sent;
	}

	private inOrder<T>(job: () => Promise<T>): Promise<T> {
		// Later chunks must not be joined with a chunk queued before this job.
		this.waiting = undefined;
		const done = this.written.then(() => {
			if (this.failure !== undefined) throw this.failure.error;
			return job();
		});
		this.written = done.then(
			() => {},
			(error) => {
				this.failure ??= { error };
			},
		);
		return done;
	}

	private async put({ type, text }: Piece): Promise<void> {
		const entry = this.openEntry();
		if (entry?.body.type !== type) {
			await this.close();
			const added = await this.append(type === "text" ? { type, text } : { type, text, signature: undefined });
			this.open = added.number;
			return;
		}
		await this.store.more(this.threadId, entry.number, text);
		this.setEntry({ ...entry, body: { ...entry.body, text: entry.body.text + text } });
		this.send({ type: "more", of: type, number: entry.number, text });
	}

	private openEntry(): Entry | undefined {
		return this.entries.findLast((entry) => entry.number === this.open);
	}

	/** Completes the open text or thought. */
	private async close(): Promise<void> {
		if (this.open === undefined) return;
		const number = this.open;
		this.open = undefined;
		await this.store.settle(this.threadId, number);
	}

	private async append(body: Body): Promise<Entry> {
		const entry = await this.store.append(this.threadId, this.turn, this.now().toISOString(), body);
		this.entries.push(entry);
		this.send({ type: "entry", entry });
		return entry;
	}

	private async replace(number: number, body: Body): Promise<void> {
		await this.store.replace(this.threadId, number, body);
		const entry = this.entries.find((each) => each.number === number);
		if (entry !== undefined) this.setEntry({ ...entry, body });
	}

	private setEntry(entry: Entry): void {
		this.entries[this.entries.findLastIndex((each) => each.number === entry.number)] = entry;
	}
}

interface Piece {
	readonly type: "text" | "thought";
	text: string;
}
