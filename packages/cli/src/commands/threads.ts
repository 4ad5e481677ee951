import type { Command } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";

export function addThreads(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("threads")
		.description("Run a chat server for the thread draft, an early version of ACP, on standard input and output.")
		.allowExcessArguments(false)
		.option("--agent <agent>", "name or command line of an ACP agent that answers instead of a model")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue threads                          started by an editor
  $ segue threads --agent "gemini --acp"   use another agent

Threads belong to the folder that the command is started in. The protocol has no permission
requests: to allow actions, add rules to "approvals" in the configuration (see segue config).`,
		)
		.action(async (options: { agent?: string }) => {
			const { runThreads } = await import("../run/run-threads.js");
			await runThreads(options, process);
		});
}
