import type { Clock } from "@segue/text";

// One second is short enough to go unnoticed after a crash, and one minute long enough to cost nothing.
const BACK_OFF_MS_MIN = 1000;
const BACK_OFF_MS_MAX = 60_000;

/** The time before something that failed is tried again: longer with every failure, until `reset`. */
export class BackOff {
	private delayMs = BACK_OFF_MS_MIN;
	private waiting: { readonly run: () => void; readonly callOff: () => void } | undefined;

	constructor(private readonly clock: Clock) {}

	/** Runs something later, in place of what waits. */
	wait(run: () => void): void {
		this.waiting?.callOff();
		this.waiting = { run, callOff: this.clock.after(this.delayMs, () => this.hurry()) };
		this.delayMs = Math.min(2 * this.delayMs, BACK_OFF_MS_MAX);
	}

	/** Runs what waits, now. */
	hurry(): void {
		const { waiting } = this;
		this.waiting = undefined;
		waiting?.callOff();
		waiting?.run();
	}

	/** Nothing failed, or it does not matter any more: nothing waits, and the next time is short again. */
	reset(): void {
		this.waiting?.callOff();
		this.waiting = undefined;
		this.delayMs = BACK_OFF_MS_MIN;
	}
}
