import { lookForAgents } from "@segue/agent/chat/known-agents";
import { readConfiguration } from "@segue/agent/config/configuration";
import { maskArguments, quoted } from "@segue/agent/config/masking";
import type { AgentCommand } from "@segue/assist";
import { plain } from "@segue/text";
import type { CommandProcess } from "../command-line.js";
import type { Surroundings } from "../commands/config.js";

/** `segue agents`: those that can be put behind Segue on this machine. */
export function listAgentsHere(options: { readonly json?: boolean }, process: CommandProcess): void {
	process.exitCode = listAgents(options, { folder: process.cwd(), env: process.env, stdout: process.stdout });
}

/** Gives the exit code: 1 where something is wrong with the configuration. */
export function listAgents(
	{ json = false }: { readonly json?: boolean },
	{ folder, env, stdout }: Pick<Surroundings, "folder" | "env" | "stdout">,
): number {
	const { agents, problems, warnings } = readConfiguration({ folder, env, flags: {} });
	const configured = agents.map(({ value, origin }) => ({ ...value, args: maskArguments(value.args), origin }));
	const { found, missing } = lookForAgents(env);
	if (json) stdout.write(`${JSON.stringify({ configured, found, missing, warnings, problems }, undefined, 2)}\n`);
	else {
		const parts = [
			section(
				"Configured",
				configured.map((agent) => [...wordsOf(agent), plain(agent.origin.where ?? "")]),
			),
			section(
				"Found on this machine",
				found.map((agent) => [...wordsOf(agent), plain(agent.file)]),
			),
			`Known and not found: ${missing.join(", ")}.\n`,
			...[...warnings, ...problems].map((sentence) => `${sentence}\n`),
			'Use one: segue chat --agent NAME "QUESTION", or segue acp --agent NAME in an editor.\n',
		];
		stdout.write(parts.filter((part) => part !== "").join("\n"));
	}
	return problems.length > 0 ? 1 : 0;
}

function wordsOf({ name, command, args }: AgentCommand): string[] {
	return [name, [command, ...args].map(quoted).join(" ")];
}

/** A table with a heading, or nothing where it has no rows. */
function section(heading: string, rows: readonly (readonly string[])[]): string {
	if (rows.length === 0) return "";
	const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const lines = rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`);
	return `${heading}:\n${lines.join("\n")}\n`;
}
