import type { Readable, Writable } from "node:stream";

/** A running `segue` command and its output. */
export abstract class RunningSegue {
	stdout = "";
	stderr = "";
	/** The command's exit code, or the signal that ended it. */
	abstract readonly ended: Promise<number | NodeJS.Signals>;
	/** The offset in standard output at which the next `until` starts searching. */
	private seen = 0;
	private isOver = false;
	private readonly waiting = new Set<() => void>();

	/** Resolves once the text has been printed. The search starts after the previous call's match. */
	async until(text: string | RegExp): Promise<RegExpExecArray> {
		const pattern = new RegExp(typeof text === "string" ? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : text, "g");
		for (;;) {
			pattern.lastIndex = this.seen;
			const match = pattern.exec(this.stdout);
			if (match !== null) {
				this.seen = pattern.lastIndex;
				return match;
			}
			if (this.isOver)
				throw new Error(
					`The command exited before it printed ${text}:\n${this.stdout.slice(this.seen)}\n${this.stderr}`,
				);
			await new Promise<void>((resolve) => this.waiting.add(resolve));
		}
	}

	/** The JSON values printed so far, one per line. */
	get lines(): readonly Record<string, unknown>[] {
		const whole = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
		return whole
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line));
	}

	/** Types keys into the terminal. */
	abstract type(keys: string): void;

	/** Sends a signal to the command, or to the terminal that it runs in. */
	abstract kill(signal: NodeJS.Signals): void;

	/** Closes the read end of the command's standard output, as `head` does. */
	abstract stopReading(): void;

	/** Stops the command, forcibly if necessary. */
	abstract stop(): Promise<void>;

	protected printed(text: string): void {
		this.stdout += text;
		this.wake();
	}

	protected over(): void {
		this.isOver = true;
		this.wake();
	}

	private wake(): void {
		for (const wake of this.waiting) wake();
		this.waiting.clear();
	}
}

/** A `segue` command that serves an editor over its standard streams. */
export interface ServingSegue {
	/** The id of the process that runs the command. */
	readonly pid: number;
	/** The command's standard input. */
	readonly input: Writable;
	/** The command's standard output. */
	readonly output: Readable;
	/** The command's exit code, or the signal that ended it. */
	readonly ended: Promise<number | NodeJS.Signals>;
	kill(signal: NodeJS.Signals): void;
}

export type Serve = (args: readonly string[], options: ServingOptions) => ServingSegue;

interface ServingOptions {
	readonly folder: string;
	/** Set in addition to PATH. Nothing else is inherited from the environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Called with output to standard error. */
	readonly complain?: (text: string) => void;
}

export interface SegueOptions {
	readonly folder: string;
	/** Set in addition to PATH. Nothing else is inherited from the environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Whether to run in a terminal with 100 columns. A terminal merges standard output and standard error. */
	readonly isTerminal?: boolean;
	/** Piped into standard input. Empty by default. */
	readonly input?: string | Uint8Array;
}
