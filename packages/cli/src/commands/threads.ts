import type { Command } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";

export function addThreads(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("threads")
		.description("Serve chat to an editor over the June 2025 version of ACP.")
		.allowExcessArguments(false)
		.option("--agent <agent>", "name or command line of an ACP agent to use instead of a model")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue threads                          the command to enter in an editor's settings
  $ segue threads --agent "gemini --acp"   chat with an external agent

This version of ACP is also called the thread draft. Few editors use it. For all others, use segue
acp.
The server uses standard input and output, and works in the current folder. The protocol has no way
to ask for permission. To allow actions, add rules to "approvals" in the configuration file, whose
path segue config shows.`,
		)
		.action(async (options: { agent?: string }) => {
			const { runThreads } = await import("../run/run-threads.js");
			await runThreads(options, process);
		});
}
