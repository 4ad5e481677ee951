import type { EditorTerminal, TerminalProgram, Terminals, ToolCall } from "@segue/assist";
import * as acp from "@segue/protocol/acp";
import { type Connection, ErrorCode, PeerError } from "@segue/rpc";

/** An editor's terminals, in which the commands of one session run. */
export class AcpTerminals implements Terminals {
	/** Those that the editor keeps for us. */
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
		// Whoever wanted it is gone, and no call will tell of it. It could not be called off: the editor might have it by then.
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
				// It has ended by itself, or is gone with the editor.
				if (this.open.has(terminalId)) connection.request(acp.killTerminal, terminal).catch(() => {});
			},
		};
	}

	/** The editor was told how a call is now. Released is a terminal only after that, or the editor would not show it. */
	callShown({ terminal, status }: ToolCall): void {
		if (terminal !== undefined && (status === "done" || status === "failed")) this.release(terminal);
	}

	private async idOfNew({ command, args, env, folder, outputBytesMax }: TerminalProgram): Promise<string | undefined> {
		const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
		const asked = { command, args: [...args], env: variables, cwd: folder, outputByteLimit: outputBytesMax };
		try {
			const { sessionId } = this;
			return (await this.connection.request(acp.createTerminal, { sessionId, ...asked })).terminalId;
		} catch (error) {
			if (error instanceof PeerError && error.code === ErrorCode.methodNotFound) return undefined;
			throw error;
		}
	}

	private release(terminalId: string): void {
		if (!this.open.delete(terminalId)) return;
		const { sessionId } = this;
		// There is nothing to be done about an editor that keeps it.
		this.connection.request(acp.releaseTerminal, { sessionId, terminalId }).catch(() => {});
	}
}
