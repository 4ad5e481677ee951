import { sanitizeName } from "@segue/text/sanitize";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { LspCommandOptions } from "../run/run-lsp.js";

export function addLsp(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("lsp")
		.description("serve next edits to an editor over LSP, on standard input and output")
		.allowUnknownOption()
		.argument("[words...]", "passed over, because some editors start every server with words of their own")
		.addOption(new Option("--stdio", "use standard input and output, as it does anyway").hideHelp())
		.addOption(
			new Option("--socket <port>", "connect to a port of this machine that the editor listens on").argParser(readPort),
		)
		.option("--client-name <name>", "the name to introduce the server with, for plugins that choose servers by it")
		.option("--next-edit-model <provider/model>", "a model that writes next edits; embedded for none")
		.option("--with-code", "let segue why show what suggestions would write, and in which files")
		.addHelpText(
			"after",
			`
Examples:
  $ segue lsp                                      what an editor starts
  $ segue lsp --next-edit-model ollama/zeta        with a model
  $ segue setup editor neovim                      how to set up an editor

Editors get suggestions as inline completions, as Copilot's next edits, or as code actions.
The exit code is 0 after shutdown and exit, and 1 when the editor went without them.`,
		)
		.action(async (words: string[], options: LspCommandOptions) => {
			for (const word of words.filter((one) => one.startsWith("-") && !EDITORS_OPTION.test(one))) {
				process.stderr.write(
					`segue: lsp has no option ${sanitizeName(word)}, so it is ignored. To see the options: segue help lsp\n`,
				);
			}
			const { runLsp } = await import("../run/run-lsp.js");
			await runLsp(options, version, process);
		});
}

/** Options that editors pass to every server, by the conventions of LSP. */
const EDITORS_OPTION = /^--(?:stdio|clientProcessId)\b/i;

function readPort(said: string): number {
	const port = Number(said);
	if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
	throw new InvalidArgumentError("It must be a number from 1 to 65535.");
}
