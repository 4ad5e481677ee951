import { FakeClock } from "@segue/testing/clock";
import { expect, test } from "vitest";
import { ResendCounter } from "./resend-counter.js";

const of = (file: string, suggestion: string, written = 0) => ({ file, suggestion, written });

function sendThrice(counter: ResendCounter, file: string, suggestion: string): void {
	for (let i = 0; i < 3; i++) counter.sent(of(file, suggestion), `prompt ${i}`);
}

test("evicts the least recently used file, and the oldest suggestions for a file", () => {
	const counter = new ResendCounter(() => 0);
	sendThrice(counter, "first", "a");
	for (let i = 0; i < 499; i++) sendThrice(counter, `file ${i}`, "a");
	expect(counter.isDropped(of("first", "a"))).toBe(true);
	sendThrice(counter, "one more", "a");
	expect(counter.isDropped(of("first", "a"))).toBe(false);
	expect(counter.isDropped(of("file 0", "a"))).toBe(true);
	for (let i = 0; i < 31; i++) sendThrice(counter, "file 0", `suggestion ${i}`);
	expect(counter.isDropped(of("file 0", "a"))).toBe(true);
	sendThrice(counter, "file 0", "the last");
	expect(counter.isDropped(of("file 0", "a"))).toBe(false);
});

test("resets the count once the suggestion has been applied", () => {
	const counter = new ResendCounter(() => 0);
	sendThrice(counter, "a.ts", "save");
	expect(counter.isDropped(of("a.ts", "save", 0))).toBe(true);
	expect(counter.isDropped(of("a.ts", "save", 1))).toBe(false);
	counter.sent(of("a.ts", "save", 1), "next");
	expect(counter.isDropped(of("a.ts", "save", 1))).toBe(false);
});

test("forgets a suggestion after ten minutes, even if others are sent for the same file", () => {
	const clock = new FakeClock();
	const counter = new ResendCounter(clock.now);
	sendThrice(counter, "a.ts", "one");
	clock.advance(6 * 60_000);
	sendThrice(counter, "a.ts", "other");
	expect(counter.isDropped(of("a.ts", "one"))).toBe(true);
	clock.advance(5 * 60_000);
	expect(counter.isDropped(of("a.ts", "one"))).toBe(false);
	expect(counter.isDropped(of("a.ts", "other"))).toBe(true);
});
