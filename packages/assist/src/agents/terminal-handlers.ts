import * as acp from "@segue/protocol/acp";
import { type Handler, on, type Request, RpcError } from "@segue/rpc";
import { shellQuoted, unlessCancelled } from "@segue/text";
import type { Permission, ToolCall } from "../threads/thread.js";
import { checkVisible, commandTitle } from "../tools/run-command.js";
import { NO_CALL, refuseDenied, withPermission, withRpcErrors } from "./files.js";
import { inFolder, withoutShell } from "./permission.js";
import { passOn } from "./relay.js";
import type { AgentSession, SessionOf } from "./session.js";
import type { CreateTerminal, Terminal } from "./terminals.js";

/** Runs an agent's commands in the client's terminals, or else in Segue's own. */
export function agentTerminalHandlers(sessionOf: SessionOf): Handler<"agent">[] {
	const ours = <Params extends { sessionId: string; terminalId: string }, Result>(
		message: Request<Params, Result, "agent">,
		serve: (terminal: Terminal, session: AgentSession, signal: AbortSignal) => Result | Promise<Result>,
	) => {
		return on(message, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			const terminal = session.terminals.get(params.terminalId);
			if (terminal !== undefined) return serve(terminal, session, AbortSignal.any([session.ending, signal]));
			const { relay } = session;
			if (relay === undefined) throw new RpcError(acp.ErrorCode.notFound, "Terminal not found");
			const { sessionId, ...rest } = params;
			return (await passOn(relay, message.method, rest, signal)) as Result;
		});
	};
	return [
		on(acp.createTerminal, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			const { relay } = session;
			const { root } = session.context.workspace;
			await withRpcErrors(async () => {
				checkVisible(lineOf(params, root));
				await refuseDenied(session, permissionsFor(params, root), callFor(params, root));
			});
			if (relay?.capabilities.terminal !== true) {
				return withRpcErrors(() => create(params, session, AbortSignal.any([session.signal, signal])));
			}
			// An editor that runs commands for agents asks the user itself.
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

async function create(
	params: CreateTerminal,
	session: AgentSession,
	signal: AbortSignal,
): Promise<{ terminalId: string }> {
	const { terminals, grants, context } = session;
	terminals.checkRoom();
	const { workspace } = context;
	const line = lineOf(params, workspace.root);
	const folder = params.cwd == null ? workspace.root : (await workspace.resolve(params.cwd)).path;
	const permissions: Permission[] = grants.hasCommand(line) ? [] : [{ kind: "command", subject: line }];
	return withPermission(session, permissions, callFor(params, workspace.root), signal, async () => {
		return { terminalId: terminals.create(params, folder) };
	});
}

/**
 * Returns the permissions to check against deny rules: for the command as requested, without its variables, and without
 * its variables and folder.
 */
function permissionsFor(params: CreateTerminal, root: string): readonly Permission[] {
	const subjects = [
		lineOf(params, root),
		lineOf({ ...params, env: [] }, root),
		lineOf({ ...params, env: [], cwd: null }, root),
	];
	return subjects.map((subject) => ({ kind: "command", subject }));
}

function callFor(params: CreateTerminal, root: string): ToolCall {
	return { ...NO_CALL, tool: acp.createTerminal.method, kind: "execute", title: commandTitle(lineOf(params, root)) };
}

/**
 * Returns the command line with its variables. Some variables, such as BASH_ENV, change what a command runs, so an
 * approval of the bare command does not cover it.
 */
function lineOf({ command, args, env, cwd }: CreateTerminal, root: string): string {
	const variables = (env ?? []).map(({ name, value }) => `${name}=${shellQuoted(value)}`);
	return inFolder(cwd, [...variables, withoutShell([command, ...(args ?? [])])].join(" "), root);
}
