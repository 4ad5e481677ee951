import type { Command } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";

export function addThreads(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("threads")
		.description("serve an editor over the thread draft, ACP's first form, on standard input and output")
		.allowExcessArguments(false)
		.option("--agent <name or command>", "another ACP agent that answers; segue agents lists them")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			'\nExamples:\n  $ segue threads\n  $ segue threads --agent "gemini --acp"\n\nThreads are about the folder that it is started in. Nobody can be asked to allow anything there: see approvals in the\nconfiguration, which segue config shows.',
		)
		.action(async (options: { agent?: string }) => {
			const { runThreads } = await import("../run/run-threads.js");
			await runThreads(options, process);
		});
}
