import { writeFile } from "node:fs/promises";
import path from "node:path";
import { ModelFailure } from "@segue/models";
import * as z from "zod";
import { ToolError } from "../failures.js";
import { nearest } from "../nearest.js";
import { schemaOf } from "../tools/tool.js";
import { toolsIn } from "../tools/tools.js";
import { VERSION } from "../version.js";
import { summarise } from "./compaction.js";
import { messagesOf } from "./history.js";
import { adviceIn, instructionsFor } from "./instructions.js";
import { contextReport, costsOf, explainLastTurn } from "./reports.js";
import { type Command, promptArguments } from "./slash-command.js";
import type { PromptPart, Thread } from "./thread.js";
import type { TurnContext } from "./turn-context.js";

interface CommandInfo {
	readonly name: string;
	readonly description: string;
	readonly argument: string | undefined;
	/** Whether the command is about the configured models. Not offered if another agent answers. */
	readonly needsModel?: boolean;
}

/** The commands, in the order in which /help lists them. */
export const COMMANDS: readonly CommandInfo[] = [
	{ name: "help", description: "Lists the commands", argument: undefined },
	{
		name: "files",
		description: "Lists the files in the workspace, or those that match a name or glob",
		argument: "[NAME]",
	},
	{ name: "search", description: "Finds text in the workspace's files", argument: "TEXT" },
	{
		name: "conversations",
		description: "Lists the conversations in this workspace, or the others that contain TEXT",
		argument: "[TEXT]",
	},
	{
		name: "resume",
		description: "Lists the other conversations in this workspace, or resumes one",
		argument: "[NUMBER, ID or latest]",
	},
	{ name: "export", description: "Exports this conversation to a new JSON file in the workspace", argument: "[FILE]" },
	{
		name: "model",
		description: "Lists the models, or chooses one for this conversation",
		argument: "[NAME]",
		needsModel: true,
	},
	{
		name: "compact",
		description: "Replaces this conversation with a summary in the model's context",
		argument: "[FOCUS]",
		needsModel: true,
	},
	{
		name: "context",
		description: "Shows how the model's context window is used",
		argument: undefined,
		needsModel: true,
	},
	{ name: "costs", description: "Shows the tokens and costs of this conversation", argument: undefined },
	{ name: "doctor", description: "Shows versions, the model, MCP servers and any problems", argument: undefined },
	{ name: "why", description: "Explains what the last turn did and why it ended", argument: undefined },
];

/** This many fit on a few screens. */
const THREADS_MAX = 50;

export function builtInCommand({ name }: Command): CommandInfo | undefined {
	return COMMANDS.find((each) => each.name === name.toLowerCase());
}

interface CommandReply {
	readonly level: "info" | "warning";
	readonly text: string;
	/** The thread to switch to after the reply. */
	readonly resumed?: Thread | undefined;
}

/** Throws the signal's reason if it is aborted. */
export async function runCommand(command: Command, context: TurnContext): Promise<CommandReply> {
	const { name, argument } = command;
	switch (builtInCommand(command)?.name) {
		case "help":
			return info(
				offeredIn(context)
					.map((each) => `${usageOf(each)}: ${each.description}.`)
					.join("\n"),
			);
		case "files":
			return useTool("find_files", { pattern: /[*?{[]/.test(argument) ? argument : `**/*${argument}*` }, context);
		case "search":
			if (argument === "") return warning("Usage: /search TEXT. To search conversations: /conversations TEXT.");
			return useTool(
				"search",
				{ pattern: argument.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), ignore_case: true },
				context,
			);
		case "conversations":
			return info(await threadsWith(argument, context));
		case "export":
			return exportTo(argument, context);
		case "model":
			return chooseModel(argument, context);
		case "why":
			return info(explainLastTurn(await context.store.entries(context.thread.id)));
		case "resume":
			return resume(argument, context);
		case "compact":
			return compact(argument, context);
		case "context":
			return contextOf(context);
		case "costs":
			return info(costsOf(await context.store.entries(context.thread.id)));
		case "doctor":
			return info(findingsIn(context));
		default:
			return warning(`Unknown command /${name}.${guess(name, context)}`);
	}
}

/**
 * Expands a command that names an MCP server's prompt. Returns undefined for any other command, and an error if the
 * prompt fails or a rule denies it.
 */
export async function expandPrompt(
	command: Command,
	{ agentName, approvals, mcp, runningServers, thread, signal }: TurnContext,
): Promise<readonly PromptPart[] | ToolError | undefined> {
	if (agentName !== undefined || builtInCommand(command) !== undefined) return undefined;
	try {
		const prompt = await mcp.command(command.name, thread.workspace, (permission) => approvals.isDenied(permission));
		if (prompt === undefined) return undefined;
		const values = promptArguments(prompt, command.argument);
		return await runningServers.prompt(prompt.server, thread, { name: prompt.prompt, arguments: values }, signal);
	} catch (error) {
		if (error instanceof ToolError) return error;
		throw error;
	}
}

function offeredIn({ agentName, mcp }: TurnContext): readonly CommandInfo[] {
	if (agentName !== undefined) return COMMANDS.filter(({ needsModel }) => needsModel !== true);
	const prompts = mcp.commands().map((prompt) => {
		const words = prompt.arguments.map(({ name, required }) =>
			required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
		);
		// /help adds the period.
		const description = prompt.description.replace(/\.$/, "");
		return { name: prompt.name, description, argument: words.length === 0 ? undefined : words.join(" ") };
	});
	return [...COMMANDS, ...prompts];
}

function guess(name: string, context: TurnContext): string {
	const names = offeredIn(context).map((each) => each.name);
	const meant = nearest(name, names);
	if (meant !== undefined) return ` Did you mean /${meant}? /help lists all commands.`;
	return ` Available: ${names.map((each) => `/${each}`).join(", ")}.`;
}

function usageOf({ name, argument }: CommandInfo): string {
	return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}

async function useTool(name: string, input: unknown, context: TurnContext): Promise<CommandReply> {
	const tool = context.tools.find((each) => each.name === name);
	if (tool === undefined) throw new Error(`missing tool ${name}`);
	const parsed = tool.input.safeParse(input);
	if (!parsed.success) return warning(`Invalid search: ${z.prettifyError(parsed.error)}`);
	try {
		const action = await tool.prepare(parsed.data, context);
		const { output } = await action.run(context.signal, () => {});
		return info(output);
	} catch (error) {
		if (!(error instanceof ToolError)) throw error;
		return warning(error.message);
	}
}

async function threadsWith(text: string, { store, thread }: TurnContext): Promise<string> {
	const query = { workspace: thread.workspace, limit: THREADS_MAX };
	const all =
		text === ""
			? (await store.list(query)).map((each) => ({ thread: each, excerpt: "" }))
			: await store.search(text, query);
	// Omit this thread from a search, which would always find the command itself here. Also omit it if it is empty and
	// so has no title.
	const excludesOwn = text !== "" || thread.title === "";
	const found = excludesOwn ? all.filter((each) => each.thread.id !== thread.id) : all;
	if (found.length === 0) {
		return text === ""
			? "This workspace has no other conversations."
			: `No other conversation in this workspace contains "${text}".`;
	}
	const lines = found.map(({ thread: each, excerpt }) => {
		const title = each.title === "" ? "(no title)" : each.title;
		return `${each.id}  ${each.modifiedAt.slice(0, 10)}  ${title}${excerpt === "" ? "" : `\n    ${excerpt}`}`;
	});
	if (all.length === THREADS_MAX)
		lines.push(`Only the newest ${THREADS_MAX} are listed. To find others: /conversations TEXT.`);
	return lines.join("\n");
}

/** Returns the other threads in the workspace, newest first. */
async function othersOf({ store, thread }: TurnContext): Promise<readonly Thread[]> {
	const all = await store.list({ workspace: thread.workspace, limit: THREADS_MAX + 1 });
	return all.filter(({ id, title }) => id !== thread.id && title !== "").slice(0, THREADS_MAX);
}

async function resume(which: string, context: TurnContext): Promise<CommandReply> {
	const others = await othersOf(context);
	if (others.length === 0) return info("This workspace has no other conversations.");
	if (which === "") {
		const lines = others.map(
			({ id, title, modifiedAt }, i) => `${i + 1}  ${modifiedAt.slice(0, 10)}  ${title}  (${id})`,
		);
		return info([...lines, "To resume one: /resume NUMBER, /resume ID or /resume latest."].join("\n"));
	}
	const named = which.toLowerCase() === "latest" ? "1" : which;
	const listed = /^\d{1,3}$/.test(named) ? others[Number(named) - 1] : undefined;
	const found = listed ?? (await context.store.thread(named));
	if (found === undefined || found.workspace !== context.thread.workspace) {
		return warning(`No conversation ${which} in this workspace. To list conversations: /resume.`);
	}
	if (found.id === context.thread.id) return info("This conversation is already open.");
	if (context.client.resume === undefined) {
		return info(
			`"${found.title}" cannot be opened here. Open it from your editor's list of conversations, or run segue chat --conversation ${found.id}.`,
		);
	}
	return { ...info(`Resuming "${found.title}".`), resumed: found };
}

async function compact(focus: string, context: TurnContext): Promise<CommandReply> {
	const { id, store, thread, record, estimator, signal } = context;
	const model = context.models.choose(context.modelName);
	if ("why" in model) return warning(model.why);
	const { name, takesImages, windowTokens } = model;
	const messages = messagesOf(await store.entries(thread.id), id, { model: name, takesImages });
	// After /compact, the summary is the only message.
	if (messages.length < 2) return info("Nothing to summarize yet.");
	try {
		const { text, usage } = await summarise(messages, estimator.transcriptCharsMax(windowTokens), model, signal, focus);
		if (usage !== undefined) await record.add({ type: "usage", usage, windowTokens });
		if (text === "") return warning(`${name} did not return a summary. Nothing has changed.`);
		await record.add({ type: "summary", text });
		return info(`The model continues from this summary:\n\n${text}`);
	} catch (error) {
		if (signal.aborted || !(error instanceof ModelFailure)) throw error;
		return warning(`${error.message} Nothing has changed.`);
	}
}

async function contextOf(context: TurnContext): Promise<CommandReply> {
	const { id, store, thread, estimator, mode, folders, now, tools, mcp } = context;
	const model = context.models.choose(context.modelName);
	if ("why" in model) return warning(model.why);
	const entries = await store.entries(thread.id);
	const offered = mode === "edit" ? mcp.states().flatMap((state) => state.tools) : [];
	const ours = toolsIn(mode, tools).map((tool) => [tool.name, tool.description, schemaOf(tool)]);
	return info(
		contextReport(
			{
				instructions: instructionsFor({ folders, mode, today: now(), platform: process.platform }),
				advice: (await adviceIn(context)) ?? "",
				tools: JSON.stringify([...ours, ...offered]),
				messages: messagesOf(entries, id, { model: model.name, takesImages: model.takesImages }),
			},
			model,
			estimator,
			entries,
		),
	);
}

/** Reports versions, the model and MCP servers, for troubleshooting. */
function findingsIn(context: TurnContext): string {
	const { agentName, models, folders, tools } = context;
	const mcp = context.mcp.states();
	const model = models.choose(context.modelName);
	const lines = [
		`Segue ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
		`Workspace: ${folders.join(", ")}`,
	];
	if (agentName !== undefined) lines.push(`Agent: ${agentName}`);
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
	return [...lines, "To also check the configuration, keys and each model, run segue doctor in a terminal."].join("\n");
}

/** Never overwrites a file. Only the user can read the new file, because a thread can contain anything. */
async function exportTo(name: string, { store, thread, signal }: TurnContext): Promise<CommandReply> {
	const file = path.resolve(thread.workspace, name === "" ? `conversation-${thread.id}.json` : name);
	const json = JSON.stringify(await store.exportThread(thread.id), undefined, "\t");
	try {
		await writeFile(file, `${json}\n`, { flag: "wx", mode: 0o600, signal });
	} catch (error) {
		if (signal.aborted || !(error instanceof Error)) throw error;
		return warning(`Export failed: ${error.message}. Choose another file: /export FILE`);
	}
	return info(`Exported to ${file}.`);
}

function chooseModel(name: string, context: TurnContext): CommandReply {
	const { names } = context.models;
	if (name === "") {
		const chosen = context.models.choose(context.modelName);
		if ("why" in chosen) return warning(chosen.why);
		const others = names.map((each) => `${each === chosen.name ? "*" : " "} ${each}`);
		return info([`The model is ${chosen.name}.`, ...others].join("\n"));
	}
	const chosen = context.models.choose(name);
	if ("why" in chosen) return warning(chosen.why);
	if (name !== context.modelName) context.chooseModel(name);
	return info(`This conversation now uses ${chosen.name}, until you exit or choose another model.`);
}

function info(text: string): CommandReply {
	return { level: "info", text };
}

function warning(text: string): CommandReply {
	return { level: "warning", text };
}
