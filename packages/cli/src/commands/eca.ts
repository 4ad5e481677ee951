import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { EcaCommandOptions } from "../run/run-eca.js";

export function addEca(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("eca")
		.description("Serve chat and completions to an editor over ECA.")
		.argument("[words...]", "ignored, so that editors can pass arguments for other ECA servers")
		.allowUnknownOption()
		.addOption(
			new Option("--protocol <version>", "protocol version (default: detected from the editor's messages)").choices([
				"2025-06-09",
				"current",
				"merged",
			]),
		)
		.option("--agent <agent>", "name or command line of an ACP agent to use instead of a model")
		.hook("preAction", readSegueAgent(process))
		.addHelpText(
			"after",
			`
Examples:
  $ segue eca                            the command to enter in an editor's settings
  $ segue eca server --log-level debug   arguments for another ECA server are ignored
  $ segue eca --agent "gemini --acp"     chat with an external agent
  $ segue eca --protocol 2025-06-09      for an editor that uses the first version of ECA

The server uses standard input and output. To configure an editor, run segue setup editor.
Exit codes: 0 if the editor sends "exit" or disconnects, 1 if it stops reading.`,
		)
		.action(async (_words: string[], { protocol, agent }: EcaCommandOptions) => {
			const { runEca } = await import("../run/run-eca.js");
			await runEca({ ...(protocol && { protocol }), ...(agent && { agent }) }, version, process);
		});
}
