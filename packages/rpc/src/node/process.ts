import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type Channel, type Framing, lines, type Receiver } from "../index.js";
import { atProcessExit, killGroup, spawnGroup } from "./process-group.js";
import { overStreams } from "./streams.js";

// Enough for an error message and a short stack trace.
const STDERR_LENGTH_MAX = 2048;
// Grace period for the exit code and stderr after the output has closed. Both arrive almost immediately, unless another
// process keeps the pipe open or the agent keeps running.
const EXIT_GRACE_MS = 500;
// Together, this timeout and the next are less than a connection's timeout for closing. An agent that notices the end
// of its input should exit quickly.
const GRACE_MS = 500;
// After SIGTERM, the agent may still have to write to disk.
const TERMINATE_MS = 1000;

export interface ProcessOptions {
	readonly cwd?: string;
	/** Variables added to this process's environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** The message framing. Default: lines. */
	readonly framing?: Framing;
	/** Runs a callback later. Returns a function that cancels it. */
	readonly after?: (delayMs: number, run: () => void) => () => void;
}

/**
 * Returns a function that starts an agent and communicates over its standard streams. The agent runs in its own process
 * group, which is killed with the connection and does not outlive this process.
 */
export function agentProcess(
	command: string,
	args: readonly string[],
	{ cwd, env, framing = lines, after = startTimer }: ProcessOptions = {},
): () => Promise<Channel> {
	return async () => {
		const child = spawnGroup(command, args, { cwd, env: { ...process.env, ...env }, stdio: "pipe" });
		try {
			await once(child, "spawn");
		} catch (error) {
			throw new Error(whyNotStarted(error as NodeJS.ErrnoException, command, cwd));
		}
		return new ProcessChannel(child as ChildProcessWithoutNullStreams, framing, after);
	};
}

class ProcessChannel implements Channel {
	private readonly streams: Channel;
	private stderrTail = "";
	private isTerminating = false;
	private readonly forgetExit: () => void;

	constructor(
		private readonly child: ChildProcessWithoutNullStreams,
		framing: Framing,
		private readonly after: NonNullable<ProcessOptions["after"]>,
	) {
		this.streams = overStreams(child.stdout, child.stdin, framing);
		child.stderr.setEncoding("utf8");
		child.stderr.on("data", (text: string) => {
			this.stderrTail = (this.stderrTail + text).slice(-STDERR_LENGTH_MAX);
		});
		child.stderr.on("error", () => {}); // use the output read so far
		child.on("error", () => {}); // if this signal cannot be sent, a stronger one follows
		this.forgetExit = atProcessExit(this.kill);
	}

	/**
	 * Node closes the stdin of a process that has exited, so the exit is noticed even if other processes keep stdout
	 * open.
	 */
	open(receiver: Receiver, messageBytesMax: number): void {
		let isEnding = false;
		const end = (reason: string) => {
			if (isEnding) return;
			isEnding = true;
			const finish = () => {
				callOff();
				receiver.closed(this.describeEnd(reason));
			};
			const callOff = this.after(EXIT_GRACE_MS, finish);
			this.child.once("close", finish);
		};
		this.streams.open(
			{
				message: (text) => receiver.message(text),
				unreadable: (error) => receiver.unreadable(error),
				closed: end,
			},
			messageBytesMax,
		);
	}

	send(text: string): void {
		this.streams.send(text);
	}

	pause(): void {
		this.streams.pause?.();
	}

	resume(): void {
		this.streams.resume?.();
	}

	get unwrittenBytes(): number {
		return this.streams.unwrittenBytes;
	}

	close(done: () => void): void {
		this.streams.close(() => this.after(GRACE_MS, () => this.terminate()));
		whenExited(this.child, () => {
			this.terminate(); // the agent's children may still be running
			done();
		});
	}

	drop(): void {
		this.streams.drop();
		this.terminate();
	}

	private terminate(): void {
		if (this.isTerminating) return;
		this.isTerminating = true;
		this.signal("SIGTERM");
		this.after(TERMINATE_MS, () => {
			this.kill();
			this.forgetExit();
		});
	}

	private readonly kill = (): void => this.signal("SIGKILL");

	/** Ignores errors: a group that cannot be killed because it changed its user must not crash the editor. */
	private signal(signal: "SIGTERM" | "SIGKILL"): void {
		try {
			killGroup(this.child, signal);
		} catch {}
	}

	private describeEnd(reason: string): string {
		const { exitCode, signalCode } = this.child;
		const end =
			exitCode !== null
				? `the agent exited with code ${exitCode}`
				: signalCode !== null
					? `the agent was killed by ${signalCode}`
					: reason;
		const output = this.stderrTail.trim();
		return output === "" ? end : `${end}: ${output}`;
	}
}

function whyNotStarted(error: NodeJS.ErrnoException, command: string, cwd: string | undefined): string {
	if (error.code !== "ENOENT") return `${command} did not start: ${error.message}`;
	// A missing working directory has the same error code.
	if (cwd !== undefined && !existsSync(cwd)) return `${command} did not start: the folder ${cwd} does not exist`;
	return `${command} was not found: install it or give its full path`;
}

function whenExited(child: ChildProcess, run: () => void): void {
	if (child.exitCode !== null || child.signalCode !== null) run();
	else child.once("exit", run);
}

/** Does not keep this process alive, because its exit ends the agent. */
function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs).unref();
	return () => clearTimeout(timer);
}
