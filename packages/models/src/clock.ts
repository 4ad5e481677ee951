/** Time and chance, as far as asking a model depends on them. */
export interface ModelClock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Runs something later. Returns how to call it off. */
	after(delayMs: number, run: () => void): () => void;
	/** From 0 to below 1. */
	random(): number;
}

/** Those of the machine. */
export const SYSTEM_CLOCK: ModelClock = {
	now: () => Date.now(),
	after: (delayMs, run) => {
		const timer = setTimeout(run, delayMs);
		return () => clearTimeout(timer);
	},
	random: () => Math.random(),
};
