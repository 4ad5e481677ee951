import { access, writeFile } from "node:fs/promises";
import path from "node:path";
import { ModelFailure } from "@segue/models";
import * as z from "zod";
import type { ChatModels } from "../assist.js";
import { ToolError } from "../failures.js";
import type { McpStatus, PromptCommand } from "../mcp/status.js";
import { nearest } from "../nearest.js";
import type { Store } from "../store/store.js";
import { schemaOf, type Tool, type ToolContext } from "../tools/tool.js";
import { VERSION } from "../version.js";
import { summarise, type TokenEstimator } from "./compaction.js";
import { messagesOf } from "./history.js";
import { adviceIn, instructionsFor } from "./instructions.js";
import type { TurnRecord } from "./record.js";
import { contextReport, costsOf, explainLastTurn } from "./reports.js";
import { type Mode, toolsIn } from "./settings.js";
import type { Body, PromptPart, Thread } from "./thread.js";

export interface CommandInfo {
	readonly name: string;
	readonly description: string;
	readonly argument: string | undefined;
	/** It concerns the configured models, and is not offered where another agent answers. */
	readonly needsModel?: boolean;
}

/** The commands, in the order in which /help lists them. */
export const COMMANDS: readonly CommandInfo[] = [
	{ name: "help", description: "Lists the commands", argument: undefined },
	{ name: "files", description: "Lists the files of the workspace, or those with a name or glob", argument: "[NAME]" },
	{ name: "search", description: "Finds a text in the files of the workspace", argument: "TEXT" },
	{
		name: "threads",
		description: "Lists the threads of this workspace, or the others that hold a text",
		argument: "[TEXT]",
	},
	{
		name: "resume",
		description: "Lists the other threads of this workspace, or goes on with one",
		argument: "[NUMBER, ID or latest]",
	},
	{ name: "export", description: "Writes this thread into a new JSON file in the workspace", argument: "[FILE]" },
	{
		name: "model",
		description: "Lists the models, or chooses one for this thread",
		argument: "[NAME]",
		needsModel: true,
	},
	{
		name: "compact",
		description: "Replaces what the model sees of this thread with a summary",
		argument: "[FOCUS]",
		needsModel: true,
	},
	{
		name: "context",
		description: "Shows what fills the model's context window",
		argument: undefined,
		needsModel: true,
	},
	{ name: "costs", description: "Shows the tokens and costs of this thread", argument: undefined },
	{ name: "doctor", description: "Shows versions, the model and MCP servers, with what is wrong", argument: undefined },
	{ name: "why", description: "Explains what the last turn did, and why it ended", argument: undefined },
];

/** As many as fit on a few screens. */
const THREADS_MAX = 50;

export interface Command {
	/** As it was typed. */
	readonly name: string;
	readonly argument: string;
}

/**
 * The command that a prompt looks like: one word after a slash, alone or before a space. Neither a path such as /usr/bin nor
 * code such as a comment has that shape. The prompts of MCP servers have a colon, and any first and last character of a name.
 */
export function commandOf(parts: readonly PromptPart[]): Command | undefined {
	const first = parts[0];
	const match = first?.type === "text" ? SHAPE.exec(first.text.trim()) : null;
	if (match === null) return undefined;
	return { name: match[1] ?? "", argument: (match[2] ?? "").trim() };
}

const SHAPE = /^\/([a-z](?:[a-z0-9_-]{0,126}[a-z0-9])?|[a-z0-9_-]{1,128}:[a-z0-9_:-]{1,128})(?:\s+([\s\S]*))?$/i;

/** Whether a stored prompt was a command. One that was put to a model or agent was none, whatever it looks like. */
export function isCommandPrompt(body: Body): boolean {
	return body.type === "prompt" && body.model === undefined && commandOf(body.parts) !== undefined;
}

export function builtIn({ name }: Command): CommandInfo | undefined {
	return COMMANDS.find((each) => each.name === name.toLowerCase());
}

/**
 * Whether the word after the slash names a file, as in "/etc is full", so that the prompt is for the model. A word alone is a
 * command, because many workspaces have folders such as test and docs.
 */
export async function namesFile({ name, argument }: Command, workspace: string): Promise<boolean> {
	if (argument === "") return false;
	const paths = [path.resolve("/", name), path.resolve(workspace, name)];
	const found = await Promise.all(
		paths.map((each) =>
			access(each).then(
				() => true,
				() => false,
			),
		),
	);
	return found.includes(true);
}

/** What a command works on. */
export interface CommandContext {
	readonly thread: Thread;
	readonly store: Store;
	readonly models: ChatModels;
	readonly tools: readonly Tool[];
	readonly scope: ToolContext;
	readonly mode: Mode;
	readonly folders: readonly string[];
	readonly now: Date;
	/** The id of the turn that the command is. */
	readonly turn: string;
	readonly record: TurnRecord;
	readonly gauge: TokenEstimator;
	readonly mcp: McpStatus;
	/** The name of the agent that answers instead of the models. */
	readonly agent: string | undefined;
	/** Whether the client can show another thread. */
	readonly canResume: boolean;
	/** The model's name as it was chosen, undefined where nobody chose. */
	chosen: string | undefined;
	/** The thread to go on with, once the command has named one. */
	resumed: Thread | undefined;
}

export interface CommandReply {
	readonly level: "info" | "warning";
	readonly text: string;
}

/** Throws the signal's reason when it is cancelled. */
export async function runCommand(command: Command, desk: CommandContext): Promise<CommandReply> {
	const { name, argument } = command;
	switch (builtIn(command)?.name) {
		case "help":
			return info(
				offeredIn(desk)
					.map((each) => `${usageOf(each)}: ${each.description}.`)
					.join("\n"),
			);
		case "files":
			return useTool("find_files", { pattern: /[*?{[]/.test(argument) ? argument : `**/*${argument}*` }, desk);
		case "search":
			if (argument === "") return warning("Say what to look for: /search TEXT. /threads TEXT looks in threads.");
			return useTool("search", { pattern: argument.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), ignore_case: true }, desk);
		case "threads":
			return info(await threadsWith(argument, desk));
		case "export":
			return exportTo(argument, desk);
		case "model":
			return chooseModel(argument, desk);
		case "why":
			return info(explainLastTurn(await desk.store.entries(desk.thread.id)));
		case "resume":
			return resume(argument, desk);
		case "compact":
			return compact(argument, desk);
		case "context":
			return contextOf(desk);
		case "costs":
			return info(costsOf(await desk.store.entries(desk.thread.id)));
		case "doctor":
			return info(findingsIn(desk));
		default:
			return warning(`Unknown command /${name}.${guess(name, desk)}`);
	}
}

function offeredIn({ agent, mcp }: CommandContext): readonly CommandInfo[] {
	if (agent !== undefined) return COMMANDS.filter(({ needsModel }) => needsModel !== true);
	const prompts = mcp.commands().map((prompt) => {
		const words = prompt.arguments.map(({ name, required }) =>
			required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
		);
		// /help ends each line itself.
		const description = prompt.description.replace(/\.$/, "");
		return { name: prompt.name, description, argument: words.length === 0 ? undefined : words.join(" ") };
	});
	return [...COMMANDS, ...prompts];
}

/**
 * The arguments of an MCP server's prompt, in the order in which it names them. Quotes keep words together, and the last one gets
 * what is left. Throws a `ToolError` if a required one is missing.
 */
export function promptArguments({ name, arguments: wanted }: PromptCommand, typed: string): Record<string, string> {
	const values: Record<string, string> = {};
	let rest = typed.trim();
	for (const [i, argument] of wanted.entries()) {
		const word = /^(?:"([^"]*)"|'([^']*)'|(\S+))(?=\s|$)/.exec(rest);
		const isLast = i === wanted.length - 1 && word?.[0].length !== rest.length;
		const value = isLast ? rest : (word?.[1] ?? word?.[2] ?? word?.[3] ?? "");
		rest = isLast ? "" : rest.slice(word?.[0].length ?? 0).trim();
		if (value !== "") values[argument.name] = value;
		else if (argument.required) {
			const usage = wanted.map((each) => (each.required ? each.name : `[${each.name}]`)).join(" ");
			throw new ToolError(`/${name} needs ${argument.name}: ${argument.description}. Usage: /${name} ${usage}`);
		}
	}
	return values;
}

function guess(name: string, desk: CommandContext): string {
	const names = offeredIn(desk).map((each) => each.name);
	const meant = nearest(name, names);
	if (meant !== undefined) return ` Did you mean /${meant}? /help lists all commands.`;
	return ` Available: ${names.map((each) => `/${each}`).join(", ")}.`;
}

function usageOf({ name, argument }: CommandInfo): string {
	return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}

async function useTool(name: string, input: unknown, { tools, scope }: CommandContext): Promise<CommandReply> {
	const tool = tools.find((each) => each.name === name);
	if (tool === undefined) throw new Error(`the tool ${name} is gone`);
	const parsed = tool.input.safeParse(input);
	if (!parsed.success) return warning(`That cannot be looked for: ${z.prettifyError(parsed.error)}`);
	try {
		const action = await tool.prepare(parsed.data, scope);
		const { output } = await action.run(scope.signal, () => {});
		return info(output);
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		return warning(error.message);
	}
}

async function threadsWith(text: string, { store, thread }: CommandContext): Promise<string> {
	const query = { workspace: thread.workspace, limit: THREADS_MAX };
	const all =
		text === ""
			? (await store.list(query)).map((each) => ({ thread: each, excerpt: "" }))
			: await store.search(text, query);
	// This one holds the text in any case, in the command itself; and where it has no title, nothing was said in it yet.
	const isPassedOver = text !== "" || thread.title === "";
	const found = isPassedOver ? all.filter((each) => each.thread.id !== thread.id) : all;
	if (found.length === 0) {
		return text === "" ? "This workspace has no other thread." : `No other thread of this workspace holds "${text}".`;
	}
	const lines = found.map(({ thread: each, excerpt }) => {
		const title = each.title === "" ? "(no title)" : each.title;
		return `${each.id}  ${each.modifiedAt.slice(0, 10)}  ${title}${excerpt === "" ? "" : `\n    ${excerpt}`}`;
	});
	if (all.length === THREADS_MAX) lines.push(`These are the newest ${THREADS_MAX}. /threads TEXT finds others.`);
	return lines.join("\n");
}

/** The other threads of the workspace, newest first. */
async function othersOf({ store, thread }: CommandContext): Promise<readonly Thread[]> {
	const all = await store.list({ workspace: thread.workspace, limit: THREADS_MAX + 1 });
	return all.filter(({ id, title }) => id !== thread.id && title !== "").slice(0, THREADS_MAX);
}

async function resume(which: string, desk: CommandContext): Promise<CommandReply> {
	const others = await othersOf(desk);
	if (others.length === 0) return info("This workspace has no other thread.");
	if (which === "") {
		const lines = others.map(
			({ id, title, modifiedAt }, i) => `${i + 1}  ${modifiedAt.slice(0, 10)}  ${title}  (${id})`,
		);
		return info([...lines, "Go on with one: /resume NUMBER, /resume ID or /resume latest."].join("\n"));
	}
	const named = which.toLowerCase() === "latest" ? "1" : which;
	const listed = /^\d{1,3}$/.test(named) ? others[Number(named) - 1] : undefined;
	const found = listed ?? (await desk.store.thread(named));
	if (found === undefined || found.workspace !== desk.thread.workspace) {
		return warning(`No thread ${which} in this workspace. /resume lists them.`);
	}
	if (found.id === desk.thread.id) return info("This is that thread.");
	if (!desk.canResume) {
		return info(
			`"${found.title}" cannot be opened from here. Open it in your editor's list of chats, or run segue chat --thread ${found.id}.`,
		);
	}
	desk.resumed = found;
	return info(`Going on with "${found.title}".`);
}

async function compact(focus: string, desk: CommandContext): Promise<CommandReply> {
	const { store, thread, record, gauge, scope, turn } = desk;
	const model = desk.models.choose(desk.chosen);
	if ("why" in model) return warning(model.why);
	const { name, takesImages, windowTokens } = model;
	const messages = messagesOf(await store.entries(thread.id), turn, { model: name, takesImages });
	// After a summary, the summary is the only message.
	if (messages.length < 2) return info("There is nothing to summarize yet.");
	try {
		const { text, usage } = await summarise(
			messages,
			gauge.transcriptCharsMax(windowTokens),
			model,
			scope.signal,
			focus,
		);
		if (usage !== undefined) await record.add({ type: "usage", usage, windowTokens });
		if (text === "") return warning(`${name} wrote no summary. Nothing has changed.`);
		await record.add({ type: "summary", text });
		return info(`The model goes on from this summary:\n\n${text}`);
	} catch (error) {
		if (scope.signal.aborted || !(error instanceof ModelFailure)) throw error;
		return warning(`${error.message} Nothing has changed.`);
	}
}

async function contextOf(desk: CommandContext): Promise<CommandReply> {
	const { store, thread, gauge, scope, turn, mode, folders, now, tools, mcp } = desk;
	const model = desk.models.choose(desk.chosen);
	if ("why" in model) return warning(model.why);
	const entries = await store.entries(thread.id);
	const offered = mode === "edit" ? mcp.states().flatMap((state) => state.tools) : [];
	const ours = toolsIn(mode, tools).map((tool) => [tool.name, tool.description, schemaOf(tool)]);
	return info(
		contextReport(
			{
				instructions: instructionsFor({ folders, mode, today: now, platform: process.platform }),
				advice: (await adviceIn(scope)) ?? "",
				tools: JSON.stringify([...ours, ...offered]),
				messages: messagesOf(entries, turn, { model: model.name, takesImages: model.takesImages }),
			},
			model,
			gauge,
			entries,
		),
	);
}

/** Versions, the model and the MCP servers, for finding out why something does not work. */
function findingsIn(desk: CommandContext): string {
	const { agent, models, folders, tools } = desk;
	const mcp = desk.mcp.states();
	const model = models.choose(desk.chosen);
	const lines = [
		`Segue ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
		`Workspace: ${folders.join(", ")}`,
	];
	if (agent !== undefined) lines.push(`Agent: ${agent}`);
	else if ("why" in model) lines.push(`Model: none. ${model.why}`);
	else {
		const window = model.windowTokens === undefined ? "" : `, ${model.windowTokens.toLocaleString("en")} tokens`;
		lines.push(`Model: ${model.name}${window} (${models.names.length} configured)`);
	}
	lines.push(`Tools: ${tools.map((tool) => tool.name).join(", ")}`);
	lines.push(`MCP servers: ${mcp.length === 0 ? "none" : mcp.length}`);
	for (const { server, status, why } of mcp) {
		lines.push(`  ${server.name}: ${status}${why === undefined ? "" : `. ${why}`}`);
	}
	return [...lines, "segue doctor, in a terminal, also checks the configuration, keys and each model."].join("\n");
}

/** Writes where nothing is yet, readable by this person alone, since a thread holds whatever was said in it. */
async function exportTo(name: string, { store, thread, scope }: CommandContext): Promise<CommandReply> {
	const file = path.resolve(thread.workspace, name === "" ? `thread-${thread.id}.json` : name);
	const json = JSON.stringify(await store.exportThread(thread.id), undefined, "\t");
	try {
		await writeFile(file, `${json}\n`, { flag: "wx", mode: 0o600, signal: scope.signal });
	} catch (error) {
		if (scope.signal.aborted || !(error instanceof Error)) throw error;
		return warning(`The thread was not written: ${error.message}. Name another file: /export FILE`);
	}
	return info(`The thread is in ${file}.`);
}

function chooseModel(name: string, desk: CommandContext): CommandReply {
	const { names } = desk.models;
	if (name === "") {
		const chosen = desk.models.choose(desk.chosen);
		if ("why" in chosen) return warning(chosen.why);
		const others = names.map((each) => `${each === chosen.name ? "*" : " "} ${each}`);
		return info([`The model is ${chosen.name}.`, ...others].join("\n"));
	}
	const chosen = desk.models.choose(name);
	if ("why" in chosen) return warning(chosen.why);
	desk.chosen = name;
	return info(`This thread goes on with ${chosen.name}, until you end the program or choose another.`);
}

function info(text: string): CommandReply {
	return { level: "info", text };
}

function warning(text: string): CommandReply {
	return { level: "warning", text };
}
