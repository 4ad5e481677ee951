import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { withTimeout } from "./shutdown.js";

/** Records the result or the error of `withTimeout`. */
function watch(ending: Promise<void>, clock: FakeClock): { result: unknown } {
	const watched: { result: unknown } = { result: undefined };
	withTimeout(ending, clock.after).then(
		(result) => {
			watched.result = result;
		},
		(error) => {
			watched.result = error;
		},
	);
	return watched;
}

test("waits for work to end and clears its timer", async () => {
	const clock = new FakeClock();
	const { opened, open } = deferred();
	const watched = watch(opened, clock);
	clock.advance(1_999);
	await settled();
	expect(watched.result).toBeUndefined();
	open();
	await settled();
	expect(watched.result).toBe(true);
	expect(clock.isIdle).toBe(true);
});

test("stops waiting after two seconds", async () => {
	const clock = new FakeClock();
	const watched = watch(new Promise(() => {}), clock);
	clock.advance(2_000);
	await settled();
	expect(watched.result).toBe(false);
});

test("rejects if the work fails", async () => {
	const error = new Error("no");
	const watched = watch(Promise.reject(error), new FakeClock());
	await settled();
	expect(watched.result).toBe(error);
});
