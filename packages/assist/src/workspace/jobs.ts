import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { atProcessExit } from "@segue/rpc/node";
import { ToolError } from "../failures.js";
import { GRACE_MS, signalGroup, startShell } from "./shell.js";

/** Jobs that run at once in one engine: a server, a watcher and a few builds. A model that starts more has lost count. */
const RUNNING_MAX = 10;
/** Jobs that are listed, those that ended included. The oldest of these are dropped first. */
const LISTED_MAX = 50;
/** Lines and characters of output that are kept of a job: its end, up to twice as much before it is cut. 50 jobs have 12 MB. */
const LINES_MAX = 2_000;
const CHARS_MAX = 128 * 1024;
/** Characters of a line. What is longer goes on in the next. */
const LINE_CHARS_MAX = 2_000;

/** A command that runs in the background of a thread. */
export interface Job {
	readonly id: string;
	readonly threadId: string;
	readonly command: string;
	readonly startedAt: Date;
	readonly endedAt: Date | undefined;
	readonly status: "running" | "completed" | "failed" | "killed";
	/** Undefined while it runs, and for one that a signal ended. */
	readonly exitCode: number | undefined;
}

export interface JobLine {
	readonly text: string;
	readonly stream: "stdout" | "stderr";
}

/** The background jobs of one thread, for its tools. */
export interface ThreadJobs {
	/** Throws a `ToolError` if too many run. */
	start(command: string, folder: string, env: Record<string, string>): Job;
	list(): readonly Job[];
	/** Undefined for a job that the thread does not have. */
	output(id: string): readonly JobLine[] | undefined;
	/** Whether it ran until now. */
	kill(id: string): boolean;
}

/** The background jobs of an engine. They end with their thread's session, with the engine and with the process. */
export class Jobs {
	/** By id, the oldest first. */
	private readonly all = new Map<string, RunningJob>();
	private readonly listeners = new Set<() => void>();
	private count = 0;

	constructor(private readonly now: () => Date) {}

	list(): readonly Job[] {
		return [...this.all.values()].map(({ job }) => job);
	}

	output(id: string): readonly JobLine[] | undefined {
		return this.all.get(id)?.lines;
	}

	/** Whether it ran until now. Its processes get a moment to end by themselves. */
	kill(id: string): boolean {
		return this.all.get(id)?.kill() ?? false;
	}

	/** The listener is called when a job starts, ends or is dropped. Returns a function that ends that. */
	watch(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => void this.listeners.delete(listener);
	}

	of(threadId: string): ThreadJobs {
		const isIts = (id: string) => this.all.get(id)?.job.threadId === threadId;
		return {
			start: (command, folder, env) => this.start(threadId, command, folder, env),
			list: () => this.list().filter((job) => job.threadId === threadId),
			output: (id) => (isIts(id) ? this.output(id) : undefined),
			kill: (id) => isIts(id) && this.kill(id),
		};
	}

	/** Ends the jobs of a thread, and drops them. */
	async release(threadId: string): Promise<void> {
		await this.end([...this.all.values()].filter(({ job }) => job.threadId === threadId));
	}

	async close(): Promise<void> {
		await this.end([...this.all.values()]);
	}

	private start(threadId: string, command: string, folder: string, env: Record<string, string>): Job {
		const running = this.list().filter(({ status }) => status === "running");
		if (running.length >= RUNNING_MAX) {
			throw new ToolError(`${RUNNING_MAX} background jobs run already. End one with background_jobs first.`);
		}
		const id = `job-${++this.count}`;
		const child = startShell(command, folder, env, "apart");
		const job: Job = {
			...{ id, threadId, command, startedAt: this.now(), endedAt: undefined },
			...{ status: "running", exitCode: undefined },
		};
		const started = new RunningJob(child, job, this.now, () => this.notify());
		this.all.set(id, started);
		for (const { job: old } of [...this.all.values()].slice(0, Math.max(0, this.all.size - LISTED_MAX))) {
			if (old.status !== "running") this.all.delete(old.id);
		}
		this.notify();
		return job;
	}

	private async end(jobs: readonly RunningJob[]): Promise<void> {
		if (jobs.length === 0) return;
		for (const each of jobs) {
			each.kill();
			this.all.delete(each.job.id);
		}
		await Promise.all(jobs.map(({ ended }) => ended));
		this.notify();
	}

	private notify(): void {
		for (const listener of this.listeners) listener();
	}
}

class RunningJob {
	readonly lines: JobLine[] = [];
	readonly ended: Promise<void>;
	private chars = 0;
	private isKilled = false;
	private deadline: NodeJS.Timeout | undefined;

	constructor(
		private readonly child: ChildProcess,
		public job: Job,
		now: () => Date,
		changed: () => void,
	) {
		const forgetExit = atProcessExit(() => signalGroup(child, "SIGKILL"));
		const ends = [this.read("stdout"), this.read("stderr")];
		this.ended = new Promise((resolve) => {
			const end = (status: Job["status"], exitCode: number | undefined) => {
				forgetExit();
				clearTimeout(this.deadline);
				for (const finish of ends) finish();
				this.job = { ...this.job, status: this.isKilled ? "killed" : status, exitCode, endedAt: now() };
				changed();
				resolve();
			};
			child.once("error", (error) => {
				this.add(`The command could not be started: ${error.message}.`, "stderr");
				end("failed", undefined);
			});
			// Its children end with it; they would keep the streams open.
			child.once("exit", () => this.stop());
			child.once("close", (code) => end(code === 0 ? "completed" : "failed", code ?? undefined));
		});
	}

	kill(): boolean {
		if (this.job.status !== "running" || this.isKilled) return false;
		this.isKilled = true;
		this.stop();
		return true;
	}

	private stop(): void {
		const { child } = this;
		signalGroup(child, "SIGTERM");
		this.deadline ??= setTimeout(() => {
			signalGroup(child, "SIGKILL");
			// A process that has left the group may keep the other end open.
			child.stdout?.destroy();
			child.stderr?.destroy();
		}, GRACE_MS);
	}

	/** Keeps the lines of a stream. Returns a function that keeps the last one, which need not be ended. */
	private read(stream: JobLine["stream"]): () => void {
		const decoder = new StringDecoder("utf8");
		let open = "";
		const take = (text: string) => {
			const lines = (open + text).split("\n");
			open = lines.pop() ?? "";
			for (const line of lines) this.add(line, stream);
			while (open.length > LINE_CHARS_MAX) {
				this.add(open.slice(0, LINE_CHARS_MAX), stream);
				open = open.slice(LINE_CHARS_MAX);
			}
		};
		this.child[stream]?.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
		return () => {
			take(decoder.end());
			if (open !== "") this.add(open, stream);
			open = "";
		};
	}

	private add(line: string, stream: JobLine["stream"]): void {
		for (let from = 0; from === 0 || from < line.length; from += LINE_CHARS_MAX) {
			const text = line.slice(from, from + LINE_CHARS_MAX).replace(/\r$/, "");
			this.lines.push({ text, stream });
			this.chars += text.length;
			// Not with each line, which would copy the rest each time.
			if (this.lines.length > 2 * LINES_MAX || this.chars > 2 * CHARS_MAX) this.cut();
		}
	}

	private cut(): void {
		let dropped = 0;
		while (this.lines.length - dropped > LINES_MAX || this.chars > CHARS_MAX) {
			this.chars -= this.lines[dropped++]?.text.length ?? 0;
		}
		this.lines.splice(0, dropped);
	}
}
