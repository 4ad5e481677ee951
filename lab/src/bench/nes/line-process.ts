import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

// A temporary SEGUE_HOME, so that benchmarks do not touch the user's files.
export const HOME = mkdtempSync(path.join(tmpdir(), "segue-bench-"));
process.on("exit", () => rmSync(HOME, { recursive: true, force: true }));

interface Exchange {
	readonly lines: readonly string[];
	/** The time from writing the text until the last line arrived. */
	readonly timeMs: number;
}

/** A Node process that reads and writes lines on its standard streams. */
export class LineProcess {
	private readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	private rest = "";
	private lines: string[] = [];
	private arrived: (() => void) | undefined;

	/** `args` are passed to Node. An IPC channel is needed for `heapUsed`, but it slows down the start. */
	constructor(
		private readonly args: readonly string[],
		channel: "ipc" | "ignore" = "ignore",
	) {
		const stdio: StdioOptions = ["pipe", "pipe", "inherit", channel];
		this.child = spawn(process.execPath, args, {
			stdio,
			env: { ...process.env, SEGUE_HOME: HOME },
		}) as typeof this.child;
		this.child.stdout.setEncoding("utf8");
		this.child.stdout.on("data", (chunk: string) => {
			const lines = (this.rest + chunk).split("\n");
			this.rest = lines.pop() ?? "";
			this.lines.push(...lines);
			this.arrived?.();
		});
	}

	/** Writes text without waiting for a response. */
	send(text: string): void {
		this.child.stdin.write(text);
	}

	/** Sends the text in one write, and waits for `count` lines. Only one exchange can run at a time. */
	exchange(text: string, count: number): Promise<Exchange> {
		return new Promise((resolve, reject) => {
			const onExit = () => reject(new Error(`${this.args.join(" ")} exited before it answered`));
			this.child.once("exit", onExit);
			this.arrived = () => {
				if (this.lines.length < count) return;
				const timeMs = performance.now() - start;
				this.arrived = undefined;
				this.child.off("exit", onExit);
				const lines = this.lines;
				this.lines = [];
				resolve({ lines, timeMs });
			};
			const start = performance.now();
			this.child.stdin.write(text);
		});
	}

	/** Waits until `count` lines have arrived, and discards them. Must not overlap with another call or an exchange. */
	async lineCount(count: number): Promise<void> {
		let left = count;
		await new Promise<void>((resolve) => {
			this.arrived = () => {
				left -= this.lines.length;
				this.lines = [];
				if (left <= 0) resolve();
			};
		});
		this.arrived = undefined;
	}

	/** Returns the heap size in bytes after garbage collection. Requires `heap.mjs` and an IPC channel. */
	async heapUsed(): Promise<number> {
		const answer = once(this.child, "message");
		this.child.send("heap");
		const [bytes] = await answer;
		return bytes as number;
	}

	/** Stops the process and resolves when it has exited, so that it does not disturb the next measurement. */
	async stop(): Promise<void> {
		const exit = once(this.child, "exit");
		this.child.kill();
		await exit;
	}
}
