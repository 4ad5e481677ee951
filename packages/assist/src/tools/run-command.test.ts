import { readFile as readOnDisk, rm } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { ToolFixture } from "@segue/testing/chat/tool-fixture";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { environmentFor } from "../workspace/environment.js";
import { runCommandTool } from "./run-command.js";
import type { ToolOutcome } from "./tool.js";
import { HeadAndTail } from "./truncate.js";

const COMMAND = runCommandTool(["PAT"]);

describe.skipIf(process.platform !== "linux")("run_command", () => {
	test.each([
		["returns the output in order", "echo one; echo two >&2; echo three", "one\ntwo\nthree\n(exit code 0)", false],
		["returns the exit code", "echo no; exit 3", "no\n(exit code 3)", true],
		["adds a missing line ending", "printf one", "one\n(exit code 0)", false],
		["returns only the exit code if the command prints nothing", "true", "(exit code 0)", false],
		["runs in the workspace", "cat a.txt", "inside\n(exit code 0)", false],
		["gives the command no input", "cat; echo end", "end\n(exit code 0)", false],
		["reports a syntax error", "echo 'one", /(?:unterminated|unexpected).*\n\(exit code 2\)$/is, true],
		["reports a missing program", "no-such-program", /not found\n\(exit code 127\)$/, true],
		["reports the signal that killed it", "kill -9 $$", "(killed by SIGKILL)", true],
		["runs several lines", "echo 1\necho 2 |\ncat", "1\n2\n(exit code 0)", false],
		["decodes characters split across chunks", "printf '\\303'; sleep 0; printf '\\251'", "é\n(exit code 0)", false],
	])("%s", async (_title, command, output, failed) => {
		const box = await ToolFixture.draw({ "a.txt": "inside\n" });
		const action = await box.prepare(COMMAND, { command });
		expect(action.permissions).toEqual([{ kind: "command", subject: command }]);
		const outcome = await action.run(box.calling.signal, () => {});
		if (typeof output === "string") expect(outcome.output).toBe(output);
		else expect(outcome.output).toMatch(output);
		expect(outcome.failed).toBe(failed);
	});

	test("reports output while the command runs", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command: "echo one; echo two" });
		let seen = "";
		await action.run(box.calling.signal, (output) => {
			seen += output;
		});
		expect(seen).toBe("one\ntwo\n");
	});

	test("returns the start and the end of long output", async () => {
		const box = await ToolFixture.draw({});
		const output = await box.call(COMMAND, { command: "echo first; yes | head -c 5000000; echo last" });
		expect(output).toMatch(/^first\ny\n.*\n… \(\d+ characters omitted\) …\n.*\nlast\n\(exit code 0\)$/s);
		expect(output.length).toBeLessThan(33_000);
	});

	test("limits the output reported while the command runs", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command: "yes | head -c 5000000" });
		let length = 0;
		await action.run(box.calling.signal, (output) => {
			length += output.length;
		});
		expect(length).toBeGreaterThan(0);
		expect(length).toBeLessThanOrEqual(100_000);
	});

	/** Calls `stop` once the command has printed "ready", its own process id and a child's. */
	async function stopped(
		command: string,
		stop: (box: ToolFixture) => void,
	): Promise<{ output: string; pids: number[] }> {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command, time_limit_s: 5 });
		let seen = "";
		let isStopped = false;
		const { output } = await action.run(box.calling.signal, (text) => {
			seen += text;
			if (isStopped || !/ready \d+ \d+\n/.test(seen)) return;
			isStopped = true;
			stop(box);
		});
		return { output, pids: (seen.match(/\d+/g) ?? []).map(Number) };
	}

	const CHILD = 'sleep 1000 & echo "ready $$ $!"; wait';
	const IGNORES_TERM = `trap '' TERM; ${CHILD}; while :; do sleep 1000; done`;

	test.each<readonly [string, string, (box: ToolFixture) => void, string]>([
		["at the time limit", CHILD, () => void vi.advanceTimersByTime(5000), "timed out after 5 s"],
		["when the turn is cancelled", CHILD, (box) => box.calling.abort(), "cancelled"],
		[
			"if it ignores SIGTERM",
			IGNORES_TERM,
			(box) => {
				box.calling.abort();
				vi.advanceTimersByTime(2000);
			},
			"cancelled",
		],
	])("kills a command and its children %s and keeps its output", async (_when, command, stop, ending) => {
		const { output, pids } = await stopped(command, stop);
		expect(output).toMatch(new RegExp(`^ready \\d+ \\d+\\n(?:.*\\n)?\\(${ending}\\)$`));
		expect(pids).toHaveLength(2);
		for (const pid of pids) await gone(pid);
	});

	test("kills processes that a command left running", async () => {
		const box = await ToolFixture.draw({});
		const output = await box.call(COMMAND, { command: "sleep 1000 & echo $!" });
		expect(output).toMatch(/^\d+\n\(exit code 0\)$/);
		await gone(Number.parseInt(output, 10));
	});

	test("does not wait for a process that has left the group but keeps the output open", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const box = await ToolFixture.draw({});
		let seen = "";
		const action = await box.prepare(COMMAND, { command: 'setsid sleep 1000 & echo "$! $$"', time_limit_s: 600 });
		let outcome: ToolOutcome | undefined;
		const running = action.run(box.calling.signal, (text) => {
			seen += text;
		});
		void running.then((ended) => {
			outcome = ended;
		});
		while (!/\d+ \d+\n/.test(seen)) await setImmediate();
		const [child, shell] = seen.split(" ").map(Number) as [number, number];
		onTestFinished(() => void process.kill(child, "SIGKILL"));
		await gone(shell);
		// The grace period starts when this process receives the shell's exit event, not before.
		for (let i = 0; i < 250 && outcome === undefined; i++) {
			vi.advanceTimersByTime(2000);
			await setImmediate();
		}
		expect((await running).output).toBe(`${child} ${shell}\n(exit code 0)`);
	});

	test("kills a command that ignores SIGTERM when this process exits", async () => {
		const box = await ToolFixture.draw({});
		const before = process.listeners("exit");
		const action = await box.prepare(COMMAND, { command: "trap '' TERM; echo up; while :; do sleep 1; done" });
		const outcome = await action.run(box.calling.signal, () => {
			for (const listener of process.listeners("exit")) if (!before.includes(listener)) listener(0);
		});
		expect(outcome.output).toBe("up\n(killed by SIGKILL)");
		expect(process.listeners("exit")).toEqual(before);
	});

	test("does not start after the turn was cancelled", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command: "touch started" });
		box.calling.abort();
		await expect(action.run(box.calling.signal, () => {})).rejects.toThrow(/aborted/);
		await expect(readOnDisk(path.join(box.root, "started"))).rejects.toThrow("ENOENT");
	});

	const invisible = [
		"\u202e",
		"\u001b[2K",
		"\0",
		"\r",
		"\u00a0",
		"\u034f",
		"\u115f",
		"\u2800",
		"\u3000",
		"\ufe0f",
		"\u{e0100}",
	];
	test.each(invisible.map((sign) => `echo a${sign}b`))("refuses invisible characters: %j", async (command) => {
		const box = await ToolFixture.draw({});
		expect(await box.call(COMMAND, { command })).toMatch(
			/^refused: The command contains an invisible character \(U\+[0-9A-F]{4,6}\)\. Remove it and try again\.$/,
		);
	});

	test.each([
		["echo hi", "Run echo hi"],
		["echo a\necho b", "Run echo a… (2 lines, 13 characters)"],
		[`echo ${"a".repeat(6000)}`, `Run echo ${"a".repeat(75)}… (6,005 characters)`],
	])("adds the size of a truncated command to its title: %#", async (command, title) => {
		const box = await ToolFixture.draw({});
		expect((await box.prepare(COMMAND, { command })).title).toBe(title);
	});

	test("runs a command of the maximum length, and reports why a command cannot be started", async () => {
		const box = await ToolFixture.draw({});
		expect(await box.call(COMMAND, { command: `: ${"漢".repeat(29_998)}` })).toBe("(exit code 0)");
		await rm(box.root, { recursive: true });
		expect(await box.call(COMMAND, { command: "true" })).toMatch(/^refused: The command could not be started: /);
	});
});

/** Waits until a process has ended. Times out with the test. */
async function gone(pid: number): Promise<void> {
	for (;;) {
		// A process that has not been reaped is still listed, as a zombie.
		const state = await readOnDisk(`/proc/${pid}/stat`, "utf8").catch(() => ") X ");
		if (/\) [ZX] /.test(state)) return;
		await setImmediate();
	}
}

describe("a command's environment", () => {
	test.each([
		["PATH", "/usr/bin", true],
		["HOME", "/home/me", true],
		["LANG", "en", true],
		["SSH_AUTH_SOCK", "/run/agent", true],
		["DATABASE_URL", "postgres://localhost/db", true],
		["SEGUE_HOME", "/x", false],
		["SEGUE_API_KEY", "x", false],
		["OPENAI_API_KEY", "x", false],
		["GITHUB_TOKEN", "x", false],
		["AWS_SECRET_ACCESS_KEY", "x", false],
		["MYSQL_PASSWORD", "x", false],
		["npm_config_//registry/:_authToken", "x", false],
		["DATABASE_PLACE", "postgres://me:word@host/db", false],
		["INNOCENT", "sk-ant-1234", false],
		["GH", "ghp_1234", false],
		["PAT", "0a1b2c3d", false],
		["CERTIFICATE", "-----BEGIN PRIVATE", false],
	])("includes %s=%s: %j", (name, value, isKept) => {
		expect(name in environmentFor({ [name]: value }, ["PAT"])).toBe(isKept);
	});

	test("is passed to commands", async () => {
		vi.stubEnv("SEGUE_API_KEY", "do-not-tell");
		vi.stubEnv("PAT", "do-not-tell");
		vi.stubEnv("HARMLESS", "tell");
		onTestFinished(() => void vi.unstubAllEnvs());
		const box = await ToolFixture.draw({});
		const output = await box.call(COMMAND, { command: "env" });
		expect(output).toContain("HARMLESS=tell");
		expect(output).not.toContain("do-not-tell");
	});
});

test("long output keeps its start and end, whatever the chunk size", () => {
	for (const size of [1, 7, 9000, 100_000]) {
		const text = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("");
		const kept = new HeadAndTail();
		for (let at = 0; at < text.length; at += size) kept.add(text.slice(at, at + size));
		expect(kept.toString()).toBe(`${text.slice(0, 8000)}\n… (68000 characters omitted) …\n${text.slice(-24_000)}`);
	}
});

test("long output is not truncated inside a surrogate pair", () => {
	const kept = new HeadAndTail();
	for (const piece of ["x", "😀".repeat(20_000), "y"]) kept.add(piece);
	expect(kept.toString()).toBe(`x${"😀".repeat(3999)}\n… (8002 characters omitted) …\n${"😀".repeat(11_999)}y`);
});
