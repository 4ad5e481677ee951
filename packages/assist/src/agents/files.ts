import { pathToFileURL } from "node:url";
import * as acp from "@segue/protocol/acp";
import { ErrorCode, type Handler, on, type ParamsOf, RpcError } from "@segue/rpc";
import type { Buffers, Client } from "../client.js";
import { ToolError } from "../failures.js";
import { isAdvice, isPresent } from "../threads/instructions.js";
import type { Permission, ToolCall } from "../threads/thread.js";
import { changeAction } from "../tools/change-files.js";
import type { ToolContext } from "../tools/tool.js";
import { cutTo } from "../tools/truncate.js";
import { isGitFile, type ResolvedPath } from "../workspace/resolved-path.js";
import { beginBeforeTurns, type PendingCall } from "./agent-turn.js";
import type { AgentSession, SessionOf } from "./session.js";

/**
 * Limits the content that is stored in the thread for each read. Agents read whole files, and often the same file
 * several times.
 */
const KEPT_CHARS_MAX = 100_000;

/** Serves an agent's file requests from the editor, or else from disk. Never reads or writes secret files. */
export function agentFileHandlers(sessionOf: SessionOf): Handler<"agent">[] {
	return [
		on(acp.readTextFile, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			return withRpcErrors(() => read(session, params, AbortSignal.any([session.signal, signal])));
		}),
		on(acp.writeTextFile, async (params, { signal }) => {
			const session = await sessionOf(params.sessionId);
			return withRpcErrors(() => write(session, params, AbortSignal.any([session.signal, signal])));
		}),
	];
}

async function read(
	session: AgentSession,
	{ path, line, limit }: ParamsOf<typeof acp.readTextFile>,
	signal: AbortSignal,
): Promise<{ content: string }> {
	const { workspace, client } = session.context;
	const resolved = await workspace.resolve(path);
	const permissions = await workspace.permissionsToRead(resolved);
	const text = await withPermission(session, permissions, readCall(resolved.path, resolved.name), signal, async () => {
		const usesEditor = !isAdvice(resolved) || (await isPresent(resolved, client, signal));
		return workspace.textOf(resolved, usesEditor ? client.buffers : undefined, signal);
	});
	if (text === undefined) {
		if (session.agent.readsWhatItCreates) return { content: "" };
		throw new RpcError(acp.ErrorCode.notFound, `${resolved.name} does not exist`, {
			uri: pathToFileURL(resolved.path).href,
		});
	}
	const content = linesOf(text, line, limit);
	await session.turn?.record.add({ type: "file", path: resolved.path, content: cutTo(content, KEPT_CHARS_MAX) });
	return { content };
}

function linesOf(text: string, line: number | null | undefined, limit: number | null | undefined): string {
	if (line == null && limit == null) return text;
	const from = Math.max(0, (line ?? 1) - 1);
	return text
		.split("\n")
		.slice(from, limit == null ? undefined : from + limit)
		.join("\n");
}

async function write(
	session: AgentSession,
	{ path, content }: ParamsOf<typeof acp.writeTextFile>,
	signal: AbortSignal,
): Promise<Record<string, never>> {
	const { relay } = session;
	const { workspace, client } = session.context;
	const resolved = await workspace.resolve(path);
	if (isGitFile(resolved)) throw new ToolError(`${resolved.name} belongs to Git, so it cannot be written.`);
	const before = await workspace.textOf(resolved, client.buffers, signal);
	if (before === content) return {};
	const toolContext = { workspace, client, signal };
	const { title, diffs, locations, permissions, run } = changeAction(resolved, before, content, toolContext);
	const call = { ...NO_CALL, tool: acp.writeTextFile.method, kind: "edit" as const, title, diffs, locations };
	await refuseDenied(session, permissions, call);
	if (!session.grants.hasEdit(resolved.path, content)) {
		const editor = relay?.capabilities.fs?.writeTextFile === true ? client.buffers : undefined;
		// An editor that writes files for agents shows the changes itself.
		if (editor !== undefined && (await isTakenBy(editor, resolved, before, content, toolContext))) return {};
		await withPermission(session, permissions, call, signal, () => run(signal, () => {}));
	} else await run(signal, () => {});
	return {};
}

/**
 * Whether the editor has written the file. An editor with the capability can still decline, in which
 * case nothing is written.
 */
async function isTakenBy(
	editor: Buffers,
	resolved: ResolvedPath,
	before: string | undefined,
	after: string,
	{ workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
): Promise<boolean> {
	const write: Buffers["write"] = async (...written) => {
		if (await editor.write(...written)) return true;
		throw new NotTaken();
	};
	const read: Buffers["read"] = (...args) => editor.read(...args);
	try {
		await workspace.write(resolved, before, after, { read, write }, signal);
		return true;
	} catch (error) {
		if (error instanceof NotTaken) return false;
		throw error;
	}
}

class NotTaken extends Error {}

/** Gets approval for the permissions and runs `work`. Throws a `ToolError` if any is declined. */
export async function withPermission<T>(
	session: AgentSession,
	permissions: readonly Permission[],
	call: ToolCall,
	signal: AbortSignal,
	work: () => Promise<T>,
): Promise<T> {
	const { context, relay, turn } = session;
	let pending: PendingCall | undefined;
	const approve: Client["approve"] = async (question, during) => {
		pending ??= turn?.begin(call) ?? beginBeforeTurns(call, session.nextCallId(), relay);
		// The user needs to see the earlier messages and the call before the question.
		await turn?.settle();
		return context.client.approve({ ...question, call: pending.shown }, during);
	};
	try {
		for (const permission of permissions) {
			const id = turn?.openCall(call.kind)?.id ?? call.id;
			const decided = await context.approvals.decide({ ...call, id }, permission, { approve }, signal);
			const approval = { ...decided, callId: pending?.id ?? id };
			await turn?.record.add({ type: "approval", approval });
			signal.throwIfAborted();
			if (approval.answer === "no") throw new ToolError(DECLINED);
		}
		const result = await work();
		pending?.end("done");
		return result;
	} catch (error) {
		pending?.end("failed");
		throw error;
	}
}

/** Throws a `ToolError` if a rule denies a permission, even if the editor asks the user instead of Segue. */
export async function refuseDenied(
	{ context, turn }: AgentSession,
	permissions: readonly Permission[],
	call: ToolCall,
): Promise<void> {
	const permission = permissions.find((each) => context.approvals.isDenied(each));
	if (permission === undefined) return;
	const callId = turn?.openCall(call.kind)?.id ?? call.id;
	await turn?.record.add({ type: "approval", approval: { callId, permission, by: "rule", answer: "no" } });
	throw new ToolError(DECLINED);
}

const DECLINED = "The user declined this. Nothing was done.";

/** Common fields for calls that the agent did not report. */
export const NO_CALL = { id: "agent", status: "pending", input: "", output: "", diffs: [], locations: [] } as const;

function readCall(path: string, name: string): ToolCall {
	const locations = [{ path, line: undefined }];
	return { ...NO_CALL, tool: acp.readTextFile.method, kind: "read", title: `Read ${name}`, locations };
}

/** Converts a `ToolError` to an `RpcError` for the agent. */
export async function withRpcErrors<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ToolError) throw new RpcError(ErrorCode.invalidParams, error.message);
		throw error;
	}
}
