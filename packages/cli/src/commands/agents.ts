import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";

export function addAgents(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("agents")
		.description("list the ACP agents that can answer in chat: configured ones, and those found on this machine")
		.allowExcessArguments(false)
		.option("--json", "print them as JSON")
		.addHelpText(
			"after",
			'\nExample:\n  $ segue agents\n  $ segue chat --agent opencode "What does this project do?"\n\nNothing is started. SEGUE_AGENT=NAME stands for --agent NAME.',
		)
		.action(async (options: { json?: boolean }) => {
			const { listAgentsHere } = await import("../agents/list.js");
			listAgentsHere(options, process);
		});
}
