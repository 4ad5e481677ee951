import { expect, test } from "vitest";
import { ProgressBar } from "./progress-bar.js";

/** Returns the output after `done` cases, one every `stepMs`. */
function drawn(isTTY: boolean, total: number, done: number, stepMs: number): string[] {
	const written: string[] = [];
	let now = 0;
	const bar = new ProgressBar({ isTTY, write: (text) => written.push(text) }, total, () => now);
	for (let i = 0; i < done; i++) {
		now += stepMs;
		bar.advance();
	}
	bar.end();
	return written;
}

test("redraws one line in a terminal and ends it with a newline", () => {
	const written = drawn(true, 3, 3, 1000);
	expect(written[0]).toBe("\r██████████░░░░░░░░░░░░░░░░░░░░ 1 of 3 cases, 1 s, about 2 s left\x1b[K");
	expect(written.slice(2)).toEqual(["\r██████████████████████████████ 3 of 3 cases, 3 s\x1b[K", "\n"]);
});

test("limits redraws in a terminal, but always draws the final state", () => {
	expect(drawn(true, 1000, 1000, 1)).toHaveLength(12);
});

test("writes at most ten lines to a log", () => {
	expect(drawn(false, 4, 4, 500)).toHaveLength(4);
	const written = drawn(false, 1000, 1000, 5);
	expect(written).toHaveLength(10);
	expect(written[0]).toBe("100 of 1000 cases, 1 s, about 5 s left\n");
});

test("writes nothing if no case is done", () => {
	expect(drawn(true, 5, 0, 1)).toEqual([]);
});
