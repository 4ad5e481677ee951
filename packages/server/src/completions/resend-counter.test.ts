import { FakeClock } from "@segue/testing/clock";
import { expect, test } from "vitest";
import { ResendCounter } from "./resend-counter.js";

const of = (file: string, suggestion: string, written = 0) => ({ file, suggestion, written });

function sendThrice(unapplied: ResendCounter, file: string, suggestion: string): void {
	for (let i = 0; i < 3; i++) unapplied.sent(of(file, suggestion), `prompt ${i}`);
}

test("forgets the file that was used longest ago, and the oldest suggestions of a file", () => {
	const unapplied = new ResendCounter(() => 0);
	sendThrice(unapplied, "first", "a");
	for (let i = 0; i < 499; i++) sendThrice(unapplied, `file ${i}`, "a");
	expect(unapplied.isDropped(of("first", "a"))).toBe(true);
	sendThrice(unapplied, "one more", "a");
	expect(unapplied.isDropped(of("first", "a"))).toBe(false);
	expect(unapplied.isDropped(of("file 0", "a"))).toBe(true);
	for (let i = 0; i < 31; i++) sendThrice(unapplied, "file 0", `suggestion ${i}`);
	expect(unapplied.isDropped(of("file 0", "a"))).toBe(true);
	sendThrice(unapplied, "file 0", "the last");
	expect(unapplied.isDropped(of("file 0", "a"))).toBe(false);
});

test("begins anew when the document has more of what was suggested", () => {
	const unapplied = new ResendCounter(() => 0);
	sendThrice(unapplied, "a.ts", "save");
	expect(unapplied.isDropped(of("a.ts", "save", 0))).toBe(true);
	expect(unapplied.isDropped(of("a.ts", "save", 1))).toBe(false);
	unapplied.sent(of("a.ts", "save", 1), "next");
	expect(unapplied.isDropped(of("a.ts", "save", 1))).toBe(false);
});

test("forgets a suggestion after ten minutes, whatever else is sent for the file", () => {
	const clock = new FakeClock();
	const unapplied = new ResendCounter(clock.now);
	sendThrice(unapplied, "a.ts", "one");
	clock.advance(6 * 60_000);
	sendThrice(unapplied, "a.ts", "other");
	expect(unapplied.isDropped(of("a.ts", "one"))).toBe(true);
	clock.advance(5 * 60_000);
	expect(unapplied.isDropped(of("a.ts", "one"))).toBe(false);
	expect(unapplied.isDropped(of("a.ts", "other"))).toBe(true);
});
