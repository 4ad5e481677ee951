import { maskArguments, shellArgument } from "@segue/agent/config/masking";
import type { AgentCommand } from "@segue/assist";
import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import { paintFor } from "../terminal/colour.js";
import { columnsOf, paragraph, table } from "../terminal/width.js";
import { type ConfigContext, problemSections } from "./config.js";

export function addAgents(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("agents")
		.description("List the ACP agents that can answer in chat.")
		.allowExcessArguments(false)
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Examples:
  $ segue agents
  $ segue chat --agent opencode "What does this project do?"

This command does not start any agents. SEGUE_AGENT=NAME is an alternative to --agent NAME.`,
		)
		.action(async (options: { json?: boolean }) => {
			const { env, stdout } = process;
			process.exitCode = await printAgents(options, { folder: process.cwd(), env, stdout });
		});
}

/** Returns the exit code: 1 if the configuration has problems. */
export async function printAgents(
	{ json = false }: { readonly json?: boolean },
	{ folder, env, stdout }: Pick<ConfigContext, "folder" | "env" | "stdout">,
): Promise<number> {
	const { lookForAgents } = await import("@segue/agent/chat/known-agents");
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const { agents, problems, warnings } = readConfiguration({ folder, env, flags: {} });
	const configured = agents.map(({ value, origin }) => ({ ...value, args: maskArguments(value.args), origin }));
	const { found, missing } = lookForAgents(env);
	if (json) stdout.write(`${JSON.stringify({ configured, found, missing, warnings, problems }, undefined, 2)}\n`);
	else {
		const columns = columnsOf(stdout);
		const parts = [
			...problemSections({ problems, warnings }, columns, paintFor(false)),
			section(
				"Configured",
				configured.map((agent) => [...wordsOf(agent), sanitizeName(agent.origin.where ?? "")]),
				columns,
			),
			section(
				"Found on this machine",
				found.map((agent) => [...wordsOf(agent), sanitizeName(agent.file)]),
				columns,
			),
			...[`Not found: ${missing.join(", ")}.`, USING].map((sentence) => paragraph(sentence, stdout)),
		];
		stdout.write(parts.filter((part) => part !== "").join("\n"));
	}
	return problems.length > 0 ? 1 : 0;
}

const USING = 'To use one: segue chat --agent NAME "QUESTION", or segue acp --agent NAME in an editor.';

function wordsOf({ name, command, args }: AgentCommand): string[] {
	return [name, [command, ...args].map(shellArgument).join(" ")];
}

/** A table with a heading, or an empty string if there are no rows. */
function section(heading: string, rows: readonly (readonly string[])[], columns: number): string {
	if (rows.length === 0) return "";
	const lines = table(rows, columns - 2).flatMap((row) => row.map((line) => `  ${line}`));
	return `${heading}:\n${lines.join("\n")}\n`;
}
