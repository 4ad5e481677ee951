import { type Clock, SYSTEM_CLOCK } from "@segue/text";

/** The time and randomness that model requests depend on. `now` is wall-clock time. */
export interface ModelClock extends Clock {
	/** Returns a number in [0, 1). */
	random(): number;
}

export const MODEL_CLOCK: ModelClock = { ...SYSTEM_CLOCK, random: () => Math.random() };
