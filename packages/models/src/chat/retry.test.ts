import { FakeClock } from "@segue/testing/clock";
import { describe, expect, it } from "vitest";
import { TemporaryFailure } from "../failure.js";
import { backOff, pause, TRIES_MAX } from "./chat-model.js";

describe("Retries", () => {
	it.each<[tries: number, random: number, afterMs: number | undefined]>([
		[1, 0, 500],
		[1, 0.999, 1000],
		[2, 0, 1000],
		[3, 0.5, 3000],
		[TRIES_MAX - 1, 0.999, 7996],
		[TRIES_MAX, 0, undefined],
	])("after try %d with the random number %d wait for %s ms", (tries, random, afterMs) => {
		expect(backOff(failure(undefined), tries, random)).toBe(afterMs);
	});

	it.each<[askedMs: number, afterMs: number | undefined]>([
		[0, 0],
		[7000, 7000],
		[60_000, 60_000],
		[60_001, undefined],
	])("with a Retry-After of %d ms wait for %s ms", (askedMs, afterMs) => {
		expect(backOff(failure(askedMs), 1, 0.5)).toBe(afterMs);
		expect(backOff(failure(askedMs), TRIES_MAX, 0.5)).toBeUndefined();
	});

	it("leave no timer behind when cancelled", async () => {
		const clock = new FakeClock();
		const timers = new Set<() => void>();
		const after = (delayMs: number, run: () => void) => {
			const cancel = clock.after(delayMs, run);
			timers.add(run);
			return () => {
				timers.delete(run);
				cancel();
			};
		};
		const stop = new AbortController();
		const waiting = pause(1000, { now: clock.now, after, random: () => 0 }, stop.signal);
		stop.abort(new Error("enough"));
		await expect(waiting).rejects.toThrow("enough");
		expect(timers.size).toBe(0);
	});
});

function failure(retryAfter: number | undefined): TemporaryFailure {
	return new TemporaryFailure("busy", "Busy.", retryAfter);
}
