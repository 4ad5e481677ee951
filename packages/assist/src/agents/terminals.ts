import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import * as acp from "@segue/protocol/acp";
import { ErrorCode, type Handler, on, type ParamsOf, type Request, type ResultOf, RpcError } from "@segue/rpc";
import { atProcessExit, killGroup, spawnGroup } from "@segue/rpc/node";
import { unlessCancelled } from "@segue/text";
import type { Permission, ToolCall } from "../threads/thread.js";
import { checkVisible, commandTitle } from "../tools/run-command.js";
import { environmentFor } from "../workspace/environment.js";
import type { AgentProcessOptions } from "./agent-process.js";
import { NO_CALL, refuseDenied, whenAllowed, withRpcErrors } from "./files.js";
import { inFolder, shellQuoted, withoutShell } from "./permission.js";
import { passOn } from "./relay.js";
import type { AgentSession, SessionOf } from "./session.js";

/** Of one session, running or ended and not released. An agent that has more has forgotten to release them. */
const TERMINALS_MAX = 32;
/** Kept of what a command prints, its end, where the agent does not say how much it wants; and at most. */
const OUTPUT_BYTES = 2 ** 20;
const OUTPUT_BYTES_MAX = 8 * 2 ** 20;
/** What a well-behaved program needs to put things in order when it is told to end. */
const GRACE_MS = 2_000;

type Create = ParamsOf<typeof acp.createTerminal>;

/** Commands that an agent has run: by the client where it has terminals, else by us. */
export function agentTerminalHandlers(sessionOf: SessionOf): Handler<"agent">[] {
	const ours = <Params extends { sessionId: string; terminalId: string }, Result>(
		message: Request<Params, Result, "agent">,
		serve: (terminal: Terminal, session: AgentSession, signal: AbortSignal) => Result | Promise<Result>,
	) => {
		return on(message, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			const terminal = session.terminals.get(params.terminalId);
			if (terminal !== undefined) return serve(terminal, session, AbortSignal.any([session.ending, signal]));
			const { relay } = session.context;
			if (relay === undefined) throw new RpcError(acp.ErrorCode.notFound, "Terminal not found");
			const { sessionId, ...rest } = params;
			return (await passOn(relay, message.method, rest, signal)) as Result;
		});
	};
	return [
		on(acp.createTerminal, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			const { relay } = session.context;
			const { root } = session.context.workspace;
			await withRpcErrors(async () => {
				checkVisible(lineOf(params, root));
				await refuseDenied(session, permissionsFor(params, root), callFor(params, root));
			});
			if (relay?.capabilities.terminal !== true) {
				return withRpcErrors(() =>
					session.terminals.create(params, session, AbortSignal.any([session.signal, signal])),
				);
			}
			// An editor that runs commands for its agents asks in its own way, if at all.
			const { sessionId, ...rest } = params;
			return (await passOn(relay, acp.createTerminal.method, rest, signal)) as { terminalId: string };
		}),
		ours(acp.terminalOutput, (terminal) => terminal.output()),
		ours(acp.waitForTerminalExit, (terminal, _session, signal) => unlessCancelled(terminal.exited, signal)),
		ours(acp.killTerminal, (terminal) => {
			terminal.kill();
			return {};
		}),
		ours(acp.releaseTerminal, (terminal, session) => {
			terminal.kill();
			session.terminals.delete(terminal.id);
			return {};
		}),
	];
}

/** What a rule may forbid: the command as it is asked for, and bare, since neither a variable nor a folder makes it another. */
function permissionsFor(params: Create, root: string): readonly Permission[] {
	const subjects = [
		lineOf(params, root),
		lineOf({ ...params, env: [] }, root),
		lineOf({ ...params, env: [], cwd: null }, root),
	];
	return subjects.map((subject) => ({ kind: "command", subject }));
}

function callFor(params: Create, root: string): ToolCall {
	return { ...NO_CALL, tool: acp.createTerminal.method, kind: "execute", title: commandTitle(lineOf(params, root)) };
}

/**
 * A command as it is asked for, with the variables that it is to have: some, as BASH_ENV, make it run something else, so that
 * a yes to the bare command is none to this.
 */
function lineOf({ command, args, env, cwd }: Create, root: string): string {
	const variables = (env ?? []).map(({ name, value }) => `${name}=${shellQuoted(value)}`);
	return inFolder(cwd, [...variables, withoutShell([command, ...(args ?? [])])].join(" "), root);
}

/** Those of one session that are ours. */
export class AgentTerminals {
	private readonly terminals = new Map<string, Terminal>();
	private count = 0;

	constructor(private readonly setting: Pick<AgentProcessOptions, "after" | "secretVariables">) {}

	get(id: string): Terminal | undefined {
		return this.terminals.get(id);
	}

	delete(id: string): void {
		this.terminals.delete(id);
	}

	async create(params: Create, session: AgentSession, signal: AbortSignal): Promise<{ terminalId: string }> {
		if (this.terminals.size >= TERMINALS_MAX) {
			throw new RpcError(ErrorCode.busy, `Busy: ${TERMINALS_MAX} terminals are open; release one first`);
		}
		const { cwd } = params;
		const { workspace } = session.context;
		const line = lineOf(params, workspace.root);
		const folder = cwd == null ? workspace.root : (await workspace.resolve(cwd)).path;
		const permissions: Permission[] = session.grants.hasCommand(line) ? [] : [{ kind: "command", subject: line }];
		return whenAllowed(session, permissions, callFor(params, workspace.root), signal, async () => {
			const id = `segue-terminal-${++this.count}`;
			this.terminals.set(id, new Terminal(id, params, folder, this.setting));
			return { terminalId: id };
		});
	}

	/** Ends them all, with everything that they started. */
	close(): void {
		for (const terminal of this.terminals.values()) terminal.kill();
		this.terminals.clear();
	}
}

class Terminal {
	readonly exited: Promise<ResultOf<typeof acp.waitForTerminalExit>>;
	private readonly child: ChildProcess;
	private readonly bytesMax: number;
	private text = "";
	private truncated = false;
	private status: ResultOf<typeof acp.waitForTerminalExit> | undefined;

	constructor(
		readonly id: string,
		{ command, args, env, outputByteLimit }: Create,
		folder: string,
		private readonly setting: Pick<AgentProcessOptions, "after" | "secretVariables">,
	) {
		this.bytesMax = Math.min(outputByteLimit ?? OUTPUT_BYTES, OUTPUT_BYTES_MAX);
		const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
		// Some agents send a whole line for a shell as the command.
		const shell = (args ?? []).length === 0 && /\s/.test(command);
		this.child = spawnGroup(command, args ?? [], {
			cwd: folder,
			shell,
			env: { ...environmentFor(process.env, setting.secretVariables), ...own },
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
		this.setting.after(GRACE_MS, () => {
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
