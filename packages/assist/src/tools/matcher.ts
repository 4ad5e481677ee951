import { Worker } from "node:worker_threads";

// Room for the largest text that is searched, several times over.
const HEAP_MB_MAX = 256;

/**
 * Says which lines of texts match a regular expression. A model wrote that, and there is no telling how long it takes: it
 * runs in a thread of its own, which is ended when the time is up, counted from the start.
 */
export class Matcher {
	private readonly worker: Worker;
	private readonly timer: NodeJS.Timeout;
	private answer: ((lines: readonly number[] | undefined) => void) | undefined;
	/** Whether the time was up, or the pattern broke the thread: what was found until then is not all. */
	isStopped = false;
	private isBroken = false;

	/** Throws where the signal is aborted already. */
	constructor(
		private readonly timeLimitMs: number,
		private readonly signal: AbortSignal,
	) {
		signal.throwIfAborted();
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
		this.timer = setTimeout(this.stop, timeLimitMs);
		signal.addEventListener("abort", this.stop);
	}

	/** The indices of the lines that match, ascending; undefined where it was stopped. One text at a time. */
	linesIn(text: string, pattern: RegExp): Promise<readonly number[] | undefined> {
		if (this.isStopped) return Promise.resolve(undefined);
		return new Promise((resolve) => {
			this.answer = resolve;
			this.worker.postMessage({ text, pattern });
		});
	}

	/** Told to the model where it was stopped. */
	get notice(): string {
		const why = this.isBroken ? "because the pattern takes too much memory" : `after ${this.timeLimitMs / 1000} s`;
		return `(Stopped ${why}: this is not all. Simplify the pattern, or look in a smaller folder.)`;
	}

	/** Ends the thread, whatever it is doing. */
	readonly stop = (): void => {
		this.isStopped = true;
		clearTimeout(this.timer);
		this.signal.removeEventListener("abort", this.stop);
		void this.worker.terminate();
		this.answer?.(undefined);
	};
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
