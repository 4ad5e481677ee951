import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { atProcessExit } from "@segue/rpc/node";
import { ToolError } from "../failures.js";
import { GRACE_MS, signalGroup, startShell } from "./shell.js";

/** Maximum jobs running in one engine: a server, a watcher and a few builds. A model that starts more is looping. */
const RUNNING_MAX = 10;
/** Maximum jobs in the list, including ended ones. The oldest ended jobs are dropped first. */
const LISTED_MAX = 50;
/**
 * Limits for a job's stored output, of which only the end is kept. It can grow to twice this size before it is trimmed:
 * 12 MB for 50 jobs.
 */
const LINES_MAX = 2_000;
const CHARS_MAX = 128 * 1024;
/** Longer lines are split. */
const LINE_CHARS_MAX = 2_000;

/** A command that a thread runs in the background. */
export interface Job {
	readonly id: string;
	readonly threadId: string;
	readonly command: string;
	readonly startedAt: Date;
	readonly endedAt: Date | undefined;
	readonly status: "running" | "completed" | "failed" | "killed";
	/** Undefined while the job is running, and if a signal killed it. */
	readonly exitCode: number | undefined;
}

export interface JobLine {
	readonly text: string;
	readonly stream: "stdout" | "stderr";
}

/** The background jobs of one thread, for its tools. */
export interface ThreadJobs {
	/** Throws a `ToolError` if too many jobs are running. */
	start(command: string, folder: string, env: Record<string, string>): Job;
	list(): readonly Job[];
	/** Returns undefined for an unknown job or another thread's job. */
	output(id: string): readonly JobLine[] | undefined;
	/** Returns false if the job is unknown or has already ended. */
	kill(id: string): boolean;
}

/**
 * An engine's background jobs. They are killed when their thread is released, or when the engine or the process ends.
 */
export class Jobs {
	/** Jobs by id, oldest first. */
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

	/**
	 * Returns false if the job is unknown or has already ended. Sends SIGTERM first, then SIGKILL after a grace period.
	 */
	kill(id: string): boolean {
		return this.all.get(id)?.kill() ?? false;
	}

	/** Calls the listener when a job starts, ends or is dropped. Returns a function that removes the listener. */
	watch(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => void this.listeners.delete(listener);
	}

	of(threadId: string): ThreadJobs {
		const isOwn = (id: string) => this.all.get(id)?.job.threadId === threadId;
		return {
			start: (command, folder, env) => this.start(threadId, command, folder, env),
			list: () => this.list().filter((job) => job.threadId === threadId),
			output: (id) => (isOwn(id) ? this.output(id) : undefined),
			kill: (id) => isOwn(id) && this.kill(id),
		};
	}

	/** Kills and drops the jobs of a thread. */
	async release(threadId: string): Promise<void> {
		await this.end([...this.all.values()].filter(({ job }) => job.threadId === threadId));
	}

	async close(): Promise<void> {
		await this.end([...this.all.values()]);
	}

	private start(threadId: string, command: string, folder: string, env: Record<string, string>): Job {
		const running = this.list().filter(({ status }) => status === "running");
		if (running.length >= RUNNING_MAX) {
			throw new ToolError(`${RUNNING_MAX} background jobs are already running. Stop one with background_jobs first.`);
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
			// Kill remaining children, which could keep the streams open.
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
			// A process that has left the group can keep the pipes open.
			child.stdout?.destroy();
			child.stderr?.destroy();
		}, GRACE_MS);
	}

	/** Collects lines from a stream. Returns a function that adds the last line, which can be unterminated. */
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
			// Trimming after every line would copy the rest each time.
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
