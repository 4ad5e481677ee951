import { EventEmitter } from "node:events";
import { constants } from "node:os";
import { PassThrough, Writable } from "node:stream";
import { QuirkyAgents } from "../agents/quirky-agent.js";
import { RunningSegue, type SegueOptions, type Serve } from "./running-segue.js";

/** Runs a command. This is the CLI's `runSegue` function, which this package cannot import. */
export type RunSegue = (args: readonly string[], process: MemoryProcess) => Promise<void>;

/** Runs the `segue` command in this thread. The agents that it starts are quirky agents, also in this thread. */
export class SegueInMemory extends RunningSegue {
	readonly ended: Promise<number | NodeJS.Signals>;
	private readonly process: MemoryProcess;

	constructor(run: RunSegue, args: readonly string[], options: SegueOptions) {
		super();
		const print = (text: string) => this.printed(text);
		const printError = (text: string) => {
			this.stderr += text;
		};
		this.process = new MemoryProcess(options, print, options.isTerminal ? print : printError);
		if (!options.isTerminal) this.process.stdin.end(options.input);
		this.ended = this.process.run(run, args).finally(() => this.over());
	}

	type(keys: string): void {
		this.process.type(keys);
	}

	kill(signal: NodeJS.Signals): void {
		this.process.signal(signal);
	}

	stopReading(): void {
		this.process.stdout.isRead = false;
	}

	async stop(): Promise<void> {
		this.kill("SIGTERM");
		await this.ended;
	}
}

/** Returns a function that runs `segue` servers in this thread. */
export function servingInMemory(run: RunSegue): Serve {
	return (args, { folder, env, complain }) => {
		const output = new PassThrough();
		const memory = new MemoryProcess({ folder, env }, (text) => output.write(text), complain ?? (() => {}));
		output.on("close", () => {
			memory.stdout.isRead = false;
		});
		return {
			pid: process.pid,
			input: memory.stdin,
			output,
			ended: memory.run(run, args).finally(() => output.end()),
			kill: (signal) => memory.signal(signal),
		};
	};
}

// biome-ignore lint/suspicious/noExplicitAny: accepts any listener
type SignalListener = (...args: any[]) => void;

/** The command's view of its process. Its standard streams are in-memory streams or a minimal in-memory terminal. */
class MemoryProcess {
	readonly env: NodeJS.ProcessEnv;
	readonly stdin: NodeJS.Process["stdin"] & Terminal;
	readonly stdout: NodeJS.Process["stdout"] & Printer;
	readonly stderr: NodeJS.Process["stderr"] & Printer;
	readonly startAgent = new QuirkyAgents().start;
	exitCode: number | undefined;
	private readonly signals = new EventEmitter();
	private readonly folder: string;
	private readonly exited: Promise<number | NodeJS.Signals>;
	private leave: (code: number | NodeJS.Signals) => void = () => {};

	constructor(
		{ folder, env, isTerminal = false }: Omit<SegueOptions, "input">,
		print: (text: string) => void,
		printError: (text: string) => void,
	) {
		this.folder = folder;
		this.env = { PATH: process.env["PATH"], HOME: folder, TERM: "xterm", ...env };
		this.stdin = new Terminal(isTerminal) as this["stdin"];
		this.stdout = new Printer(print, isTerminal) as this["stdout"];
		this.stderr = new Printer(printError, isTerminal) as this["stderr"];
		this.exited = new Promise((resolve) => {
			this.leave = resolve;
		});
	}

	readonly cwd = (): string => this.folder;

	/** Resolves with the exit code or the signal that ended the process. */
	run(run: RunSegue, args: readonly string[]): Promise<number | NodeJS.Signals> {
		return Promise.race([this.exited, run(args, this).then(() => this.exitCode ?? 0)]);
	}

	on(signal: string, listener: SignalListener): void {
		this.signals.on(signal, listener);
	}

	off(signal: string, listener: SignalListener): void {
		this.signals.off(signal, listener);
	}

	/** Marks the process as exited. Unlike a real exit, this does not stop the code after the call. */
	exit(code?: number | string | null): never {
		this.leave(Number(code ?? this.exitCode ?? 0));
		return undefined as never;
	}

	signal(name: NodeJS.Signals): void {
		if (!this.signals.emit(name, name, constants.signals[name])) this.leave(name);
	}

	/** Sends keys as a terminal would: unchanged in raw mode, otherwise with echo, Ctrl-C and Ctrl-D. */
	type(keys: string): void {
		const { stdin } = this;
		if (stdin.isRaw) {
			stdin.write(keys);
			return;
		}
		for (const key of keys) {
			if (key === "\x03") this.signal("SIGINT");
			else if (key === "\x04") stdin.end();
			else {
				this.stdout.write(key);
				stdin.write(key.replace("\r", "\n"));
			}
		}
	}
}

class Terminal extends PassThrough {
	isRaw = false;
	readonly setRawMode: ((isRaw: boolean) => this) | undefined;

	constructor(readonly isTTY: boolean) {
		super();
		if (!isTTY) return;
		this.setRawMode = (isRaw) => {
			this.isRaw = isRaw;
			return this;
		};
	}
}

class Printer extends Writable {
	/** Whether the output is still being read. If it is not, writes fail with EPIPE. */
	isRead = true;
	readonly columns: number | undefined;
	readonly rows: number | undefined;

	constructor(
		private readonly print: (text: string) => void,
		readonly isTTY: boolean,
	) {
		super({ decodeStrings: false });
		if (!isTTY) return;
		this.columns = 100;
		this.rows = 40;
	}

	override _write(chunk: string | Buffer, _encoding: string, done: (error: Error | undefined) => void): void {
		if (this.isRead) this.print(String(chunk));
		done(this.isRead ? undefined : Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
	}
}
