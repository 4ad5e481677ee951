import { expect, test } from "vitest";
import { FakeClock } from "./clock.js";

test("the clock runs what is due in the order of its time, and what that starts in turn", () => {
	const clock = new FakeClock();
	const seen: string[] = [];
	const note = (name: string) => () => seen.push(`${name} at ${clock.now()}`);
	clock.after(30, note("late"));
	clock.after(10, () => {
		note("early")();
		clock.after(10, note("in turn"));
	});
	clock.after(20, note("called off"))();
	clock.after(41, note("not yet"));
	clock.advance(40);
	expect(seen).toEqual(["early at 10", "in turn at 20", "late at 30"]);
	expect(clock.now()).toBe(40);
});
