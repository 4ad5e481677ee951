import { type Clock, SYSTEM_CLOCK } from "@segue/text";

/** Time and chance, as far as requests to a model depend on them. `now` is the time of day. */
export interface ModelClock extends Clock {
	/** From 0 to below 1. */
	random(): number;
}

export const MODEL_CLOCK: ModelClock = { ...SYSTEM_CLOCK, random: () => Math.random() };
