import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

// What a server keeps for its user is not kept for a benchmark.
export const HOME = mkdtempSync(path.join(tmpdir(), "segue-bench-"));
process.on("exit", () => rmSync(HOME, { recursive: true, force: true }));

interface Exchange {
	readonly lines: readonly string[];
	/** From just before the bytes were written until the last line had come. */
	readonly timeMs: number;
}

/** A Node process that is spoken to in lines, on its standard input and output. */
export class LineProcess {
	private readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
	private rest = "";
	private lines: string[] = [];
	private arrived: (() => void) | undefined;

	/** The arguments are those of Node. A channel for `heapUsed` takes time to set up, so there is none by default. */
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

	/** Writes what has no answer. */
	send(text: string): void {
		this.child.stdin.write(text);
	}

	/** Writes with one write, and waits for so many lines. One exchange at a time. */
	exchange(text: string, count: number): Promise<Exchange> {
		return new Promise((resolve, reject) => {
			const onExit = () => reject(new Error(`${this.args.join(" ")} ended instead of answering`));
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

	/** Settles when so many lines have come, and forgets them. One at a time, and no exchange meanwhile. */
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

	/** The bytes on its heap after a collection. It must have imported `heap.mjs`, and have a channel. */
	async heapUsed(): Promise<number> {
		const answer = once(this.child, "message");
		this.child.send("heap");
		const [bytes] = await answer;
		return bytes as number;
	}

	/** Resolves when it is gone, so that it does not disturb what is measured next. */
	async stop(): Promise<void> {
		const exit = once(this.child, "exit");
		this.child.kill();
		await exit;
	}
}
