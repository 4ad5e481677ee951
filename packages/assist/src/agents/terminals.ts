import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type * as acp from "@segue/protocol/acp";
import { ErrorCode, type ParamsOf, type ResultOf, RpcError } from "@segue/rpc";
import { atProcessExit, killGroup, spawnGroup } from "@segue/rpc/node";
import type { StartTimer } from "@segue/text";
import { environmentFor } from "../workspace/environment.js";

/** Of one session, running or ended and not released. An agent that has more has forgotten to release them. */
const TERMINALS_MAX = 32;
/** Kept of what a command prints, its end, where the agent does not say how much it wants; and at most. */
const OUTPUT_BYTES = 2 ** 20;
const OUTPUT_BYTES_MAX = 8 * 2 ** 20;
/** What a well-behaved program needs to put things in order when it is told to end. */
const GRACE_MS = 2_000;

export type CreateTerminal = ParamsOf<typeof acp.createTerminal>;

interface TerminalOptions {
	readonly after: StartTimer;
	/** Environment variables that no command gets, in addition to those whose names say that they hold keys. */
	readonly secretVariables: readonly string[];
}

/** Those of one session that are ours. */
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

	/** Throws an `RpcError` if too many are open. */
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

	/** Ends them all, with everything that they started. */
	close(): void {
		for (const terminal of this.terminals.values()) terminal.kill();
		this.terminals.clear();
	}
}

/** A command that runs, or has ended and was not released yet. */
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
		// Some agents send a whole line for a shell as the command.
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
			// What it leaves running in the background ends with it, and keeps the streams open until then.
			this.child.on("exit", () => this.kill());
			this.child.on("close", (code, signal) => {
				forgetExit();
				end(signal === null ? { exitCode: code } : { signal });
			});
		});
	}

	/** Its end, as many bytes as wanted, and no character cut in two. */
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
			// Who has left the group may hold the other end for ever.
			this.child.stdout?.destroy();
			this.child.stderr?.destroy();
		});
	}

	private readonly end = (): void => killGroup(this.child, "SIGKILL");

	private add(text: string): void {
		this.text += text;
		// Not with each piece, which would copy all of it for every few letters. No character is less than a byte.
		if (this.text.length <= 2 * this.bytesMax) return;
		this.text = this.text.slice(-this.bytesMax);
		this.truncated = true;
	}
}

/** What a shell says of a command that is not there. */
const COULD_NOT_START = 127;
