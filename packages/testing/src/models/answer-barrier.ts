import { deferred } from "../rpc/peers.js";

/** Holds scripted answers until a test releases them. */
export class AnswerBarrier {
	private waiting: (() => void)[] = [];
	private arrival = deferred();

	/** Resolves when the answer is released or the request is aborted. */
	async hold(abandoned: Promise<unknown>): Promise<void> {
		const { open, opened } = deferred();
		this.waiting.push(open);
		this.arrival.open();
		await Promise.race([opened, abandoned]);
		this.leave(open);
	}

	/** Resolves when an answer is being held. */
	held(): Promise<void> {
		return this.arrival.opened;
	}

	/** Releases the oldest held answer, or the next one to be held if there is none. */
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
