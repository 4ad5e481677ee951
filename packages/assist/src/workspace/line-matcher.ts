import { Worker } from "node:worker_threads";

// Room for the largest text that is searched, several times over.
const HEAP_MB_MAX = 256;

/** How long a search may take, from its start on. */
export class TimeLimit {
	/** Whether the time was up, or the search was cancelled. */
	isStopped = false;
	private readonly timer: NodeJS.Timeout;

	/** Throws where the signal is aborted already. */
	constructor(
		private readonly limitMs: number,
		private readonly signal: AbortSignal,
	) {
		signal.throwIfAborted();
		this.timer = setTimeout(() => this.stop(), limitMs);
		signal.addEventListener("abort", this.onAbort);
	}

	/** For the model, where a search was stopped. */
	get notice(): string {
		return `(Stopped ${this.reason}: this is not all. Simplify the pattern, or look in a smaller folder.)`;
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
 * Finds the lines of texts that match a regular expression. A model wrote that and it may take any time, so it runs in a
 * thread of its own, which is ended when the time is up.
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

	/** The indices of the lines that match, ascending; undefined where it was stopped. One text at a time. */
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

	/** Ends the thread, whatever it is doing. */
	override stop(): void {
		super.stop();
		void this.worker.terminate();
		this.answer?.(undefined);
	}
}

/** Where lines are parted; behind the last one there is no further, empty one. */
export const LINE_END = /\r?\n/;

// It is text, because a file would be somewhere else in the sources, in the build and in a bundle.
const WORKER = `
	const { parentPort } = require("node:worker_threads");
	parentPort.on("message", ({ text, pattern }) => {
		const lines = text.split(${LINE_END});
		if (lines.at(-1) === "") lines.pop();
		parentPort.postMessage(lines.flatMap((line, i) => (pattern.test(line) ? [i] : [])));
	});
`;
