// Time is passed as an argument: code that waits takes a clock or a timer, so that tests can pass their own.

/** Runs a callback after a delay. Returns a function that cancels it. */
export type StartTimer = (delayMs: number, run: () => void) => () => void;

export interface Clock {
	/** Returns the number of milliseconds since a fixed point in time. */
	now(): number;
	/** Runs a callback after a delay. Returns a function that cancels it. */
	after(delayMs: number, run: () => void): () => void;
}

export const startTimer: StartTimer = (delayMs, run) => {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
};

/** A timer that does not keep a Node process alive. */
export const startBackgroundTimer: StartTimer = (delayMs, run) => {
	// The timer is an object in Node and a number in a browser.
	const timer: unknown = setTimeout(run, delayMs);
	(timer as { unref?: () => void }).unref?.();
	return () => clearTimeout(timer as number);
};

/** The system time and the platform's timers. */
export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), after: startTimer };
