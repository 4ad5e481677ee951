import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { Isolation } from "./isolation.js";

/** A WebSocket that records that it was dropped. */
function fakeSocket() {
	const fake = { isDropped: false, terminate: () => (fake.isDropped = true) };
	return fake as typeof fake & WebSocket;
}

test("an error in a turn of a connection drops only that connection", () => {
	const log: string[] = [];
	const isolation = new Isolation((line) => log.push(line));
	const [bad, good] = [fakeSocket(), fakeSocket()];
	isolation.run(good, () => {});
	isolation.run(bad, () => {
		throw new Error("failed");
	});
	expect([bad.isDropped, good.isDropped]).toEqual([true, false]);
	expect(log).toEqual([expect.stringContaining("Error: failed")]);
});

test("an uncaught exception is attributed to the connection that was being read, and to no other", () => {
	const isolation = new Isolation(() => {});
	const [bad, good] = [fakeSocket(), fakeSocket()];
	const streams = new Map([bad, good].map((socket) => [socket, new PassThrough()]));
	for (const [socket, stream] of streams) {
		stream.on("data", () => {
			if (socket === bad) throw new Error("failed");
		});
		isolation.watch(socket, stream);
	}
	streams.get(good)?.emit("data", "a");
	expect(() => streams.get(bad)?.emit("data", "a")).toThrow("failed");
	expect(isolation.handle(new Error("failed"))).toBe(true);
	expect([bad.isDropped, good.isDropped]).toEqual([true, false]);
	// The next one has nothing to do with that connection.
	expect(isolation.handle(new Error("elsewhere"))).toBe(true);
	expect(good.isDropped).toBe(false);
});

test("many errors that belong to no connection within a minute end the process", () => {
	let now = 0;
	const isolation = new Isolation(
		() => {},
		() => now,
	);
	for (let i = 0; i < 10; i++) expect(isolation.handle(new Error("failed"))).toBe(true);
	expect(isolation.handle(new Error("failed"))).toBe(false);
	now = 120_000;
	expect(isolation.handle(new Error("failed"))).toBe(true);
});
