import { readFileSync } from "node:fs";
import { ChatFixture, calls, says } from "@segue/testing/chat/chat-fixture";
import { WAIT } from "@segue/testing/setup/tier";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Job, Jobs } from "./jobs.js";

/** Prints, then runs until it is killed. */
const SERVES = "echo ready; echo careful >&2; exec sleep 1000";

function started(): { jobs: Jobs; start: (command: string, threadId?: string) => Job } {
	const jobs = new Jobs(() => new Date(0));
	onTestFinished(() => jobs.close());
	const start = (command: string, threadId = "t") => {
		return jobs.of(threadId).start(command, process.cwd(), { PATH: process.env["PATH"] ?? "" });
	};
	return { jobs, start };
}

/** Resolves when the condition is true. */
function until(jobs: Jobs, isThere: () => boolean): Promise<void> {
	return new Promise((resolve) => {
		const look = () => {
			if (isThere()) resolve();
		};
		onTestFinished(jobs.watch(look));
		look();
	});
}

const statusOf = (jobs: Jobs, id: string) => jobs.list().find((job) => job.id === id)?.status;

/** Whether a process is running. A process that has ended remains a zombie until its parent, or init, reaps it. */
function isRunning(pid: number): boolean {
	try {
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
}

describe.skipIf(process.platform !== "linux")("a background job", () => {
	test.each([
		["true", "completed", 0],
		["exit 3", "failed", 3],
	])("running `%s` ends with status %s", async (command, status, exitCode) => {
		const { jobs, start } = started();
		const { id } = start(command);
		expect(jobs.list()).toMatchObject([{ id: "job-1", status: "running", command, threadId: "t" }]);
		await until(jobs, () => statusOf(jobs, id) !== "running");
		expect(jobs.list()).toMatchObject([{ id, status, exitCode, endedAt: new Date(0) }]);
		expect(jobs.kill(id)).toBe(false);
	});

	test("keeps its lines with their streams, including an unterminated last line", async () => {
		const { jobs, start } = started();
		const { id } = start("echo one; printf two; sleep 0; echo three >&2");
		await until(jobs, () => statusOf(jobs, id) !== "running");
		expect(jobs.output(id)?.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
			{ text: "one", stream: "stdout" },
			{ text: "three", stream: "stderr" },
			{ text: "two", stream: "stdout" },
		]);
	});

	test("keeps only the end of long output", async () => {
		const { jobs, start } = started();
		const { id } = start("yes | head -n 20000; head -c 100000 /dev/zero | tr '\\0' x; echo; echo last");
		await until(jobs, () => statusOf(jobs, id) !== "running");
		const lines = jobs.output(id) ?? [];
		expect(lines.at(-1)?.text).toBe("last");
		expect(lines.length).toBeLessThanOrEqual(4_000);
		expect(Math.max(...lines.map(({ text }) => text.length))).toBe(2_000);
	});

	test("keeps only the end of output with long lines", async () => {
		const { jobs, start } = started();
		const { id } = start("yes $(head -c 1900 /dev/zero | tr '\\0' x) | head -n 1000; echo last");
		await until(jobs, () => statusOf(jobs, id) !== "running");
		const lines = jobs.output(id) ?? [];
		expect(lines.at(-1)?.text).toBe("last");
		const chars = lines.reduce((sum, { text }) => sum + text.length, 0);
		expect(chars).toBeGreaterThan(100_000);
		expect(chars).toBeLessThanOrEqual(256 * 1024);
	});

	test("is killed once, with its children", async () => {
		const { jobs, start } = started();
		const { id } = start(`sleep 1000 & echo $!; ${SERVES}`);
		await vi.waitUntil(() => jobs.output(id)?.length, WAIT);
		const child = Number(jobs.output(id)?.[0]?.text);
		expect(isRunning(child)).toBe(true);
		expect([jobs.kill(id), jobs.kill(id)]).toEqual([true, false]);
		await until(jobs, () => statusOf(jobs, id) === "killed");
		await vi.waitUntil(() => !isRunning(child), WAIT);
	});

	test("is killed with its own thread, but not with another", async () => {
		const { jobs, start } = started();
		start(SERVES, "one");
		const other = start(SERVES, "two");
		expect([jobs.of("one").kill(other.id), jobs.of("one").output(other.id)]).toEqual([false, undefined]);
		await jobs.release("one");
		expect(jobs.list()).toMatchObject([{ id: other.id, status: "running" }]);
		await jobs.close();
		expect(jobs.list()).toEqual([]);
	});

	test("is refused if too many are running, and ended jobs are eventually dropped", async () => {
		const { jobs, start } = started();
		for (let i = 0; i < 10; i++) start(SERVES);
		expect(() => start("true")).toThrow(/10 background jobs are already running/);
		jobs.kill("job-1");
		await until(jobs, () => statusOf(jobs, "job-1") === "killed");
		for (let i = 0; i < 41; i++) {
			const { id } = start("true");
			await until(jobs, () => statusOf(jobs, id) !== "running");
		}
		expect(jobs.list()).toHaveLength(50);
		expect(statusOf(jobs, "job-1")).toBeUndefined();
	});
});

describe.skipIf(process.platform !== "linux")("a model", () => {
	test("starts a job, reads its output and stops it, with approval only for the command", async () => {
		const chat = await ChatFixture.begin({
			answers: [
				calls(["run_command", { command: SERVES, background: true }]),
				calls(["background_jobs", { action: "list" }]),
				calls(["background_jobs", { action: "kill", job: "job-1" }]),
				calls(["background_jobs", { action: "output", job: "job-1" }]),
				calls(["background_jobs", { action: "output", job: "job-9" }]),
				calls(["background_jobs", { action: "kill" }]),
				says("Done."),
			],
		});
		await chat.prompt("Serve it");
		expect(chat.questions.map(({ permission }) => permission)).toEqual([{ kind: "command", subject: SERVES }]);
		const results = (await chat.lines()).filter((line) => /^(done|failed): /.test(line));
		expect(results).toEqual([
			expect.stringMatching(/^done: Run .* in the background: Started as job-1\./),
			`done: List background jobs: job-1: running: ${SERVES}`,
			"done: Stop job-1: Stopped job-1.",
			expect.stringMatching(/^done: Read the output of job-1: job-1: (running|killed).*\n/),
			"failed: Read the output of job-9: Unknown job job-9.",
			"failed: Stop a background job: The job id is missing.",
		]);
		expect(chat.assist.jobs.list()).toHaveLength(1);
		await chat.assist.release(chat.thread.id);
		expect(chat.assist.jobs.list()).toEqual([]);
	});
});
