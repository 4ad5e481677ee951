import { FakeClock } from "@segue/testing/clock";
import { deferred, settled } from "@segue/testing/rpc/peers";
import { expect, test } from "vitest";
import { withTimeout } from "./shutdown.js";

/** What waiting has come to by now. */
function watch(ending: Promise<void>, clock: FakeClock): { said: unknown } {
	const watched: { said: unknown } = { said: undefined };
	withTimeout(ending, clock.after).then(
		(said) => {
			watched.said = said;
		},
		(error) => {
			watched.said = error;
		},
	);
	return watched;
}

test("what ends is waited for, and leaves nothing behind", async () => {
	const clock = new FakeClock();
	const { opened, open } = deferred();
	const watched = watch(opened, clock);
	clock.advance(1_999);
	await settled();
	expect(watched.said).toBeUndefined();
	open();
	await settled();
	expect(watched.said).toBe(true);
	expect(clock.isIdle).toBe(true);
});

test("what does not end is waited for no longer than two seconds", async () => {
	const clock = new FakeClock();
	const watched = watch(new Promise(() => {}), clock);
	clock.advance(2_000);
	await settled();
	expect(watched.said).toBe(false);
});

test("what fails to end is no secret", async () => {
	const error = new Error("no");
	const watched = watch(Promise.reject(error), new FakeClock());
	await settled();
	expect(watched.said).toBe(error);
});
