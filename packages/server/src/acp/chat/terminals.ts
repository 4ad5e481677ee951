import type { EditorTerminal, TerminalProgram, Terminals, ToolCall } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { type Connection, ErrorCode, PeerError } from "@segue/rpc";

/** Runs one session's commands in the editor's terminals. */
export class AcpTerminals implements Terminals {
	/** Ids of the terminals that have not been released yet. */
	private readonly open = new Set<string>();

	constructor(
		private readonly connection: Connection<"agent">,
		private readonly sessionId: string,
	) {}

	async create(program: TerminalProgram, signal: AbortSignal): Promise<EditorTerminal | undefined> {
		const { sessionId, connection } = this;
		const terminalId = await this.idOfNew(program);
		if (terminalId === undefined) return undefined;
		this.open.add(terminalId);
		// The request cannot be cancelled, because the editor may create the terminal anyway. Release the terminal here,
		// because no tool call will do so.
		if (signal.aborted) this.release(terminalId);
		signal.throwIfAborted();
		const terminal = { sessionId, terminalId };
		return {
			id: terminalId,
			exited: async (until) => {
				const { exitCode, signal: by } = await connection.request(acp.waitForTerminalExit, terminal, until);
				return { code: exitCode ?? undefined, signal: by ?? undefined };
			},
			output: async (until) => {
				const { output, truncated } = await connection.request(acp.terminalOutput, terminal, until);
				return { text: output, isCut: truncated };
			},
			kill: () => {
				// Fails if the command has exited or the editor has disconnected.
				if (this.open.has(terminalId)) connection.request(acp.killTerminal, terminal).catch(() => {});
			},
		};
	}

	/**
	 * Called after a tool call has been sent. Releases its terminal if the call has ended. This has to happen after
	 * sending, because editors don't show a terminal that is already released.
	 */
	callShown({ terminal, status }: ToolCall): void {
		if (terminal !== undefined && (status === "done" || status === "failed")) this.release(terminal);
	}

	private async idOfNew({ command, args, env, folder, outputBytesMax }: TerminalProgram): Promise<string | undefined> {
		const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
		const params = { command, args: [...args], env: variables, cwd: folder, outputByteLimit: outputBytesMax };
		try {
			const { sessionId } = this;
			return (await this.connection.request(acp.createTerminal, { sessionId, ...params })).terminalId;
		} catch (error) {
			if (error instanceof PeerError && error.code === ErrorCode.methodNotFound) return undefined;
			throw error;
		}
	}

	private release(terminalId: string): void {
		if (!this.open.delete(terminalId)) return;
		const { sessionId } = this;
		// Ignore the error if the editor fails to release the terminal.
		this.connection.request(acp.releaseTerminal, { sessionId, terminalId }).catch(() => {});
	}
}
