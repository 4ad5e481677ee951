import { execFile } from "node:child_process";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { Isolation } from "./isolation.js";

/** Returns a WebSocket that records whether it was dropped. */
function fakeSocket() {
	const fake = { isDropped: false, terminate: () => (fake.isDropped = true) };
	return fake as typeof fake & WebSocket;
}

test("an error in a connection's turn drops only that connection", () => {
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

test("an uncaught exception is attributed only to the connection that was being read", () => {
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
	isolation.handle(new Error("failed"));
	expect([bad.isDropped, good.isDropped]).toEqual([true, false]);
	// The next error is not attributed to that connection.
	isolation.handle(new Error("elsewhere"));
	expect(good.isDropped).toBe(false);
});

test("an error in a connection's asynchronous work drops only that connection", async () => {
	// The test runner handles uncaught exceptions itself, so they are thrown in another process.
	const program = `
		import { readFile } from "node:fs";
		import { Isolation } from ${JSON.stringify(import.meta.resolve("./isolation.js"))};
		const isolation = new Isolation(() => {});
		const dropped = [];
		process.on("uncaughtException", (error) => isolation.handle(error));
		const works = {
			timer: () => setTimeout(() => { throw new Error("failed"); }),
			callback: () => readFile(".", () => { throw new Error("failed"); }),
			rejection: () => void (async () => { await null; throw new Error("failed"); })(),
			good: () => setTimeout(() => {}),
		};
		for (const [name, work] of Object.entries(works)) isolation.run({ terminate: () => dropped.push(name) }, work);
		for (let i = 0; i < 20; i++) setTimeout(() => { throw new Error("elsewhere"); });
		process.on("exit", () => console.log(dropped.sort().join(" ")));`;
	const args = [`--import=${import.meta.resolve("tsx")}`, "--input-type=module", "--eval", program];
	const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
	expect(stdout).toBe("callback rejection timer\n");
});

test("logs any number of errors that belong to no connection", () => {
	const log: string[] = [];
	const isolation = new Isolation((line) => log.push(line));
	const socket = fakeSocket();
	isolation.run(socket, () => {});
	for (let i = 0; i < 100; i++) isolation.handle(new Error("failed"));
	expect(log).toEqual(Array(100).fill(expect.stringMatching(/^internal error: Error: failed/)));
	expect(socket.isDropped).toBe(false);
});
