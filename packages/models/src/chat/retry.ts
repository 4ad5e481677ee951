import type { Clock } from "../clock.js";
import type { PassingFailure } from "../failure.js";

/** Providers recover within seconds or not for long: after about half a minute a person would rather know. */
export const TRIES_MAX = 5;

/** The first wait, which doubles with every try. */
const BACK_OFF_MS = 1000;

/** A provider that wants more than this is not waited for: the person is told how long it asks for. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * How long to wait before the next try, or undefined if there should be none. Without a word of the provider it is between half
 * and all of the doubling time, so that many who were refused at once do not come back at once.
 */
export function backOff(failure: PassingFailure, tries: number, random: number): number | undefined {
	if (tries >= TRIES_MAX) return undefined;
	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= RETRY_AFTER_MS_MAX ? failure.retryAfterMs : undefined;
	}
	const doubled = BACK_OFF_MS * 2 ** (tries - 1);
	return Math.round((doubled * (1 + random)) / 2);
}

/** Waits, unless the signal is aborted: then it throws the signal's reason at once. */
export function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		function abort() {
			callOff();
			reject(signal.reason);
		}
		const callOff = clock.after(delayMs, () => {
			signal.removeEventListener("abort", abort);
			resolve();
		});
		if (signal.aborted) abort();
		else signal.addEventListener("abort", abort, { once: true });
	});
}
