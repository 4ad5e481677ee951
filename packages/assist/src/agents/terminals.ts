import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { atProcessExit, killGroup, spawnGroup } from "@segue/rpc/node";
import type { StartTimer } from "@segue/text";
import { environmentFor } from "../workspace/environment.js";

/** Maximum unreleased terminals per session. An agent with more has probably forgotten to release them. */
const TERMINALS_MAX = 32;
/** Only the end of a command's output is kept. These are its default and maximum length. */
const OUTPUT_BYTES = 2 ** 20;
const OUTPUT_BYTES_MAX = 8 * 2 ** 20;
/** Grace period between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;

export type CreateTerminal = ParamsOf<typeof acp.createTerminal>;

interface TerminalOptions {
	readonly after: StartTimer;
	/** Environment variables that commands don't get, in addition to those recognized by name. */
	readonly secretVariables: readonly string[];
}

/** The terminals that Segue runs for a session. */
export class AgentTerminals {
	private readonly terminals = new Map<string, Terminal>();
	private count = 0;

	constructor(private readonly options: TerminalOptions) {}

	get(id: string): Terminal | undefined {
		return this.terminals.get(id);
	}

	delete(id: string): void {
		this.terminals.delete(id);
	}

	/** Throws an `RpcError` if too many terminals are open. */
	checkRoom(): void {
		if (this.terminals.size < TERMINALS_MAX) return;
		throw new RpcError(ErrorCode.busy, `Busy: ${TERMINALS_MAX} terminals are open; release one first`);
	}

	/** Starts a command in a folder, and returns the id of its terminal. */
	create(params: CreateTerminal, folder: string): string {
		const id = `segue-terminal-${++this.count}`;
		this.terminals.set(id, new Terminal(id, params, folder, this.options));
		return id;
	}

	/** Kills all commands and their children. */
	close(): void {
		for (const terminal of this.terminals.values()) terminal.kill();
		this.terminals.clear();
	}
}

/** A command that is running, or has ended but has not been released. */
export class Terminal {
	readonly exited: Promise<ResultOf<typeof acp.waitForTerminalExit>>;
	private readonly child: ChildProcess;
	private readonly bytesMax: number;
	private text = "";
	private truncated = false;
	private status: ResultOf<typeof acp.waitForTerminalExit> | undefined;

	constructor(
		readonly id: string,
		{ command, args, env, outputByteLimit }: CreateTerminal,
		folder: string,
		private readonly options: TerminalOptions,
	) {
		this.bytesMax = Math.min(outputByteLimit ?? OUTPUT_BYTES, OUTPUT_BYTES_MAX);
		const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
		// Some agents send a whole shell command line in `command`.
		const shell = (args ?? []).length === 0 && /\s/.test(command);
		this.child = spawnGroup(command, args ?? [], {
			cwd: folder,
			shell,
			env: { ...environmentFor(process.env, options.secretVariables), ...own },
			stdio: ["ignore", "pipe", "pipe"],
		});
		for (const stream of [this.child.stdout, this.child.stderr]) {
			const decoder = new StringDecoder("utf8");
			stream?.on("data", (bytes: Buffer) => this.add(decoder.write(bytes)));
		}
		const forgetExit = atProcessExit(this.end);
		this.exited = new Promise((resolve) => {
			const end = (status: ResultOf<typeof acp.waitForTerminalExit>) => {
				this.status ??= status;
				resolve(this.status);
			};
			this.child.on("error", (error) => {
				this.add(`The command could not be started: ${error.message}\n`);
				end({ exitCode: COULD_NOT_START });
			});
			// Kill background processes, which could keep the streams open.
			this.child.on("exit", () => this.kill());
			this.child.on("close", (code, signal) => {
				forgetExit();
				end(signal === null ? { exitCode: code } : { signal });
			});
		});
	}

	/** Returns the end of the output, within the byte limit and without splitting a character. */
	output(): ResultOf<typeof acp.terminalOutput> {
		const bytes = Buffer.from(this.text);
		let from = Math.max(0, bytes.length - this.bytesMax);
		while (from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from++;
		return {
			output: bytes.subarray(from).toString(),
			truncated: this.truncated || from > 0,
			...(this.status !== undefined && { exitStatus: this.status }),
		};
	}

	kill(): void {
		killGroup(this.child, "SIGTERM");
		this.options.after(GRACE_MS, () => {
			this.end();
			// A process that left the group can keep the pipes open indefinitely.
			this.child.stdout?.destroy();
			this.child.stderr?.destroy();
		});
	}

	private readonly end = (): void => killGroup(this.child, "SIGKILL");

	private add(text: string): void {
		this.text += text;
		// Trimming after every chunk would copy the text each time. A character has at least one byte, so enough is
		// kept.
		if (this.text.length <= 2 * this.bytesMax) return;
		this.text = this.text.slice(-this.bytesMax);
		this.truncated = true;
	}
}

/** The exit code that shells use for a missing command. */
const COULD_NOT_START = 127;
