import { homedir } from "node:os";
import path from "node:path";
import * as acp from "@segue/protocol/acp";
import { type Handler, on } from "@segue/rpc";
import { codeBlock, hasInvisible, shellQuoted, showInvisible } from "@segue/text";
import * as z from "zod";
import type { Client } from "../client.js";
import { ToolError } from "../failures.js";
import type { Approval, Permission, PermissionAnswer, ToolCall } from "../threads/thread.js";
import type { ThreadContext } from "../threads/turn-context.js";
import { commandTitle } from "../tools/run-command.js";
import { displayPath, permissionsFor } from "../workspace/resolved-path.js";
import type { ThreadWorkspace } from "../workspace/workspace.js";
import { editIn, isEdit, visible } from "./agent-call.js";
import type { PermissionCall } from "./agent-turn.js";
import { tryResolve } from "./grants.js";
import type { AgentSession, SessionOf } from "./session.js";

/** Handles an agent's requests for permission. */
export function agentPermissionHandlers(sessionOf: SessionOf): Handler<"agent">[] {
	return [
		on(acp.requestPermission, async ({ sessionId, ...request }, { signal }) => {
			const session = await sessionOf(sessionId);
			return { outcome: await ask(session, request, AbortSignal.any([session.signal, signal])) };
		}),
	];
}

/** Applies rules, or else asks the user. A client that speaks ACP shows the agent's own request. */
async function ask(
	{ context, relay, turn, grants, agent }: AgentSession,
	request: Omit<acp.RequestPermission, "sessionId">,
	signal: AbortSignal,
): Promise<acp.PermissionOutcome> {
	const { client, approvals, workspace } = context;
	if (turn === undefined) return { outcome: "cancelled" };
	const about = turn.callOf(request.toolCall);
	const call = await withDescribedEdit(about, context, signal);
	const all = await permissionsOf(call, agent.options.command.name, workspace);
	if (all.some(({ kind, subject }) => kind === "command" && hasInvisible(subject))) {
		return outcomeOf({ answer: "no", by: "rule" }, request.options);
	}
	// If a rule denies part of the call, the user is not asked about the rest.
	const denied = all.find((permission) => approvals.isDenied(permission));
	// The user needs to see the earlier messages before the question.
	await turn.settle();
	let chosen: acp.PermissionOutcome | undefined;
	let answered: Promise<PermissionAnswer> | undefined;
	// One question for the whole call, showing all permissions.
	const approve: Client["approve"] = (question, during) => {
		answered ??=
			relay === undefined
				? client.approve(question, during)
				: relay.permission(shownRequest(request, call, about, all), during).then((outcome) => {
						chosen = outcome;
						// The agent itself remembers longer-lasting answers.
						return answerOf(outcome, request.options) === "no" ? "no" : "once";
					});
		return answered;
	};
	const decided: Approval[] = [];
	for (const permission of denied === undefined ? all : [denied]) {
		const approval = await approvals.decide(call, permission, { approve }, signal);
		const isChosen = chosen !== undefined && approval.by === "person";
		const answer = chosen !== undefined && isChosen ? answerOf(chosen, request.options) : approval.answer;
		const by: Approval["by"] = isChosen && chosen?.outcome === "cancelled" ? "nobody" : approval.by;
		decided.push({ ...approval, answer, by });
		await turn.record.add({ type: "approval", approval: { ...approval, answer, by } });
		if (answer === "no") break;
	}
	const strictest = strictestOf(decided);
	if (strictest.answer !== "no") {
		await grants.add(call, all, strictest.answer === "once" ? "turn" : "session", workspace);
	}
	if (signal.aborted) return { outcome: "cancelled" };
	return chosen ?? outcomeOf(strictest, request.options);
}

/**
 * Adds the file and the change that the arguments describe, if the agent sent no diff. Agents such as Kimi ask for
 * permission to edit without naming a path. A file that tools may not access is named but not read.
 */
async function withDescribedEdit(
	{ call, args }: PermissionCall,
	{ workspace, client }: Pick<ThreadContext, "workspace" | "client">,
	signal: AbortSignal,
): Promise<ToolCall> {
	const edit = call.kind === "edit" && call.diffs.length === 0 && args !== undefined ? editIn(args) : undefined;
	if (edit === undefined) return call;
	const resolved = await tryResolve(edit.path, workspace);
	const file = resolved?.path ?? (await unresolved(edit.path, workspace));
	const locations = [...call.locations, { path: file, line: undefined }];
	if (resolved === undefined) return { ...call, locations };
	try {
		// Some clients show the user an error for a file that does not exist.
		const buffers = resolved.kind === "nothing" ? undefined : client.buffers;
		const before = await workspace.textOf(resolved, buffers, signal);
		const after = edit.textAfter(before);
		return after === undefined
			? { ...call, locations }
			: { ...call, locations, diffs: [{ path: resolved.path, before, after }] };
	} catch (error) {
		if (error instanceof ToolError) return { ...call, locations }; // binary or too large
		throw error;
	}
}

/**
 * Returns the absolute form of a path that cannot be resolved, with `~` expanded. If the result is a file in the
 * workspace, the agent may mean another file, so the path is returned as written.
 */
async function unresolved(written: string, workspace: ThreadWorkspace): Promise<string> {
	const expanded = /^~(?:[/\\]|$)/.test(written) ? path.join(homedir(), written.slice(1)) : written;
	const absolute = path.resolve(workspace.root, expanded);
	return (await tryResolve(absolute, workspace)) === undefined ? absolute : written;
}

/**
 * Converts the agent's request for a client that speaks ACP. Makes invisible characters visible and adds missing
 * information: the content of the call, the file or its change, or the whole command.
 */
function shownRequest(
	request: Omit<acp.RequestPermission, "sessionId">,
	call: ToolCall,
	{ call: { locations: named }, content: sent }: PermissionCall,
	permissions: readonly Permission[],
): Omit<acp.RequestPermission, "sessionId"> {
	const { content: own, ...toolCall } = visible(request.toolCall, call.kind);
	const hasDiff = sent.some(({ type }) => type === "diff");
	const change = hasDiff ? [] : call.diffs.map(({ path, before, after = "" }) => diffOf(path, before, after));
	// The client cannot show Segue's terminals.
	const content =
		own?.length && change.length === 0 ? own : [...sent.filter(({ type }) => type !== "terminal"), ...change];
	const given = isEdit(call.kind) ? content : content.map(withVisibleText);
	const command = permissions.find(({ kind, isVague }) => kind === "command" && isVague !== true)?.subject;
	// A diff already names its file.
	const [described] = call.diffs.length > 0 ? [] : call.locations.slice(named.length);
	if (described !== undefined) {
		const locations = [...named, described].map((each) => ({ path: each.path, ...(each.line && { line: each.line }) }));
		const text = codeBlock("", showInvisible(described.path));
		const file: acp.ToolCallContent = { type: "content", content: { type: "text", text } };
		return { ...request, toolCall: { ...toolCall, locations, content: [file, ...given] } };
	}
	if (command === undefined || isShown(command, request.toolCall.title, content)) {
		return {
			...request,
			toolCall: { ...toolCall, ...((own !== undefined || given.length > 0) && { content: [...given] }) },
		};
	}
	const block: acp.ToolCallContent = { type: "content", content: { type: "text", text: codeBlock("sh", command) } };
	return { ...request, toolCall: { ...toolCall, content: [block, ...given] } };
}

function diffOf(path: string, before: string | undefined, newText: string): acp.ToolCallContent {
	return { type: "diff", path, ...(before !== undefined && { oldText: before }), newText };
}

/**
 * Whether the user sees the whole command. A client can truncate a long title, and surrounding text can hide the
 * command.
 */
function isShown(
	command: string,
	title: acp.ToolCallUpdate["title"],
	content: readonly acp.ToolCallContent[],
): boolean {
	if (title === command && commandTitle(command) === command) return true;
	const texts = content.map((each) => (each.type === "content" ? textOf(each.content) : undefined));
	return texts.some((text) => text === codeBlock("sh", command) || text === codeBlock("", command));
}

function withVisibleText(each: acp.ToolCallContent): acp.ToolCallContent {
	if (each.type !== "content" || each.content.type !== "text") return each;
	return { ...each, content: { ...each.content, text: showInvisible(each.content.text) } };
}

function textOf(block: acp.ContentBlock): string | undefined {
	return block.type === "text" ? block.text.trim() : undefined;
}

/** Converts an agent's call to the Segue permissions it needs, so that the user's rules apply. */
async function permissionsOf(
	call: ToolCall,
	agent: string,
	workspace: ThreadWorkspace,
): Promise<readonly Permission[]> {
	const { kind } = call;
	switch (kind) {
		case "edit":
		case "delete": {
			const bySubject = new Map<string, Permission>();
			for (const { path: file } of [...call.diffs, ...call.locations]) {
				const resolved = await tryResolve(file, workspace);
				if (resolved !== undefined) {
					for (const permission of permissionsFor(kind, resolved)) bySubject.set(permission.subject, permission);
					continue;
				}
				const subject = displayPath(workspace.root, file);
				// A link in the workspace can point outside it, so rules for the workspace do not allow unresolved paths.
				const isOutside = path.isAbsolute(subject);
				bySubject.set(subject, { kind, subject, ...(isOutside ? { isOutside } : { isVague: true }) });
			}
			if (bySubject.size === 0) return [{ kind, subject: call.title, isVague: true }];
			return [...bySubject.values()];
		}
		case "execute": {
			const line = commandIn(call.input, workspace.root);
			return [
				line === undefined
					? { kind: "command", subject: call.title, isVague: true }
					: { kind: "command", subject: line },
			];
		}
		case "fetch":
			return [{ kind: "network", subject: call.title, isVague: true }];
		default:
			return [{ kind: "mcp", subject: `${agent}/${call.title}`, isVague: true }];
	}
}

/** Returns the strictest answer for the parts of a call. The list must not be empty. */
function strictestOf(approvals: readonly Approval[]): Approval {
	const strictness = ({ answer }: Approval) => LOOSENING.indexOf(answer);
	return approvals.reduce((one, other) => (strictness(other) < strictness(one) ? other : one));
}

const LOOSENING: readonly PermissionAnswer[] = ["no", "once", "session", "always"];

/**
 * Returns the command line without the shell that agents wrap around it. Only system shells are removed, because
 * another program with the same name could do anything. A single word is not quoted, because it can be a whole command
 * line.
 */
export function withoutShell(words: readonly string[]): string {
	const [shell = "", flag = "", script] = words;
	const isShell = words.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh$/.test(shell) && /^-l?c$/.test(flag);
	return isShell || words.length === 1 ? (script ?? shell) : words.map(shellQuoted).join(" ");
}

/**
 * Returns the command line, preceded by `cd` unless it runs in the workspace folder: an approval must not cover the
 * same command elsewhere.
 */
export function inFolder(folder: string | null | undefined, line: string, root: string): string {
	return folder == null || path.resolve(root, folder) === root ? line : `cd ${shellQuoted(folder)} && ${line}`;
}

/**
 * Returns the exact command line from a call's input; undefined if part of it is unknown. Agents send `command` as a
 * line or as words, and some send the arguments in `args`.
 */
function commandIn(input: string, root: string): string | undefined {
	const { data } = commandInput.safeParse(input);
	if (data === undefined) return undefined;
	const { command, args, env } = data;
	// Variables can change what a command does.
	if (Object.keys(env ?? {}).length > 0) return undefined;
	const folder = FOLDERS.map((name) => data[name]).find((each) => each != null);
	return inFolder(folder, withoutShell([command, args ?? []].flat(2)), root);
}

/** Agents' names for the working directory of a command. */
const FOLDERS = ["cwd", "workdir", "dir_path", "directory"] as const;

const word = z.string().min(1);
const folder = z.string().nullish();

const commandInput = z
	.string()
	.transform((text, context) => {
		try {
			return JSON.parse(text) as unknown;
		} catch {
			context.addIssue("not JSON");
			return z.NEVER;
		}
	})
	.pipe(
		z.object({
			command: z.union([word, z.array(z.string()).min(1)]),
			args: z.array(z.string()).nullish(),
			env: z.record(z.string(), z.unknown()).nullish(),
			...{ cwd: folder, workdir: folder, dir_path: folder, directory: folder },
		}),
	);

function answerOf(outcome: acp.PermissionOutcome, options: readonly acp.PermissionOption[]): PermissionAnswer {
	if (outcome.outcome === "cancelled") return "no";
	const kind = options.find(({ optionId }) => optionId === outcome.optionId)?.kind;
	if (kind === undefined || kind.startsWith("reject")) return "no";
	return kind === "allow_always" ? "session" : "once";
}

/**
 * Returns the agent's option that is closest to an answer. Segue itself remembers longer approvals, because an agent's
 * "always" can cover every file and every command.
 */
function outcomeOf(
	{ answer, by }: Pick<Approval, "answer" | "by">,
	options: readonly acp.PermissionOption[],
): acp.PermissionOutcome {
	if (by === "nobody") return { outcome: "cancelled" };
	for (const kind of answer === "no" ? REFUSING : ALLOWING) {
		const option = options.find((each) => each.kind === kind);
		if (option !== undefined) return { outcome: "selected", optionId: option.optionId };
	}
	return { outcome: "cancelled" };
}

const ALLOWING = ["allow_once", "allow_always"];
const REFUSING = ["reject_once", "reject_always"];
