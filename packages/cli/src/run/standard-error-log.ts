import { debuglog } from "node:util";
import type { Problem } from "@segue/rpc";
import { type StartTimer, startBackgroundTimer } from "@segue/text/clock";
import type { CommandProcess } from "../command-line.js";
import { writeMessage } from "../terminal/message.js";

// More lines than a start with a few errors prints.
const BURST_LINES = 200;
// After a burst, limits the log to about 20 MB a day.
const LINES_PER_SECOND = 2;
// Longer than any useful stack trace.
const LINE_LENGTH_MAX = 4096;
const SUMMARY_MS = 10_000;

/** Shown on standard error with NODE_DEBUG=segue. */
const debug = debuglog("segue");

/** The log of a process that serves an editor. Its functions need no `this`. */
export interface StandardErrorLog {
	readonly log: (text: string) => void;
	/** Logs a problem that cannot be reported in a response. */
	readonly report: (problem: Problem) => void;
	/** Writes how many lines were suppressed, if any. */
	readonly flush: () => void;
}

export function openStandardErrorLog({ stderr }: Pick<CommandProcess, "stderr">): StandardErrorLog {
	// The editor or terminal may close standard error but keep the connection.
	stderr.on("error", () => {});
	const limit = new LogLimit((line) => writeMessage(stderr, line));
	const log = (text: string) => limit.log(text);
	return {
		log,
		report: ({ kind, method, text, error }) => {
			const about = method === undefined ? kind : `${kind} ${method}`;
			// Clients send notifications from other protocol versions and their own extensions.
			const write = kind === "unknown-notification" ? debug : log;
			write(`${about}: ${text}${error instanceof Error ? ` (${error.message})` : ""}`);
		},
		flush: () => limit.flush(),
	};
}

/** Limits the rate of log lines, because editors store standard error and a faulty or hostile peer could fill the disk. */
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
		// Write a pending summary first to keep the log in order.
		this.flush();
		this.left--;
		this.write(line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line);
	}

	/** Writes how many lines were suppressed since the last summary, if any. */
	flush(): void {
		this.callOffSummary?.();
		this.callOffSummary = undefined;
		if (this.suppressed === 0) return;
		const count = this.suppressed;
		this.suppressed = 0;
		this.write(count === 1 ? "1 message suppressed" : `${count} messages suppressed`);
	}
}
