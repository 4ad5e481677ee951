import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { RunningSegue, type SegueOptions, type Serve } from "./running-segue.js";

const LAUNCHER = path.join(import.meta.dirname, "..", "..", "..", "cli", "bin", "segue.js");

/** Runs the `segue` command in a child process. */
export class SegueProcess extends RunningSegue {
	readonly ended: Promise<number | NodeJS.Signals>;
	private readonly child: ChildProcess;

	constructor(args: readonly string[], { folder, env, isTerminal = false, input }: SegueOptions) {
		super();
		const [program, ...rest] = isTerminal ? inTerminal(args) : [process.execPath, LAUNCHER, ...args];
		const isFed = isTerminal || input !== undefined;
		this.child = spawn(program as string, rest, {
			cwd: folder,
			env: { PATH: process.env["PATH"], HOME: folder, TERM: "xterm", ...env },
			stdio: [isFed ? "pipe" : "ignore", "pipe", "pipe"],
			// In a separate process group, so that signals sent by tests reach only the command.
			detached: true,
		});
		this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.printed(text));
		this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			this.stderr += text;
		});
		// The command may exit without reading all of its input.
		this.child.stdin?.on("error", () => {});
		if (!isTerminal) this.child.stdin?.end(input);
		this.ended = new Promise((resolve) => {
			this.child.on("close", (code, signal) => {
				this.over();
				resolve(code ?? (signal as NodeJS.Signals));
			});
		});
	}

	type(keys: string): void {
		this.child.stdin?.write(keys);
	}

	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	stopReading(): void {
		this.child.stdout?.destroy();
	}

	async stop(): Promise<void> {
		this.kill("SIGKILL");
		await this.ended;
	}
}

/** Runs a `segue` server in a child process. */
export const serveInProcess: Serve = (args, { folder, env, complain }) => {
	const child = spawn(process.execPath, [LAUNCHER, ...args], {
		cwd: folder,
		env: { PATH: process.env["PATH"], HOME: folder, ...env },
		stdio: ["pipe", "pipe", "pipe"],
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => complain?.(text));
	// The command may exit without reading all of its input.
	child.stdin.on("error", () => {});
	return {
		pid: child.pid ?? 0,
		input: child.stdin,
		output: child.stdout,
		ended: new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? (signal as NodeJS.Signals)))),
		kill: (signal) => child.kill(signal),
	};
};

// `script` from util-linux runs a command in a new terminal and returns its exit code.
const SCRIPT = ["script", "-qefc"] as const;

/** Whether commands can be run in a terminal on this machine. */
export const hasTerminals = spawnSync(SCRIPT[0], [SCRIPT[1], "true", "/dev/null"], { stdio: "ignore" }).status === 0;

function inTerminal(args: readonly string[]): readonly string[] {
	const command = [process.execPath, LAUNCHER, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
	return [...SCRIPT, `stty rows 40 cols 100; exec ${command}`, "/dev/null"];
}
