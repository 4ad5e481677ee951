import { deferred } from "../rpc/peers.js";

/** Where scripted answers wait until a test lets them go on. */
export class AnswerBarrier {
	private waiting: (() => void)[] = [];
	private arrival = deferred();

	/** Waits until it is released, or until there is nobody left to wait for. */
	async hold(abandoned: Promise<unknown>): Promise<void> {
		const { open, opened } = deferred();
		this.waiting.push(open);
		this.arrival.open();
		await Promise.race([opened, abandoned]);
		this.leave(open);
	}

	/** Settles when something waits. */
	held(): Promise<void> {
		return this.arrival.opened;
	}

	/** Lets go what has waited longest; if nothing waits, the next that does. */
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
