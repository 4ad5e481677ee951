import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type Channel, type Framing, lines, type Receiver } from "../index.js";
import { atProcessExit, killGroup, spawnGroup } from "./process-group.js";
import { overStreams } from "./streams.js";

// An error message and the few calls that led to it.
const LAST_WORDS_LENGTH = 2048;
// A process that closed its output is about to exit, and one that exited has written its last. Both take no time, unless
// another process keeps the pipe open or it goes on without us.
const LAST_WORDS_MS = 500;
// The next two together stay below the time that a connection waits for its end.
// An agent that reads the end of its input has nothing left to do.
const GRACE_MS = 500;
// One that is told to end may still have something to write to disk.
const TERMINATE_MS = 1000;

export interface ProcessOptions {
	readonly cwd?: string;
	/** Beside the variables of this process. */
	readonly env?: Readonly<Record<string, string>>;
	/** How it tells messages apart; in lines unless said otherwise. */
	readonly framing?: Framing;
	/** Runs something later; returns how to call it off. */
	readonly after?: (delayMs: number, run: () => void) => () => void;
}

/**
 * Says how to start an agent that speaks over its standard streams. It lives in a process group of its own, which ends
 * with the connection and does not outlive this process.
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
	private lastWords = "";
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
			this.lastWords = (this.lastWords + text).slice(-LAST_WORDS_LENGTH);
		});
		child.stderr.on("error", () => {}); // what was read of it is all there is
		child.on("error", () => {}); // a signal that could not be sent is followed by a stronger one
		this.forgetExit = atProcessExit(this.kill);
	}

	/** Node closes the input of a process that exited, so that is seen even if others keep its output open. */
	open(receiver: Receiver, messageBytesMax: number): void {
		let isEnding = false;
		const end = (reason: string) => {
			if (isEnding) return;
			isEnding = true;
			const tell = () => {
				callOff();
				receiver.closed(this.describeEnd(reason));
			};
			const callOff = this.after(LAST_WORDS_MS, tell);
			this.child.once("close", tell);
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
			this.terminate(); // what the agent started may still run
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

	/** A group that may not be ended, because it took on another user's rights, is no reason to take the editor down. */
	private signal(signal: "SIGTERM" | "SIGKILL"): void {
		try {
			killGroup(this.child, signal);
		} catch {}
	}

	private describeEnd(reason: string): string {
		const { exitCode, signalCode } = this.child;
		const end =
			exitCode !== null
				? `the agent ended with code ${exitCode}`
				: signalCode !== null
					? `the agent was ended by ${signalCode}`
					: reason;
		const words = this.lastWords.trim();
		return words === "" ? end : `${end}: ${words}`;
	}
}

function whyNotStarted(error: NodeJS.ErrnoException, command: string, cwd: string | undefined): string {
	if (error.code !== "ENOENT") return `${command} did not start: ${error.message}`;
	// A folder that is missing has the same code.
	if (cwd !== undefined && !existsSync(cwd)) return `${command} did not start: there is no folder ${cwd}`;
	return `${command} was not found: install it or give its full path`;
}

function whenExited(child: ChildProcess, run: () => void): void {
	if (child.exitCode !== null || child.signalCode !== null) run();
	else child.once("exit", run);
}

/** Does not keep this process alive: its end ends the agent, too. */
function startTimer(delayMs: number, run: () => void): () => void {
	const timer = setTimeout(run, delayMs).unref();
	return () => clearTimeout(timer);
}
