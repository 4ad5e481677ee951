// Time as an argument: code that waits takes a clock or a timer, and tests pass their own.

/** Runs something after a delay. Returns how to cancel it. */
export type StartTimer = (delayMs: number, run: () => void) => () => void;

export interface Clock {
	/** Milliseconds since any fixed moment. */
	now(): number;
	/** Runs something after a delay. Returns how to cancel it. */
	after(delayMs: number, run: () => void): () => void;
}

export const startTimer: StartTimer = (delayMs, run) => {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
};

/** A timer that does not keep a Node process alive. */
export const startBackgroundTimer: StartTimer = (delayMs, run) => {
	// An object in Node, a number in a browser.
	const timer: unknown = setTimeout(run, delayMs);
	(timer as { unref?: () => void }).unref?.();
	return () => clearTimeout(timer as number);
};

/** The time of day, and the platform's timers. */
export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), after: startTimer };
