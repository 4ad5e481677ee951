import { FakeClock } from "@segue/testing/clock";
import { expect, it } from "vitest";
import { PendingModelRequests } from "./pending-requests.js";

it("The oldest pending request is aborted for a newer one", () => {
	const { begin } = start();
	const [first, second] = [begin(), begin()];
	expect(first.signal.aborted).toBe(false);
	const third = begin();
	expect(first.signal.reason).toMatchObject({ name: "AbortError", message: "superseded by a newer request" });
	expect([second, third].map(({ signal }) => signal.aborted)).toEqual([false, false]);
});

it("A finished request makes room and is never aborted", () => {
	const { begin, clock } = start();
	const [first, second] = [begin(), begin()];
	first.end();
	begin();
	clock.advance(1000);
	expect(first.signal.aborted).toBe(false);
	expect(second.signal.reason).toEqual(new Error("late"));
});

it("A cancelled request makes room immediately", () => {
	const { begin, clock } = start();
	const caller = new AbortController();
	const first = begin(caller.signal);
	const second = begin();
	caller.abort(new Error("enough"));
	expect(first.signal.reason).toEqual(new Error("enough"));
	begin();
	expect(second.signal.aborted).toBe(false);
	second.end();
	clock.advance(1000);
	expect(clock.isIdle).toBe(true);
});

function start() {
	const clock = new FakeClock();
	const pending = new PendingModelRequests(2, { ...clock, random: () => 0 });
	const begin = (outer = new AbortController().signal) => {
		const request = pending.begin(outer);
		request.limit(1000, () => new Error("late"));
		return request;
	};
	return { begin, clock };
}
