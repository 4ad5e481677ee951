import { Worker } from "node:worker_threads";
import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { afterEach, expect, test, vi } from "vitest";
import { Matcher } from "../search/matcher.js";
import { startMatchWorker } from "./start-match-worker.js";

const never = new AbortController().signal;
const clock = new FakeClock();
const matcher = new Matcher(startMatchWorker, clock);
afterEach(() => {
	matcher.stop();
	vi.restoreAllMocks();
});

const pattern = (search: string) => ({ search, replace: "<$&>", isRegex: true });

test("a worker finds matches", async () => {
	expect(await matcher.find(pattern("b+"), "abba", never)).toEqual([{ from: 1, to: 3, insert: "<bb>" }]);
	expect(await matcher.find(pattern("^"), "é\n😀", never)).toEqual([
		{ from: 0, to: 0, insert: "<>" },
		{ from: 2, to: 2, insert: "<>" },
	]);
});

test("a worker busy with a catastrophic pattern is terminated, and the next search works", async () => {
	const posted = vi.spyOn(Worker.prototype, "postMessage");
	const ended = vi.spyOn(Worker.prototype, "terminate");
	expect(await matcher.find(pattern("a"), "a", never)).toHaveLength(1);
	// The search time doubles with every letter, so a hundred letters take practically forever.
	const found = matcher.find(pattern("^(a+)+$"), `${"a".repeat(100)}!`, never);
	const failure = expect(found).rejects.toMatchObject({ kind: "slow" });
	await settled();
	await isBusy(posted.mock.contexts[0] as Worker);
	clock.advance(1000);
	await failure;
	expect(ended).toHaveBeenCalledOnce();
	await ended.mock.results[0]?.value;

	expect(await matcher.find(pattern("a"), "a", never)).toHaveLength(1);
});

/** Resolves once an idle thread has become busy and stays busy. */
async function isBusy({ performance }: Worker): Promise<void> {
	const { active } = performance.eventLoopUtilization();
	while (performance.eventLoopUtilization().active < active + 20) await settled();
}

test("a worker that fails rejects its search", async () => {
	const posted = vi.spyOn(Worker.prototype, "postMessage");
	const found = matcher.find(pattern("a"), "a", never);
	const failure = expect(found).rejects.toMatchObject({
		kind: "failed",
		message: "The search failed: out of memory",
	});
	await settled();
	(posted.mock.contexts[0] as Worker).emit("error", new Error("out of memory"));
	await failure;
});
