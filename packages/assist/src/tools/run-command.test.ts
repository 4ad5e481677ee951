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
		["tells what was printed, in order", "echo one; echo two >&2; echo three", "one\ntwo\nthree\n(exit code 0)", false],
		["tells the exit code", "echo no; exit 3", "no\n(exit code 3)", true],
		["ends the last line", "printf one", "one\n(exit code 0)", false],
		["tells that nothing was printed", "true", "(exit code 0)", false],
		["works in the workspace", "cat a.txt", "inside\n(exit code 0)", false],
		["gives no input", "cat; echo end", "end\n(exit code 0)", false],
		["tells of a command that is wrong", "echo 'one", /(?:unterminated|unexpected).*\n\(exit code 2\)$/is, true],
		["tells of a program that does not exist", "no-such-program", /not found\n\(exit code 127\)$/, true],
		["tells by what it was ended", "kill -9 $$", "(ended by SIGKILL)", true],
		["takes several lines", "echo 1\necho 2 |\ncat", "1\n2\n(exit code 0)", false],
		["reads characters that come in pieces", "printf '\\303'; sleep 0; printf '\\251'", "é\n(exit code 0)", false],
	])("%s", async (_title, command, output, failed) => {
		const box = await ToolFixture.draw({ "a.txt": "inside\n" });
		const action = await box.prepare(COMMAND, { command });
		expect(action.permissions).toEqual([{ kind: "command", subject: command }]);
		const outcome = await action.run(box.calling.signal, () => {});
		if (typeof output === "string") expect(outcome.output).toBe(output);
		else expect(outcome.output).toMatch(output);
		expect(outcome.failed).toBe(failed);
	});

	test("tells how it goes on while it runs", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command: "echo one; echo two" });
		let seen = "";
		await action.run(box.calling.signal, (output) => {
			seen += output;
		});
		expect(seen).toBe("one\ntwo\n");
	});

	test("shows the start and the end of a long output", async () => {
		const box = await ToolFixture.draw({});
		const output = await box.call(COMMAND, { command: "echo first; yes | head -c 5000000; echo last" });
		expect(output).toMatch(/^first\ny\n.*\n… \(\d+ characters left out\) …\n.*\nlast\n\(exit code 0\)$/s);
		expect(output.length).toBeLessThan(33_000);
	});

	test("tells only so much while it runs", async () => {
		const box = await ToolFixture.draw({});
		const action = await box.prepare(COMMAND, { command: "yes | head -c 5000000" });
		let length = 0;
		await action.run(box.calling.signal, (output) => {
			length += output.length;
		});
		expect(length).toBeGreaterThan(0);
		expect(length).toBeLessThanOrEqual(100_000);
	});

	/** Runs until it has printed "ready", its own process id and that of a child; then `stop` is called. */
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
	const DEAF = `trap '' TERM; ${CHILD}; while :; do sleep 1000; done`;

	test.each<readonly [string, string, (box: ToolFixture) => void, string]>([
		["when its time is up", CHILD, () => void vi.advanceTimersByTime(5000), "ended after 5 s, before it was done"],
		["when the turn is cancelled", CHILD, (box) => box.calling.abort(), "cancelled"],
		[
			"when it does not listen",
			DEAF,
			(box) => {
				box.calling.abort();
				vi.advanceTimersByTime(2000);
			},
			"cancelled",
		],
	])("ends a command and all that it started %s, and keeps what it printed", async (_when, command, stop, said) => {
		const { output, pids } = await stopped(command, stop);
		expect(output).toMatch(new RegExp(`^ready \\d+ \\d+\\n(?:.*\\n)?\\(${said}\\)$`));
		expect(pids).toHaveLength(2);
		for (const pid of pids) await gone(pid);
	});

	test("ends what a command left running in the background", async () => {
		const box = await ToolFixture.draw({});
		const output = await box.call(COMMAND, { command: "sleep 1000 & echo $!" });
		expect(output).toMatch(/^\d+\n\(exit code 0\)$/);
		await gone(Number.parseInt(output, 10));
	});

	test("does not wait for what has left the group and keeps the output open", async () => {
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
		// The time until it is given up on begins when this process is told that the shell has ended.
		for (let i = 0; i < 250 && outcome === undefined; i++) {
			vi.advanceTimersByTime(2000);
			await setImmediate();
		}
		expect((await running).output).toBe(`${child} ${shell}\n(exit code 0)`);
	});

	test("ends at once, whatever it does about it, with a program that ends", async () => {
		const box = await ToolFixture.draw({});
		const before = process.listeners("exit");
		const action = await box.prepare(COMMAND, { command: "trap '' TERM; echo up; while :; do sleep 1; done" });
		const outcome = await action.run(box.calling.signal, () => {
			for (const listener of process.listeners("exit")) if (!before.includes(listener)) listener(0);
		});
		expect(outcome.output).toBe("up\n(ended by SIGKILL)");
		expect(process.listeners("exit")).toEqual(before);
	});

	test("does not start when the turn was cancelled before", async () => {
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
	])("names the size of a command that its title cuts: %#", async (command, title) => {
		const box = await ToolFixture.draw({});
		expect((await box.prepare(COMMAND, { command })).title).toBe(title);
	});

	test("takes a command as long as its input may be, and tells why none can be started", async () => {
		const box = await ToolFixture.draw({});
		expect(await box.call(COMMAND, { command: `: ${"漢".repeat(29_998)}` })).toBe("(exit code 0)");
		await rm(box.root, { recursive: true });
		expect(await box.call(COMMAND, { command: "true" })).toMatch(/^refused: The command could not be started: /);
	});
});

/** Waits until a process has ended, which takes a moment after it was told to; one that goes on for ever fails the test. */
async function gone(pid: number): Promise<void> {
	for (;;) {
		// A process that has ended and that nobody has asked about is still listed, as a zombie.
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
	])("with %s=%s: kept is %j", (name, value, isKept) => {
		expect(name in environmentFor({ [name]: value }, ["PAT"])).toBe(isKept);
	});

	test("is what a command gets", async () => {
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

test("a long text keeps its start and its end, in whatever pieces it comes", () => {
	for (const size of [1, 7, 9000, 100_000]) {
		const text = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join("");
		const kept = new HeadAndTail();
		for (let at = 0; at < text.length; at += size) kept.add(text.slice(at, at + size));
		expect(kept.toString()).toBe(`${text.slice(0, 8000)}\n… (68000 characters left out) …\n${text.slice(-24_000)}`);
	}
});

test("a long text is cut between characters", () => {
	const kept = new HeadAndTail();
	for (const piece of ["x", "😀".repeat(20_000), "y"]) kept.add(piece);
	expect(kept.toString()).toBe(`x${"😀".repeat(3999)}\n… (8002 characters left out) …\n${"😀".repeat(11_999)}y`);
});
