import { FakeClock } from "@segue/testing/clock";
import { expect, it } from "vitest";
import { PendingModelRequests } from "./pending-requests.js";

it("Only so many requests are under way: the oldest is given up for a newer one", () => {
	const { begin } = start();
	const [first, second] = [begin(), begin()];
	expect(first.signal.aborted).toBe(false);
	const third = begin();
	expect(first.signal.reason).toMatchObject({ name: "AbortError", message: "a newer request took its place" });
	expect([second, third].map(({ signal }) => signal.aborted)).toEqual([false, false]);
});

it("A request that has ended makes room, and cannot be given up any more", () => {
	const { begin, clock } = start();
	const [first, second] = [begin(), begin()];
	first.end();
	begin();
	clock.advance(1000);
	expect(first.signal.aborted).toBe(false);
	expect(second.signal.reason).toEqual(new Error("late"));
});

it("A request whose caller leaves makes room at once", () => {
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
	const flights = new PendingModelRequests(2, { ...clock, random: () => 0 });
	const begin = (outer = new AbortController().signal) => {
		const flight = flights.begin(outer);
		flight.limit(1000, () => new Error("late"));
		return flight;
	};
	return { begin, clock };
}
