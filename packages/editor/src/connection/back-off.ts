import type { Clock } from "@segue/text";

// Users hardly notice a one-second delay, and one retry per minute costs almost nothing.
const BACK_OFF_MS_MIN = 1000;
const BACK_OFF_MS_MAX = 60_000;

/** Exponential backoff: the delay grows with every `wait` until `reset`. */
export class BackOff {
	private delayMs = BACK_OFF_MS_MIN;
	private waiting: { readonly run: () => void; readonly callOff: () => void } | undefined;

	constructor(private readonly clock: Clock) {}

	/** Runs a callback after the delay. Replaces a callback that is already waiting. */
	wait(run: () => void): void {
		this.waiting?.callOff();
		this.waiting = { run, callOff: this.clock.after(this.delayMs, () => this.hurry()) };
		this.delayMs = Math.min(2 * this.delayMs, BACK_OFF_MS_MAX);
	}

	/** Runs the waiting callback immediately. */
	hurry(): void {
		const { waiting } = this;
		this.waiting = undefined;
		waiting?.callOff();
		waiting?.run();
	}

	/** Cancels the waiting callback and restores the shortest delay. */
	reset(): void {
		this.waiting?.callOff();
		this.waiting = undefined;
		this.delayMs = BACK_OFF_MS_MIN;
	}
}
