import { type StartTimer, startTimer } from "@segue/text/clock";
import type { CommandProcess } from "./command-line.js";

/**
 * Grace period for background work after the last client disconnects. Then the process exits, which kills its child processes
 * and their children.
 */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** Resolves to true once `ending` resolves, or to false after the shutdown timeout. */
export function withTimeout(ending: Promise<void>, after: StartTimer = startTimer): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const callOff = after(SHUTDOWN_TIMEOUT_MS, () => resolve(false));
		ending.then(() => resolve(true), reject).finally(callOff);
	});
}

// Exit codes as shells report them for a process ended by a signal: 128 plus the signal number.
const HUNG_UP = 129;
export const INTERRUPTED = 130;
const TERMINATED = 143;

/** Aborts running work on signals and when the output is closed. */
export class ShutdownSignals {
	/** The exit code, set once the process should end. */
	code: number | undefined;
	private readonly gone = new AbortController();
	private readonly stop = new AbortController();

	constructor(private readonly process: CommandProcess) {
		process.on("SIGTERM", this.terminate);
		process.on("SIGHUP", this.hangUp);
		// Let a running turn end first.
		process.stdout.on("error", this.outputGone);
		// Standard error carries only diagnostics, so the command continues if it is closed.
		process.stderr.on("error", () => {});
		// Restoring the terminal's mode fails if the terminal has been closed.
		process.stdin.on("error", this.hangUp);
	}

	get signal(): AbortSignal {
		return this.gone.signal;
	}

	/** Returns a signal that Ctrl-C aborts. A second Ctrl-C exits the process. */
	interruptible(): AbortSignal {
		this.process.on("SIGINT", this.interrupt);
		return AbortSignal.any([this.gone.signal, this.stop.signal]);
	}

	/** Exits immediately, because the user has pressed Ctrl-C twice. */
	readonly now = (): void => this.process.exit(INTERRUPTED);

	readonly interrupt = (): void => {
		if (this.stop.signal.aborted) this.now();
		this.stop.abort();
	};

	close(): void {
		const { process } = this;
		process.off("SIGTERM", this.terminate);
		process.off("SIGHUP", this.hangUp);
		process.off("SIGINT", this.interrupt);
	}

	private readonly terminate = (): void => this.leave(TERMINATED);
	private readonly hangUp = (): void => this.leave(HUNG_UP);
	// It is not an error if a reader closes the pipe early.
	private readonly outputGone = (): void => this.leave(0);

	private leave(code: number): void {
		this.code ??= code;
		this.gone.abort();
	}
}
