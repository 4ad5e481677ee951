import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { contentLength, lines, type PeerRole } from "@segue/rpc";
import { readTrace } from "@segue/rpc/trace";
import { Home } from "@segue/testing/process/home";
import { isAll } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "bin", "segue.js");
const ECHO = "process.stdin.pipe(process.stdout)";

/** An editor that has started `segue inspect` with a Node program as the agent. */
class Inspected {
	readonly home = new Home();
	readonly trace = path.join(this.home.project, "trace.jsonl");
	stderr = "";
	readonly ended: Promise<number | NodeJS.Signals>;
	readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	private readonly output: Buffer[] = [];

	constructor(agent: string | readonly string[] = ECHO, options: readonly string[] = ["--no-page"]) {
		const command = typeof agent === "string" ? [process.execPath, "-e", agent] : agent;
		const args = [LAUNCHER, "inspect", "--trace", this.trace, ...options, "--", ...command];
		this.child = spawn(process.execPath, args, { cwd: this.home.project }) as unknown as typeof this.child;
		this.child.stdin.on("error", () => {});
		this.child.stdout.on("data", (chunk: Buffer) => this.output.push(chunk));
		this.child.stderr?.on("data", (chunk) => {
			this.stderr += chunk;
		});
		this.ended = once(this.child, "close").then(([code, signal]) => code ?? signal);
		onTestFinished(async () => {
			this.child.kill("SIGKILL");
			await this.ended;
			this.home[Symbol.dispose]();
		});
	}

	get stdout(): Buffer {
		return Buffer.concat(this.output);
	}

	/** Resolves once standard error matches the pattern. */
	async until(words: RegExp): Promise<RegExpExecArray> {
		for (;;) {
			const found = words.exec(this.stderr);
			if (found !== null) return found;
			await once(this.child.stderr as Readable, "data");
		}
	}

	messages(from: PeerRole): string[] {
		const { records } = readTrace(readFileSync(this.trace, "utf8"));
		return records.filter((record) => record.from === from).map(({ text }) => text);
	}
}

describe("segue inspect relays", () => {
	test.runIf(isAll)("every byte in chunks of any size", async () => {
		const someChunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5000, size: "max" }), { maxLength: 20 });
		await fc.assert(
			fc.asyncProperty(someChunks, async (chunks) => {
				const inspected = new Inspected();
				for (const chunk of chunks) {
					inspected.child.stdin.write(chunk);
					await new Promise(setImmediate);
				}
				inspected.child.stdin.end();
				expect(await inspected.ended).toBe(0);
				expect(inspected.stdout).toEqual(Buffer.concat(chunks));
			}),
			{ numRuns: 5 },
		);
	});

	test.each([
		["lines", lines],
		["contentLength", contentLength],
	] as const)("messages in %s and records them with secrets masked", async (_, framing) => {
		const messages = Array.from({ length: 300 }, (_, id) =>
			JSON.stringify({ id, text: "é\n".repeat(id), token: "abc" }),
		);
		const bytes = Buffer.concat(messages.map((message) => Buffer.from(framing.encode(message))));
		const inspected = new Inspected();
		for (let at = 0; at < bytes.length; at += 777) inspected.child.stdin.write(bytes.subarray(at, at + 777));
		inspected.child.stdin.end();
		expect(await inspected.ended).toBe(0);
		expect(inspected.stdout).toEqual(bytes);
		const masked = messages.map((message) => message.replace('"abc"', '"***"'));
		expect(inspected.messages("client")).toEqual(masked);
		expect(inspected.messages("agent")).toEqual(masked);
	});

	test.runIf(isAll)("an exiting agent's output in full, even to a slow editor", async () => {
		const inspected = new Inspected(`process.stdout.write("x".repeat(5e6) + "\\n", () => process.exit(3))`);
		inspected.child.stdout.pause();
		inspected.child.stdin.end();
		await once(inspected.child.stdout, "readable");
		inspected.child.stdout.resume();
		expect(await inspected.ended).toBe(3);
		expect(inspected.stdout.length).toBe(5_000_001);
	});

	test.runIf(isAll)("the agent's standard error", async () => {
		const inspected = new Inspected("console.error('a word')");
		expect(await inspected.ended).toBe(0);
		expect(inspected.stderr).toBe("a word\n");
	});
});

describe.runIf(isAll)("segue inspect exits", () => {
	test.each([[0], [7]])("with the agent's exit code, %i", async (code) => {
		expect(await new Inspected(`process.exit(${code})`).ended).toBe(code);
	});

	test("with a message when the agent is killed", async () => {
		const inspected = new Inspected("process.kill(process.pid, 'SIGKILL')");
		expect(await inspected.ended).toBe(137);
		expect(inspected.stderr).toBe("segue: The agent was killed by SIGKILL.\n");
	});

	test("when the agent crashes, with its unfinished message in the trace", async () => {
		const inspected = new Inspected(`process.stdout.write('{"id":1}\\n{"id', () => process.exit(9))`);
		expect(await inspected.ended).toBe(9);
		expect(inspected.messages("agent")).toEqual(['{"id":1}', '{"id']);
	});

	test("when one of the agent's child processes keeps its output open", async () => {
		const inspected = new Inspected(`
			const { spawn } = require("node:child_process");
			const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["ignore", "inherit", "ignore"] });
			console.log(left.pid);
			left.unref();`);
		const [chunk] = await once(inspected.child.stdout, "data");
		onTestFinished(() => void process.kill(Number(chunk)));
		const [code] = await once(inspected.child, "exit");
		expect(code).toBe(0);
	});

	test.each<[NodeJS.Signals]>([["SIGINT"], ["SIGTERM"]])("on %s, with the agent", async (signal) => {
		const inspected = new Inspected("console.log(process.pid); setInterval(() => {}, 1000)");
		const [chunk] = await once(inspected.child.stdout, "data");
		inspected.child.kill(signal);
		expect(await inspected.ended).toBe(143);
		expect(() => process.kill(Number(chunk), 0)).toThrow("ESRCH");
	});

	test("on a second Ctrl-C if the agent ignores SIGTERM", async () => {
		const inspected = new Inspected(`
			process.on("SIGTERM", () => console.log("no"));
			console.log("ready");
			setInterval(() => {}, 1000)`);
		await once(inspected.child.stdout, "data");
		inspected.child.kill("SIGINT");
		await once(inspected.child.stdout, "data");
		inspected.child.kill("SIGINT");
		expect(await inspected.ended).toBe(137);
	});

	test("with the agent when the editor disconnects", async () => {
		const inspected = new Inspected("console.log(process.pid); setInterval(() => console.log('more'), 1)");
		const [chunk] = await once(inspected.child.stdout, "data");
		inspected.child.stdout.destroy();
		expect(await inspected.ended).toBe(143);
		expect(() => process.kill(Number.parseInt(String(chunk), 10), 0)).toThrow("ESRCH");
	});
});

describe("segue inspect reports", () => {
	test("an agent that is not installed", async () => {
		const inspected = new Inspected(["no-such-agent"]);
		expect(await inspected.ended).toBe(127);
		expect(inspected.stderr).toBe("segue: no-such-agent was not found. Install it or use its full path.\n");
		expect(existsSync(inspected.trace)).toBe(false);
	});

	test.runIf(isAll)("a trace that cannot be written, and continues", async () => {
		const inspected = new Inspected(ECHO, ["--trace", "/nowhere/trace.jsonl", "--no-page"]);
		inspected.child.stdin.end("{}\n");
		expect(await inspected.ended).toBe(0);
		expect(inspected.stdout.toString()).toBe("{}\n");
		expect(inspected.stderr).toMatch(
			/^segue: Cannot write \/nowhere\/trace\.jsonl: \w[^:]*\. Continuing without a trace\.\n$/,
		);
	});
});

test("segue inspect shows the trace in its page but serves no files", async () => {
	const inspected = new Inspected(ECHO, ["--port", "0"]);
	const [, port, token] = await inspected.until(
		/The messages are at http:\/\/127\.0\.0\.1:(\d+)\/#inspect&token=(\S+)/,
	);
	inspected.child.stdin.write('{"id":1}\n');
	await once(inspected.child.stdout, "data");
	const page = new WebSocket(`ws://127.0.0.1:${port}/trace`, ["segue.acp", `segue.token.${token}`]);
	let shown = "";
	page.on("message", (data) => {
		shown += data;
	});
	await once(page, "message");
	inspected.child.stdin.write('{"id":2}\n');
	while (shown.split("\n").length < 6) await once(page, "message");
	const headers = { "x-segue-token": token ?? "" };
	const response = await fetch(`http://127.0.0.1:${port}/folder`, { method: "POST", headers, body: '{"path":"/"}' });
	expect(response.status).toBe(405);
	const closed = once(page, "close");
	inspected.child.stdin.end();
	expect(await inspected.ended).toBe(0);
	await closed;
	expect(shown).toBe(readFileSync(inspected.trace, "utf8"));
});
