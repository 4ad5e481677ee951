import { writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import type { Models } from "./assist.js";
import { nearest } from "./nearest.js";
import type { Store } from "./store/store.js";
import type { PromptPart, Thread } from "./thread.js";
import { type Scope, type Tool, ToolError } from "./tool.js";
import { whyOf } from "./why.js";

/** What works without a model, in the order in which /help tells it. */
export const COMMANDS: readonly { name: string; description: string; argument: string | undefined }[] = [
	{ name: "help", description: "Tells what the commands do", argument: undefined },
	{ name: "files", description: "Lists the files of the workspace, or those with a name or glob", argument: "[NAME]" },
	{ name: "search", description: "Finds a text in the files of the workspace", argument: "TEXT" },
	{
		name: "threads",
		description: "Lists the threads of this workspace, or the others that hold a text",
		argument: "[TEXT]",
	},
	{ name: "export", description: "Writes this thread into a new JSON file in the workspace", argument: "[FILE]" },
	{ name: "model", description: "Tells which models there are, or chooses one for this thread", argument: "[NAME]" },
	{ name: "why", description: "Tells what the last turn did, and why it ended as it did", argument: undefined },
];

/** As many as fit on a few screens. */
const THREADS_MAX = 50;

export interface Command {
	readonly name: string;
	readonly argument: string;
}

/**
 * The command that a prompt is: one word after a slash. A path, such as /usr/bin, is none, and neither is a word that no
 * command has with more behind it: "/etc is full".
 */
export function commandOf(parts: readonly PromptPart[]): Command | undefined {
	const first = parts[0];
	const match = first?.type === "text" ? /^\/([a-z][a-z-]*)(?:\s+(.*))?$/is.exec(first.text.trim()) : null;
	if (match === null) return undefined;
	const name = (match[1] ?? "").toLowerCase();
	const argument = (match[2] ?? "").trim();
	const isAlone = argument === "" && parts.length === 1;
	return isAlone || COMMANDS.some((each) => each.name === name) ? { name, argument } : undefined;
}

/** What a command works on. */
export interface Desk {
	readonly thread: Thread;
	readonly store: Store;
	readonly models: Models;
	readonly tools: readonly Tool[];
	readonly scope: Scope;
	/** The model's name as it was chosen, undefined where nobody chose. */
	chosen: string | undefined;
}

export interface Reply {
	readonly level: "info" | "warning";
	readonly text: string;
}

/** Throws the signal's reason when it is cancelled. */
export async function obey({ name, argument }: Command, desk: Desk): Promise<Reply> {
	switch (name) {
		case "help":
			return info(COMMANDS.map((each) => `${usageOf(each)}: ${each.description}.`).join("\n"));
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
			return info(whyOf(await desk.store.entries(desk.thread.id)));
		default:
			return warning(`There is no command /${name}.${guess(name)} /help tells what there is.`);
	}
}

function guess(name: string): string {
	const meant = nearest(
		name,
		COMMANDS.map((each) => each.name),
	);
	return meant === undefined ? "" : ` Did you mean /${meant}?`;
}

function usageOf({ name, argument }: (typeof COMMANDS)[number]): string {
	return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}

async function useTool(name: string, input: unknown, { tools, scope }: Desk): Promise<Reply> {
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

async function threadsWith(text: string, { store, thread }: Desk): Promise<string> {
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

/** Writes where nothing is yet, readable by this person alone, since a thread holds whatever was said in it. */
async function exportTo(name: string, { store, thread, scope }: Desk): Promise<Reply> {
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

function chooseModel(name: string, desk: Desk): Reply {
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

function info(text: string): Reply {
	return { level: "info", text };
}

function warning(text: string): Reply {
	return { level: "warning", text };
}
