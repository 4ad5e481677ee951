import type { Command } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";

export function addThreads(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("threads")
		.description("Serve chat over the thread draft, an early ACP.")
		.allowExcessArguments(false)
		.option("--agent <agent>", "name or command line of an ACP agent to use instead of a model")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue threads                          the command to enter in an editor's settings
  $ segue threads --agent "gemini --acp"   chat with an external agent

The thread draft is ACP's version of June 2025, in which chats are called threads. Few editors use
it; for all others: segue acp
The server uses standard input and output, and works in the current folder. The protocol cannot ask
for permission: to allow actions, add rules to "approvals" in the configuration (see segue config).`,
		)
		.action(async (options: { agent?: string }) => {
			const { runThreads } = await import("../run/run-threads.js");
			await runThreads(options, process);
		});
}
