import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { EcaCommandOptions } from "../run/run-eca.js";

export function addEca(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("eca")
		.description("Run an ECA server on standard input and output.")
		.argument("[words...]", "ignored; accepted for editors that pass arguments meant for other ECA servers")
		.allowUnknownOption()
		.addOption(
			new Option("--protocol <version>", "protocol version (default: detected from the editor)").choices([
				"2025-06-09",
				"current",
				"merged",
			]),
		)
		.option("--agent <agent>", "name or command line of an ACP agent that answers instead of a model")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue eca                            started by an editor
  $ segue eca server --log-level debug   arguments of other ECA servers are ignored
  $ segue eca --agent "gemini --acp"     use another agent
  $ segue eca --protocol 2025-06-09      for an editor that uses the first protocol version

Exit codes: 0 if the editor sends exit or disconnects, 1 if it stops reading.`,
		)
		.action(async (_words: string[], { protocol, agent }: EcaCommandOptions) => {
			const { runEca } = await import("../run/run-eca.js");
			await runEca({ ...(protocol && { protocol }), ...(agent && { agent }) }, version, process);
		});
}
