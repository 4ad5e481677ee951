import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import path from "node:path";

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "server", "bin", "segue.js");

export interface SegueOptions {
	readonly folder: string;
	/** Besides the path, nothing else of this process's environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Whether a terminal of 100 columns is in front of it; both its outputs are then one. */
	readonly isTerminal?: boolean;
	/** What is piped in; without it there is nothing to be read. */
	readonly input?: string | Uint8Array;
}

/** The `segue` command in a process of its own, which a test waits for by what it prints. */
export class SegueProcess {
	stdout = "";
	stderr = "";
	/** Its exit code, or what it was killed with. */
	readonly ended: Promise<number | NodeJS.Signals>;
	private readonly child: ChildProcess;
	/** Up to where of the standard output a test has waited. */
	private seen = 0;
	private isOver = false;
	private readonly heard = new Set<() => void>();

	constructor(args: readonly string[], { folder, env, isTerminal = false, input }: SegueOptions) {
		const [program, ...rest] = isTerminal ? inTerminal(args) : [process.execPath, LAUNCHER, ...args];
		const isFed = isTerminal || input !== undefined;
		this.child = spawn(program as string, rest, {
			cwd: folder,
			env: { PATH: process.env["PATH"], HOME: folder, TERM: "xterm", ...env },
			stdio: [isFed ? "pipe" : "ignore", "pipe", "pipe"],
			// Signals that a test sends reach it alone.
			detached: true,
		});
		this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			this.stdout += text;
			this.tell();
		});
		this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			this.stderr += text;
		});
		// What it no longer reads is of no interest.
		this.child.stdin?.on("error", () => {});
		if (!isTerminal) this.child.stdin?.end(input);
		this.ended = new Promise((resolve) => {
			this.child.on("close", (code, signal) => {
				this.isOver = true;
				this.tell();
				resolve(code ?? (signal as NodeJS.Signals));
			});
		});
	}

	/** Settles once this is printed, behind what was waited for before. */
	async until(text: string | RegExp): Promise<RegExpExecArray> {
		const pattern = new RegExp(typeof text === "string" ? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : text, "g");
		for (;;) {
			pattern.lastIndex = this.seen;
			const match = pattern.exec(this.stdout);
			if (match !== null) {
				this.seen = pattern.lastIndex;
				return match;
			}
			if (this.isOver) throw new Error(`It ended without ${text}:\n${this.stdout.slice(this.seen)}\n${this.stderr}`);
			await new Promise<void>((resolve) => this.heard.add(resolve));
		}
	}

	/** The JSON values that it has printed, one in each line. */
	get lines(): readonly Record<string, unknown>[] {
		const whole = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
		return whole
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line));
	}

	/** Presses keys. */
	type(keys: string): void {
		this.child.stdin?.write(keys);
	}

	/** Sends it a signal: itself, or the terminal that it is in. */
	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	/** Reads nothing of its standard output any more, as `head` does. */
	stopReading(): void {
		this.child.stdout?.destroy();
	}

	private tell(): void {
		for (const hear of this.heard) hear();
		this.heard.clear();
	}
}

// util-linux's script runs a command in a terminal of its own, and gives its exit code.
const SCRIPT = ["script", "-qefc"] as const;

/** Whether this machine can put a terminal in front of a command. */
export const hasTerminals = spawnSync(SCRIPT[0], [SCRIPT[1], "true", "/dev/null"], { stdio: "ignore" }).status === 0;

function inTerminal(args: readonly string[]): readonly string[] {
	const command = [process.execPath, LAUNCHER, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
	return [...SCRIPT, `stty rows 40 cols 100; exec ${command}`, "/dev/null"];
}
