import { access } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../failures.js";
import type { PromptCommand } from "../mcp/status.js";
import type { Body, PromptPart } from "./thread.js";

export interface Command {
	/** The name as typed, without the slash. */
	readonly name: string;
	readonly argument: string;
}

/**
 * Parses a prompt that looks like a command: one word after a slash, alone or followed by a space. Paths such as
 * /usr/bin and code comments don't match. Names of MCP prompts contain a colon, and can start and end with any
 * character allowed in a name.
 */
export function commandOf(parts: readonly PromptPart[]): Command | undefined {
	const first = parts[0];
	const match = first?.type === "text" ? SHAPE.exec(first.text.trim()) : null;
	if (match === null) return undefined;
	return { name: match[1] ?? "", argument: (match[2] ?? "").trim() };
}

const SHAPE = /^\/([a-z](?:[a-z0-9_-]{0,126}[a-z0-9])?|[a-z0-9_-]{1,128}:[a-z0-9_:-]{1,128})(?:\s+([\s\S]*))?$/i;

/**
 * Whether a stored prompt was a command. A prompt that was sent to a model or agent was not a command, even if it looks
 * like one.
 */
export function isCommandPrompt(body: Body): boolean {
	return body.type === "prompt" && body.model === undefined && commandOf(body.parts) !== undefined;
}

/**
 * Whether the word after the slash is a path, as in "/etc is full", so that the prompt is sent to the model. A single
 * word is always a command, because many workspaces have folders such as test and docs.
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

/**
 * Parses the arguments of an MCP prompt, in the order in which the server declares them. Quotes group words, and the
 * last argument gets the rest of the line. Throws a `ToolError` if a required argument is missing.
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
