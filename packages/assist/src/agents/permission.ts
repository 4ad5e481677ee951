import { homedir } from "node:os";
import path from "node:path";
import * as acp from "@segue/protocol/acp";
import { type Handler, on } from "@segue/rpc";
import { codeBlock, hasInvisible, showInvisible } from "@segue/text";
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

/** What an agent asks the user before it does something. */
export function agentPermissionHandlers(sessionOf: SessionOf): Handler<"agent">[] {
	return [
		on(acp.requestPermission, async ({ sessionId, ...asked }, { signal }) => {
			const session = await sessionOf(sessionId);
			return { outcome: await ask(session, asked, AbortSignal.any([session.signal, signal])) };
		}),
	];
}

/** By what is configured, else by what the person says, in the agent's own words where their client speaks ACP. */
async function ask(
	{ context, relay, turn, grants, agent }: AgentSession,
	asked: Omit<acp.RequestPermission, "sessionId">,
	signal: AbortSignal,
): Promise<acp.PermissionOutcome> {
	const { client, approvals, workspace } = context;
	if (turn === undefined) return { outcome: "cancelled" };
	const about = turn.callOf(asked.toolCall);
	const call = await withDescribedEdit(about, context, signal);
	const all = await permissionsOf(call, agent.options.command.name, workspace);
	if (all.some(({ kind, subject }) => kind === "command" && hasInvisible(subject))) {
		return outcomeOf({ answer: "no", by: "rule" }, asked.options);
	}
	// Nobody is asked about the rest of a call of which a part is denied.
	const denied = all.find((permission) => approvals.isDenied(permission));
	// Whoever is asked has to know of what was said before.
	await turn.settle();
	let chosen: acp.PermissionOutcome | undefined;
	let answered: Promise<PermissionAnswer> | undefined;
	// One question for the whole call, which shows all that it is about.
	const approve: Client["approve"] = (question, during) => {
		answered ??=
			relay === undefined
				? client.approve(question, during)
				: relay.permission(shownRequest(asked, call, about, all), during).then((outcome) => {
						chosen = outcome;
						// What the agent remembers of the answer is not for us to remember.
						return answerOf(outcome, asked.options) === "no" ? "no" : "once";
					});
		return answered;
	};
	const decided: Approval[] = [];
	for (const permission of denied === undefined ? all : [denied]) {
		const approval = await approvals.decide(call, permission, { approve }, signal);
		const isChosen = chosen !== undefined && approval.by === "person";
		const answer = chosen !== undefined && isChosen ? answerOf(chosen, asked.options) : approval.answer;
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
	return chosen ?? outcomeOf(strictest, asked.options);
}

/**
 * The call with the file and the change that its arguments describe, if the agent names no change itself. Agents such as Kimi
 * ask to edit without a path. A file that our own tools would not touch is named without reading it.
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
		// Clients show an error to the user when they are asked for a file that does not exist.
		const buffers = resolved.kind === "nothing" ? undefined : client.buffers;
		const before = await workspace.textOf(resolved, buffers, signal);
		const after = edit.textAfter(before);
		return after === undefined
			? { ...call, locations }
			: { ...call, locations, diffs: [{ path: resolved.path, before, after }] };
	} catch (error) {
		if (error instanceof ToolError) return { ...call, locations }; // not a text, or too large
		throw error;
	}
}

/**
 * The absolute form of a path that cannot be resolved, with the home folder in place of `~`. If that form names a file of the
 * workspace, the agent may mean another one, so the path stays as it was written.
 */
async function unresolved(written: string, workspace: ThreadWorkspace): Promise<string> {
	const expanded = /^~(?:[/\\]|$)/.test(written) ? path.join(homedir(), written.slice(1)) : written;
	const absolute = path.resolve(workspace.root, expanded);
	return (await tryResolve(absolute, workspace)) === undefined ? absolute : written;
}

/**
 * The request of an agent as its client shows it: in the agent's words, but with invisible characters in the title shown by
 * their code, and with what the words leave out: the content of the call, the file or its change, or the whole command.
 */
function shownRequest(
	asked: Omit<acp.RequestPermission, "sessionId">,
	call: ToolCall,
	{ call: { locations: named }, content: sent }: PermissionCall,
	permissions: readonly Permission[],
): Omit<acp.RequestPermission, "sessionId"> {
	const { content: own, ...toolCall } = visible(asked.toolCall, call.kind);
	const hasDiff = sent.some(({ type }) => type === "diff");
	const change = hasDiff ? [] : call.diffs.map(({ path, before, after = "" }) => diffOf(path, before, after));
	// The client knows no terminal of ours.
	const content =
		own?.length && change.length === 0 ? own : [...sent.filter(({ type }) => type !== "terminal"), ...change];
	const given = isEdit(call.kind) ? content : content.map(withVisibleText);
	const command = permissions.find(({ kind, isVague }) => kind === "command" && isVague !== true)?.subject;
	// A diff names its file itself.
	const [described] = call.diffs.length > 0 ? [] : call.locations.slice(named.length);
	if (described !== undefined) {
		const locations = [...named, described].map((each) => ({ path: each.path, ...(each.line && { line: each.line }) }));
		const text = codeBlock("", showInvisible(described.path));
		const file: acp.ToolCallContent = { type: "content", content: { type: "text", text } };
		return { ...asked, toolCall: { ...toolCall, locations, content: [file, ...given] } };
	}
	if (command === undefined || isShown(command, asked.toolCall.title, content)) {
		return {
			...asked,
			toolCall: { ...toolCall, ...((own !== undefined || given.length > 0) && { content: [...given] }) },
		};
	}
	const block: acp.ToolCallContent = { type: "content", content: { type: "text", text: codeBlock("sh", command) } };
	return { ...asked, toolCall: { ...toolCall, content: [block, ...given] } };
}

function diffOf(path: string, before: string | undefined, newText: string): acp.ToolCallContent {
	return { type: "diff", path, ...(before !== undefined && { oldText: before }), newText };
}

/** A client may cut a long title, and a text around the command may hide it: in a comment, or by its length. */
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

/** What a call of an agent needs a yes for, in our words, so that the rules of the user's configuration hold for it. */
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
				// A link in the workspace may lead out of it, so a rule for the workspace does not allow what cannot be resolved.
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

/** Of the answers to the parts of a call, the one that allows least. There is one at least. */
function strictestOf(approvals: readonly Approval[]): Approval {
	const strictness = ({ answer }: Approval) => LOOSENING.indexOf(answer);
	return approvals.reduce((one, other) => (strictness(other) < strictness(one) ? other : one));
}

const LOOSENING: readonly PermissionAnswer[] = ["no", "once", "session", "always"];

/**
 * A command line as a person would write it: agents hand theirs to a shell, and only some say so. What has the name of a shell
 * and lies elsewhere may be anything. One word may be a whole line.
 */
export function withoutShell(words: readonly string[]): string {
	const [shell = "", flag = "", script] = words;
	const isShell = words.length === 3 && /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh$/.test(shell) && /^-l?c$/.test(flag);
	return isShell || words.length === 1 ? (script ?? shell) : words.map(shellQuoted).join(" ");
}

/** The same command in another folder than the workspace's is another. */
export function inFolder(folder: string | null | undefined, line: string, root: string): string {
	return folder == null || path.resolve(root, folder) === root ? line : `cd ${shellQuoted(folder)} && ${line}`;
}

/** As a shell reads it as one word. */
export function shellQuoted(word: string): string {
	return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * What is to be run, to the letter; undefined where something of it is not known. Agents call it `command`, as a line or as
 * words, and some have the words behind the first elsewhere.
 */
function commandIn(input: string, root: string): string | undefined {
	const { data } = commandInput.safeParse(input);
	if (data === undefined) return undefined;
	const { command, args, env } = data;
	// What a variable makes of a command nobody knows.
	if (Object.keys(env ?? {}).length > 0) return undefined;
	const folder = FOLDERS.map((name) => data[name]).find((each) => each != null);
	return inFolder(folder, withoutShell([command, args ?? []].flat(2)), root);
}

/** How agents call the folder that a command runs in. */
const FOLDERS = ["cwd", "workdir", "dir_path", "directory"] as const;

const word = z.string().min(1);
const folder = z.string().nullish();

const commandInput = z
	.string()
	.transform((text, context) => {
		try {
			return JSON.parse(text) as unknown;
		} catch {
			context.addIssue("no JSON");
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
 * The option of the agent that comes nearest to an answer. What somebody allowed for longer we remember ourselves, to the
 * letter: for an agent, "always" may mean every file and every command.
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
