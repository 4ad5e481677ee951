import { unlessCancelled } from "@segue/text";
import type { Client } from "../client.js";
import type { Store } from "../store/store.js";
import type { Body, Entry, ToolCall, Update } from "./thread.js";

/**
 * What happens in one turn, in order: written to the store, and only then told to the client, so that what somebody saw is
 * never lost. Writing never waits for the client. A piece of text that comes while another is being written is joined with
 * those that wait already; so a slow disk makes for fewer writes, not for a queue.
 */
export class TurnRecord {
	/** The turn's entries, each as it is now. */
	readonly entries: Entry[] = [];
	/** What is written, one after the other. Never rejects: see `failure`. */
	private written: Promise<void> = Promise.resolve();
	/** What is told, one after the other. Never rejects. */
	private sent: Promise<void> = Promise.resolve();
	/** Why the store took something no more. All that comes later fails in the same way, or there would be gaps. */
	private failure: { readonly error: unknown } | undefined;
	/** A piece that waits for its turn to be written, and can be joined with the next. */
	private waiting: Piece | undefined;
	/** What changed in calls and waits to be written, by the entry. Only the newest state counts. */
	private readonly changed = new Map<number | Promise<number>, ToolCall>();
	/** The number of the text or thought that the next piece goes on with. */
	private open: number | undefined;
	/** Once the client has failed to be told something, it is told nothing more: it would see things out of order. */
	private isClientGone = false;

	constructor(
		private readonly store: Store,
		private readonly threadId: string,
		private readonly turn: string,
		private readonly client: Pick<Client, "update">,
		private readonly signal: AbortSignal,
		private readonly now: () => Date,
	) {}

	/** Who the turn was put to. */
	get model(): string | undefined {
		const prompt = this.entries.find(({ body }) => body.type === "prompt")?.body;
		return prompt?.type === "prompt" ? prompt.model : undefined;
	}

	/** A piece of the answer or of a thought. Throws what the store threw for an earlier one. */
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

	/** The thought that was written is whole, and this is what the provider wants to have back with it. */
	async sign(signature: string): Promise<void> {
		await this.inOrder(async () => {
			const entry = this.openEntry();
			await this.close();
			if (entry?.body.type !== "thought") await this.append({ type: "thought", text: "", signature });
			else await this.replace(entry.number, { ...entry.body, signature });
		});
	}

	/** Adds an entry, after all that came before it, and gives its number. */
	add(body: Body): Promise<number> {
		return this.inOrder(async () => {
			await this.close();
			return (await this.append(body)).number;
		});
	}

	/** A call is no longer as it was. Its entry is a number, or what `add` gave. */
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

	/** Tells the client something that is no entry of the turn. */
	send(update: Update): void {
		this.sendBy(() => this.client.update(update));
	}

	/** Tells the client something by another way, once all that came before is written. */
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
				// A cancelled turn waits for nobody, but still tells how it ended.
				this.isClientGone = !this.signal.aborted;
			}
		});
	}

	/** Returns when everything is written and the client has kept up, or the turn was cancelled. */
	async flush(): Promise<void> {
		await this.inOrder(() => this.close());
		await this.sent;
	}

	private inOrder<T>(job: () => Promise<T>): Promise<T> {
		// A later piece may not be joined with one from before this.
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

	/** What was written piece by piece is whole. */
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
