import { expect, test } from "vitest";
import { LogLimit } from "./standard-error-log.js";

function setUp() {
	const lines: string[] = [];
	const timers = new Set<() => void>();
	const clock = { now: 0 };
	const log = new LogLimit(
		(line) => lines.push(line),
		() => clock.now,
		(_delayMs, run) => {
			timers.add(run);
			return () => timers.delete(run);
		},
	);
	return { lines, timers, clock, log };
}

test("suppresses a flood of log lines and logs how many there were", () => {
	const { lines, timers, log } = setUp();
	for (let i = 0; i < 100_000; i++) log.log(`line ${i}`);
	expect(lines).toHaveLength(200);
	for (const run of timers) run();
	expect(lines.at(-1)).toBe("99800 messages suppressed");
	log.flush();
	expect(lines).toHaveLength(201);
});

test("writes lines again after a pause, after the summary", () => {
	const { lines, clock, log } = setUp();
	for (let i = 0; i < 201; i++) log.log("line");
	clock.now = 1000;
	for (let i = 0; i < 3; i++) log.log("later");
	expect(lines.slice(200)).toEqual(["1 message suppressed", "later", "later"]);
	clock.now = 1e6;
	for (let i = 0; i < 1000; i++) log.log("much later");
	expect(lines.filter((line) => line === "much later")).toHaveLength(200);
});

test("cuts a long line", () => {
	const { lines, log } = setUp();
	log.log("x".repeat(100_000));
	expect(lines[0]).toHaveLength(4097);
});
