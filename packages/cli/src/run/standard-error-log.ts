import { debuglog } from "node:util";
import type { Problem } from "@segue/rpc";
import { type StartTimer, startBackgroundTimer } from "@segue/text/clock";
import type { CommandProcess } from "../command-line.js";

// Everything that a start and an ordinary mistake print.
const BURST_LINES = 200;
// After that, about 20 MB of log a day at most.
const LINES_PER_SECOND = 2;
// Longer than any stack trace that helps.
const LINE_LENGTH_MAX = 4096;
const SUMMARY_MS = 10_000;

/** Shown on standard error with NODE_DEBUG=segue. */
const debug = debuglog("segue");

/** The log of a process that serves an editor. Its functions need no `this`. */
export interface StandardErrorLog {
	readonly log: (text: string) => void;
	/** Logs a problem that has no response to go into. */
	readonly report: (problem: Problem) => void;
	/** Writes how many lines were left out, if any. */
	readonly flush: () => void;
}

export function openStandardErrorLog({ stderr }: Pick<CommandProcess, "stderr">): StandardErrorLog {
	// The editor or the terminal may close standard error and still want to be served.
	stderr.on("error", () => {});
	const limit = new LogLimit((line) => stderr.write(`segue: ${line}\n`));
	const log = (text: string) => limit.log(text);
	return {
		log,
		report: ({ kind, method, text, error }) => {
			const about = method === undefined ? kind : `${kind} ${method}`;
			// Clients send notifications of other protocol versions and of their own.
			const write = kind === "unknown-notification" ? debug : log;
			write(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
		},
		flush: () => limit.flush(),
	};
}

/** Limits the rate of log lines, so that a faulty or hostile peer cannot fill a disk through our standard error. */
export class LogLimit {
	private left = BURST_LINES;
	private refilledAt: number;
	private suppressed = 0;
	private callOffSummary: (() => void) | undefined;

	constructor(
		private readonly write: (line: string) => void,
		private readonly now: () => number = performance.now.bind(performance),
		private readonly after: StartTimer = startBackgroundTimer,
	) {
		this.refilledAt = now();
	}

	log(line: string): void {
		const now = this.now();
		this.left = Math.min(BURST_LINES, this.left + ((now - this.refilledAt) / 1000) * LINES_PER_SECOND);
		this.refilledAt = now;
		if (this.left < 1) {
			this.suppressed++;
			this.callOffSummary ??= this.after(SUMMARY_MS, () => this.flush());
			return;
		}
		// A summary that is due comes first, so that the log has the order of events.
		this.flush();
		this.left--;
		this.write(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
	}

	/** Reports how many lines were left out since the last time, if any. */
	flush(): void {
		this.callOffSummary?.();
		this.callOffSummary = undefined;
		if (this.suppressed === 0) return;
		const count = this.suppressed;
		this.suppressed = 0;
		this.write(count === 1 ? "1 message suppressed" : `${count} messages suppressed`);
	}
}
