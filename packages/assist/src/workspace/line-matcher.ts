import { Worker } from "node:worker_threads";

// Several times the size of the largest file that is searched.
const HEAP_MB_MAX = 256;

/** The time limit for a search. Starts when constructed. */
export class TimeLimit {
	/** Whether the search timed out or was cancelled. */
	isStopped = false;
	private readonly timer: NodeJS.Timeout;

	/** Throws if the signal is already aborted. */
	constructor(
		private readonly limitMs: number,
		private readonly signal: AbortSignal,
	) {
		signal.throwIfAborted();
		this.timer = setTimeout(() => this.stop(), limitMs);
		signal.addEventListener("abort", this.onAbort);
	}

	/** Tells the model that the search was stopped. */
	get notice(): string {
		return `(Stopped ${this.reason}, so results are incomplete. Simplify the pattern, or search a smaller folder.)`;
	}

	protected get reason(): string {
		return `after ${this.limitMs / 1000} s`;
	}

	stop(): void {
		this.isStopped = true;
		clearTimeout(this.timer);
		this.signal.removeEventListener("abort", this.onAbort);
	}

	private readonly onAbort = () => this.stop();
}

/**
 * Finds lines that match a regular expression. The expression comes from a model and can take exponential time, so it
 * runs in a worker thread, which is terminated at the time limit.
 */
export class LineMatcher extends TimeLimit {
	private readonly worker: Worker;
	private answer: ((lines: readonly number[] | undefined) => void) | undefined;
	private isBroken = false;

	constructor(limitMs: number, signal: AbortSignal) {
		super(limitMs, signal);
		this.worker = new Worker(WORKER, {
			eval: true,
			execArgv: [],
			resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
		});
		this.worker.unref();
		this.worker.on("message", (lines: readonly number[]) => this.answer?.(lines));
		this.worker.on("error", () => {
			this.isBroken = true;
			this.stop();
		});
	}

	/**
	 * Returns the ascending indices of the matching lines, or undefined if the search was stopped. Wait for the result
	 * before the next call.
	 */
	linesIn(text: string, pattern: RegExp): Promise<readonly number[] | undefined> {
		if (this.isStopped) return Promise.resolve(undefined);
		return new Promise((resolve) => {
			this.answer = resolve;
			this.worker.postMessage({ text, pattern });
		});
	}

	protected override get reason(): string {
		return this.isBroken ? "because the pattern takes too much memory" : super.reason;
	}

	/** Terminates the worker, even in the middle of a match. */
	override stop(): void {
		super.stop();
		void this.worker.terminate();
		this.answer?.(undefined);
	}
}

/** The line separator. A trailing one does not start another line. */
export const LINE_END = /\r?\n/;

// The worker's code is a string, because a file would have different paths in the sources, the build and the bundle.
const WORKER = `
	const { parentPort } = require("node:worker_threads");
	parentPort.on("message", ({ text, pattern }) => {
		const lines = text.split(${LINE_END});
		if (lines.at(-1) === "") lines.pop();
		parentPort.postMessage(lines.flatMap((line, i) => (pattern.test(line) ? [i] : [])));
	});
`;
