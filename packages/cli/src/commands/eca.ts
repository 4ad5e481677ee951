import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { EcaCommandOptions } from "../run/run-eca.js";

export function addEca(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("eca")
		.description("serve an editor over ECA, on standard input and output")
		.argument("[words...]", "what editors say to other servers of ECA, such as server; it makes no difference")
		.allowUnknownOption()
		.addOption(
			new Option("--protocol <form>", "the form of the protocol, where the editor does not make it clear").choices([
				"2025-06-09",
				"current",
				"merged",
			]),
		)
		.option("--agent <name or command>", "an ACP agent that answers instead of a model; segue agents lists them")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue eca                             what an editor starts
  $ segue eca server --log-level debug    as editors of ECA start theirs: words and options of others are passed over
  $ segue eca --agent "gemini --acp"      an ACP agent for editors that speak ECA
  $ segue eca --protocol 2025-06-09       for an editor of the first days

The exit code is 0 when the editor says exit or is gone, and 1 when it no longer reads.`,
		)
		.action(async (_words: string[], { protocol, agent }: EcaCommandOptions) => {
			const { runEca } = await import("../run/run-eca.js");
			await runEca({ ...(protocol && { protocol }), ...(agent && { agent }) }, version, process);
		});
}
