import net from "node:net";
import { expect, test } from "vitest";
import { Places } from "./places.js";

function setUp() {
	const calledOff = new Set<number>();
	const timers: (() => void)[] = [];
	const places = new Places((_delayMs, run) => {
		const index = timers.push(run) - 1;
		return () => calledOff.add(index);
	});
	const open = () => {
		const socket = new net.Socket();
		places.add(socket);
		return socket;
	};
	const pass = () => {
		for (const [i, run] of timers.entries()) if (!calledOff.has(i)) run();
	};
	return { places, open, pass };
}

test("a connection that sends nothing gives way to a new one, the oldest first", () => {
	const { open } = setUp();
	const silent = Array.from({ length: 64 }, open);
	open();
	expect(silent.map(({ destroyed }) => destroyed)).toEqual([true, ...Array(63).fill(false)]);
});

test("any number of connections without the token leave one with the token alone", () => {
	const { places, open, pass } = setUp();
	const window = open();
	expect(places.admit(window)).toBe(true);
	for (let i = 0; i < 1000; i++) open();
	pass();
	expect(window.destroyed).toBe(false);
	const another = open();
	expect(places.admit(another)).toBe(true);
	expect(another.destroyed).toBe(false);
});

test("a connection has to send a request in time", () => {
	const { places, open, pass } = setUp();
	const [silent, visitor, window] = [open(), open(), open()];
	places.requested(visitor);
	places.admit(window);
	pass();
	expect([silent.destroyed, visitor.destroyed, window.destroyed]).toEqual([true, false, false]);
});

test("a connection that made a request outlives older ones that made none", () => {
	const { places, open } = setUp();
	const visitor = open();
	const silent = Array.from({ length: 63 }, open);
	places.requested(visitor);
	for (let i = 0; i < 63; i++) open();
	expect(silent.every(({ destroyed }) => destroyed)).toBe(true);
	expect(visitor.destroyed).toBe(false);
});

test("connections with the token are bounded, and a closed one frees its place", async () => {
	const { places, open } = setUp();
	const windows = Array.from({ length: 256 }, open);
	for (const window of windows) expect(places.admit(window)).toBe(true);
	const late = open();
	expect(places.admit(late)).toBe(false);
	const [first] = windows as [net.Socket];
	first.destroy();
	await new Promise((resolve) => first.once("close", resolve));
	expect(places.admit(late)).toBe(true);
});
