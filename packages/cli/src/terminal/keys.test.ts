import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { FakeClock } from "@segue/testing/clock";
import { expect, test } from "vitest";
import { Keys } from "./keys.js";

function sit() {
	const input = Object.assign(new PassThrough(), { isRaw: false, setRawMode });
	function setRawMode(isRaw: boolean) {
		input.isRaw = isRaw;
		return input;
	}
	let interrupts = 0;
	let written = "";
	const output = { write: (text: string) => (written += text) };
	const clock = new FakeClock();
	const keys = new Keys(input as unknown as ReadStream, output, false, () => interrupts++, clock.after);
	return { input, keys, clock, interrupts: () => interrupts, written: () => written };
}

const { signal } = new AbortController();

test("next ignores keys pressed before the call", async () => {
	const { input, keys } = sit();
	input.write("y");
	const next = keys.next(signal);
	input.write("n");
	expect(await next).toBe("n");
});

test("quiet resolves half a second after the last key", async () => {
	const { input, keys, clock } = sit();
	let isQuiet = false;
	const quiet = keys.quiet(signal).then(() => {
		isQuiet = true;
	});
	const waited: boolean[] = [];
	for (const [key, delayMs] of [
		["a", 499],
		["s", 400],
		["", 99],
		["", 1],
	] as const) {
		input.write(key);
		clock.advance(delayMs);
		// Let pending promises settle.
		await new Promise((resolve) => setImmediate(resolve));
		waited.push(isQuiet);
	}
	expect(waited).toEqual([false, false, false, true]);
	await quiet;
	const next = keys.next(signal);
	input.write("n");
	expect(await next).toBe("n");
	const stop = new AbortController();
	const cancelled = keys.quiet(stop.signal);
	stop.abort(new Error("enough"));
	await expect(cancelled).rejects.toThrow("enough");
});

test("next ignores pasted text", async () => {
	const { input, keys } = sit();
	const next = keys.next(signal);
	input.write("\x1b[200~y\ny\x1b[201~");
	input.write("s");
	expect(await next).toBe("s");
});

test("Ctrl-C interrupts and is not returned as a key", async () => {
	const { input, keys, interrupts } = sit();
	const next = keys.next(signal);
	input.write("\x03n");
	expect([await next, interrupts()]).toEqual(["n", 1]);
});

test("next rejects if the turn is cancelled or the terminal is closed", async () => {
	const { input, keys, interrupts } = sit();
	const stop = new AbortController();
	const cancelled = keys.next(stop.signal);
	stop.abort(new Error("enough"));
	await expect(cancelled).rejects.toThrow("enough");
	await expect(keys.next(stop.signal)).rejects.toThrow("enough");
	const next = keys.next(signal);
	input.end();
	await expect(next).rejects.toThrow("The terminal was closed.");
	await expect(keys.next(signal)).rejects.toThrow("The terminal was closed.");
	expect(interrupts()).toBe(1);
});

test("close restores the terminal", () => {
	const { input, keys, written } = sit();
	expect([input.isRaw, written()]).toEqual([true, "\x1b[?2004h"]);
	keys.close();
	expect([input.isRaw, input.isPaused(), written()]).toEqual([false, true, "\x1b[?2004h\x1b[?2004l"]);
	expect(input.listenerCount("keypress")).toBe(0);
});
