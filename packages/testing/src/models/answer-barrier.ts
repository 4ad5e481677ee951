import { deferred } from "../rpc/peers.js";

/** Scripted answers wait here until a test releases them. */
export class AnswerBarrier {
	private waiting: (() => void)[] = [];
	private arrival = deferred();

	/** Waits until it is released, or until the request is abandoned. */
	async hold(abandoned: Promise<unknown>): Promise<void> {
		const { open, opened } = deferred();
		this.waiting.push(open);
		this.arrival.open();
		await Promise.race([opened, abandoned]);
		this.leave(open);
	}

	/** Resolves when an answer waits. */
	held(): Promise<void> {
		return this.arrival.opened;
	}

	/** Releases the answer that has waited longest; if none waits, the next one that does. */
	async release(): Promise<void> {
		await this.arrival.opened;
		const first = this.waiting[0];
		if (first === undefined) return;
		this.leave(first);
		first();
	}

	private leave(one: () => void): void {
		if (!this.waiting.includes(one)) return;
		this.waiting = this.waiting.filter((other) => other !== one);
		if (this.waiting.length === 0) this.arrival = deferred();
	}
}
