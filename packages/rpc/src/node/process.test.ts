import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { FakeClock } from "@segue/testing/clock";
import { settled } from "@segue/testing/rpc/peers";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Channel } from "../index.js";
import { agentProcess, type ProcessOptions } from "./process.js";

const channels: Channel[] = [];

afterEach(() => {
	for (const channel of channels.splice(0)) channel.drop();
});

/** Keeps running after its input ends, until it gets a signal. */
const STAYS = "setInterval(() => {}, 1000);";
const STUBBORN = `process.on("SIGTERM", () => {}); ${STAYS}`;
/** Prints a line once the test may continue. */
const READY = 'console.log("ready");';

/** An agent that consists of a few lines of JavaScript, and the messages received from it. */
class Started {
	readonly messages: string[] = [];
	readonly closed: Promise<string>;
	private arrived: () => void = () => {};

	private constructor(readonly channel: Channel) {
		channels.push(channel);
		this.closed = new Promise((resolve) => {
			const message = (text: string) => {
				this.messages.push(text);
				this.arrived();
			};
			channel.open({ message, unreadable: () => {}, closed: resolve }, 1e6);
		});
	}

	static async by(program: string, options?: ProcessOptions): Promise<Started> {
		return new Started(await agentProcess(process.execPath, ["-e", program], options)());
	}

	async message(): Promise<string> {
		while (this.messages.length === 0) {
			await new Promise<void>((resolve) => {
				this.arrived = resolve;
			});
		}
		return this.messages.shift() as string;
	}

	close(): Promise<void> {
		return new Promise((resolve) => this.channel.close(resolve));
	}
}

describe("an agent's process", () => {
	test("communicates over its standard streams and exits when its input ends", async () => {
		const agent = await Started.by("process.stdin.pipe(process.stdout)", { after: new FakeClock().after });
		agent.channel.send('{"é":"😀"}');
		expect(await agent.message()).toBe('{"é":"😀"}');
		await agent.close(); // the clock stands still, so nothing kills it
		expect(await agent.closed).toBe("the agent exited with code 0");
	});

	test("runs in the given folder, with the given variables in addition to the inherited ones", async () => {
		const program = "console.log(JSON.stringify([process.cwd(), process.env.OWN, process.env.PATH]))";
		const cwd = realpathSync(os.tmpdir());
		const agent = await Started.by(program, { cwd, env: { OWN: "yes" } });
		expect(JSON.parse(await agent.message())).toEqual([cwd, "yes", process.env["PATH"]]);
	});

	test.each<[string, string, string | RegExp]>([
		[
			"code and stderr",
			'console.error("no such model\\ngiving up"); process.exit(1)',
			"the agent exited with code 1: no such model\ngiving up",
		],
		["code only", "process.exit(3)", "the agent exited with code 3"],
		["signal", 'process.kill(process.pid, "SIGKILL")', "the agent was killed by SIGKILL"],
		[
			"only the end of a long stderr",
			'process.stderr.write("x".repeat(100_000) + "the end"); process.exitCode = 1',
			/^the agent exited with code 1: x{2041}the end$/,
		],
	])("that exits reports the reason: %s", async (_title, program, expected) => {
		const agent = await Started.by(program, { after: new FakeClock().after });
		expect(await agent.closed).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
	});

	test("that exits delivers its last message", async () => {
		const agent = await Started.by('console.log("x".repeat(500_000)); console.log("last")', {
			after: new FakeClock().after,
		});
		await agent.closed;
		expect(agent.messages.map((text) => text.length)).toEqual([500_000, 4]);
	});

	test("that closes its output but keeps running counts as closed and is killed with the connection", async () => {
		const clock = new FakeClock();
		const program = `console.error("I keep " + process.pid); require("fs").closeSync(1); ${STUBBORN}`;
		const agent = await Started.by(program, { after: clock.after });
		const reason = await passingTime(clock, agent.closed);
		expect(reason).toMatch(/^the other side closed the connection: I keep \d+$/);
		const [pid] = reason.match(/\d+/) ?? [];
		await passingTime(clock, agent.close());
		await untilGone(Number(pid));
	});

	test.each<[string, string, ProcessOptions, string]>([
		["not found", "segue-nowhere", {}, "segue-nowhere was not found: install it or give its full path"],
		["a folder", os.tmpdir(), {}, `${os.tmpdir()} did not start: spawn ${os.tmpdir()} EACCES`],
		["missing folder", "node", { cwd: "/nowhere" }, "node did not start: the folder /nowhere does not exist"],
	])("that does not start reports the reason: %s", async (_title, command, options, expected) => {
		await expect(agentProcess(command, [], options)()).rejects.toThrow(expected);
	});
});

describe.skipIf(process.platform === "win32")("closing a connection", () => {
	/** Starts a child process that keeps all streams open, and prints its id. */
	const withChild = (parent: string, child: string) => `
		const { spawn } = require("child_process");
		const child = spawn(process.execPath, ["-e", ${JSON.stringify(`${child} ${READY}`)}], { stdio: ["ignore", "pipe", "inherit"] });
		${parent}
		child.stdout.once("data", () => console.log(child.pid));`;

	test("ends the agent's children if the agent exits by itself", async () => {
		const clock = new FakeClock();
		const ends = 'process.stdin.resume(); process.stdin.on("end", () => process.exit());';
		const agent = await Started.by(withChild(ends, STAYS), { after: clock.after });
		const grandchild = Number(await agent.message());
		await agent.close();
		await untilGone(grandchild);
	});

	test("works if the agent exits while a child keeps its streams open", async () => {
		const clock = new FakeClock();
		const program = `
			const { spawn } = require("child_process");
			const child = spawn(process.execPath, ["-e", ${JSON.stringify(STAYS)}], { stdio: "inherit" });
			console.log(child.pid);
			process.stdout.write("", () => process.exit(2));`;
		const agent = await Started.by(program, { after: clock.after });
		const grandchild = Number(await agent.message());
		expect(await passingTime(clock, agent.closed)).toBe("the agent exited with code 2");
		await agent.close();
		await untilGone(grandchild);
	});

	test("terminates an agent that keeps running, and kills one that ignores it", async () => {
		const clock = new FakeClock();
		const folder = mkdtempSync(path.join(os.tmpdir(), "segue-"));
		const signalled = path.join(folder, "signalled");
		const noting = `process.on("SIGTERM", () => require("fs").writeFileSync(${JSON.stringify(signalled)}, "")); ${STAYS}`;
		let timers = 0;
		const after: ProcessOptions["after"] = (delayMs, run) => {
			timers++;
			return clock.after(delayMs, run);
		};
		const agent = await Started.by(withChild(noting, STUBBORN), { after });
		const grandchild = Number(await agent.message());
		const closing = agent.close();
		while (timers === 0) await settled(); // until its input is closed
		clock.advance(500);
		while (!existsSync(signalled)) await settled();
		expect(isRunning(grandchild)).toBe(true);
		clock.advance(1000);
		await closing;
		await untilGone(grandchild);
		rmSync(folder, { recursive: true });
	});

	test("by dropping it does not wait", async () => {
		const agent = await Started.by(withChild(STAYS, STAYS), { after: new FakeClock().after });
		const grandchild = Number(await agent.message());
		agent.channel.drop();
		await untilGone(grandchild);
	});

	test("leaves no listener in this process", async () => {
		const clock = new FakeClock();
		const before = process.listenerCount("exit");
		// All programs share one listener, so this needs a fresh module.
		vi.resetModules();
		const { agentProcess } = await import("./process.js");
		const channel = await agentProcess(process.execPath, ["-e", STAYS], { after: clock.after })();
		expect(process.listenerCount("exit")).toBe(before + 1);
		channel.drop();
		clock.advance(1000);
		expect(process.listenerCount("exit")).toBe(before);
		await agentProcess("segue-nowhere", [])().catch(() => {});
		expect(process.listenerCount("exit")).toBe(before);
	});

	test("happens when the editor's process exits", async () => {
		const program = `
			import { agentProcess } from ${JSON.stringify(import.meta.resolve("./process.ts"))};
			const stubborn = ${JSON.stringify(`${STUBBORN} console.log(process.pid);`)};
			const channel = await agentProcess(process.execPath, ["-e", stubborn])();
			channel.open({ message: (pid) => { console.log(pid); process.exit(0); }, unreadable() {}, closed() {} }, 1e6);`;
		const loader = `--import=${import.meta.resolve("tsx")}`;
		const args = ["--conditions=@segue/source", loader, "--input-type=module", "--eval", program];
		const editor = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname });
		const [pid] = await once(editor.stdout, "data");
		await untilGone(Number(String(pid)));
	});
});

/** Advances the clock until a promise settles. */
async function passingTime<T>(clock: FakeClock, awaited: Promise<T>): Promise<T> {
	let isOver = false;
	const over = awaited.finally(() => {
		isOver = true;
	});
	while (!isOver) {
		clock.advance(100);
		await settled();
	}
	return over;
}

async function untilGone(pid: number): Promise<void> {
	expect(pid).toBeGreaterThan(1);
	while (isRunning(pid)) await settled();
}

/** A killed process that its new parent has not reaped yet is a zombie, which is not running. */
function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
}
