import { type StartTimer, startTimer } from "@segue/text/clock";
import type { CommandProcess } from "./command-line.js";

/**
 * What still runs when nobody is served any more may take this long to end. Who waits for this process is not kept any longer,
 * and the processes that it has started are killed, with all of theirs, when it exits.
 */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** Waits for something to end, but not for ever. Whether it has. */
export function withTimeout(ending: Promise<void>, after: StartTimer = startTimer): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const callOff = after(SHUTDOWN_TIMEOUT_MS, () => resolve(false));
		ending.then(() => resolve(true), reject).finally(callOff);
	});
}

// What shells give for a process that a signal ended: 128 and its number.
const HUNG_UP = 129;
export const INTERRUPTED = 130;
const TERMINATED = 143;

/** Ends the process on signals and when its output is closed. */
export class ShutdownSignals {
	/** The exit code, once it is to end. */
	code: number | undefined;
	private readonly gone = new AbortController();
	private readonly stop = new AbortController();

	constructor(private readonly process: CommandProcess) {
		process.on("SIGTERM", this.terminate);
		process.on("SIGHUP", this.hangUp);
		// A turn that runs is ended properly first.
		process.stdout.on("error", this.outputGone);
		// What is told besides the answer is not missed where nobody reads it.
		process.stderr.on("error", () => {});
		// A terminal that is gone says so when its mode is set back.
		process.stdin.on("error", this.hangUp);
	}

	get signal(): AbortSignal {
		return this.gone.signal;
	}

	/** From now on Ctrl-C ends what has this signal, and a second one the process. */
	interruptible(): AbortSignal {
		this.process.on("SIGINT", this.interrupt);
		return AbortSignal.any([this.gone.signal, this.stop.signal]);
	}

	/** Ends the process at once, for somebody who has asked twice. */
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
	// A reader that has seen enough is no reason to complain.
	private readonly outputGone = (): void => this.leave(0);

	private leave(code: number): void {
		this.code ??= code;
		this.gone.abort();
	}
}
