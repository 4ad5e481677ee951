import { expect, test } from "vitest";
import { FakeClock } from "./clock.js";

test("runs due timers in order, including those started by other timers", () => {
	const clock = new FakeClock();
	const seen: string[] = [];
	const note = (name: string) => () => seen.push(`${name} at ${clock.now()}`);
	clock.after(30, note("late"));
	clock.after(10, () => {
		note("early")();
		clock.after(10, note("nested"));
	});
	clock.after(20, note("cancelled"))();
	clock.after(41, note("not yet"));
	clock.advance(40);
	expect(seen).toEqual(["early at 10", "nested at 20", "late at 30"]);
	expect(clock.now()).toBe(40);
});
