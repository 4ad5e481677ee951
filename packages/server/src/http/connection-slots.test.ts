import net from "node:net";
import { FakeClock } from "@segue/testing/clock";
import { expect, test } from "vitest";
import { ConnectionSlots } from "./connection-slots.js";

function setUp() {
	const clock = new FakeClock();
	const places = new ConnectionSlots(clock);
	const open = () => {
		const socket = new net.Socket();
		places.add(socket);
		return socket;
	};
	return { places, open, clock };
}

const left = (sockets: readonly net.Socket[]) => sockets.filter(({ destroyed }) => !destroyed);

test("closes the oldest idle connection to make room for a new one", () => {
	const { open, clock } = setUp();
	const silent = Array.from({ length: 64 }, open);
	clock.advance(250);
	open();
	expect(silent.map(({ destroyed }) => destroyed)).toEqual([true, ...Array(63).fill(false)]);
});

test("connections without the token never cause one with the token to be closed", () => {
	const { places, open, clock } = setUp();
	const window = open();
	expect(places.admit(window)).toBe(true);
	for (let i = 0; i < 1000; i++) open();
	clock.advance(60_000);
	expect(window.destroyed).toBe(false);
	const another = open();
	expect(places.admit(another)).toBe(true);
	expect(another.destroyed).toBe(false);
});

test("a flood of connections does not disconnect a client whose token arrives one round trip later", () => {
	const { places, open, clock } = setUp();
	const before = Array.from({ length: 64 }, open);
	clock.advance(250);
	const client = open();
	const flood = Array.from({ length: 500 }, open);
	expect(left(before)).toEqual([]);
	clock.advance(249);
	flood.push(...Array.from({ length: 300 }, open));
	expect(places.admit(client)).toBe(true);
	clock.advance(250);
	expect(left(flood)).toEqual(flood.slice(-64));
	expect(client.destroyed).toBe(false);
});

test("limits new connections as well", () => {
	const { open } = setUp();
	const flood = Array.from({ length: 1100 }, open);
	expect(left(flood).length).toBe(1024);
	expect(left(flood.slice(-1024)).length).toBe(1024);
});

test("closes a connection that sends no request in time", () => {
	const { places, open, clock } = setUp();
	const [silent, visitor, window] = [open(), open(), open()];
	places.requested(visitor);
	places.admit(window);
	clock.advance(10_000);
	expect([silent.destroyed, visitor.destroyed, window.destroyed]).toEqual([true, false, false]);
});

test("a connection that has made a request outlives older idle connections", () => {
	const { places, open, clock } = setUp();
	const visitor = open();
	const silent = Array.from({ length: 63 }, open);
	places.requested(visitor);
	for (let i = 0; i < 63; i++) open();
	clock.advance(250);
	expect(left(silent)).toEqual([]);
	expect(visitor.destroyed).toBe(false);
});

test("limits connections with the token, and reuses the slot of a closed connection", async () => {
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
