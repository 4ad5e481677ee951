import { sanitizeName } from "@segue/text/sanitize";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { LspCommandOptions } from "../run/run-lsp.js";
import { writeMessage } from "../terminal/message.js";

export function addLsp(program: Command, version: string, process: CommandProcess): Command {
	return program
		.command("lsp")
		.description("Serve next edits to an editor over LSP.")
		.allowUnknownOption()
		.argument("[words...]", "ignored, so that editors can pass their own arguments")
		.addOption(new Option("--stdio", "use standard input and output (the default)").hideHelp())
		.addOption(new Option("--socket <port>", "connect to the editor on this local port").argParser(readPort))
		.option("--client-name <name>", "name to report to the editor, for plugins that select servers by name")
		.option("--next-edit-model <provider/model>", 'model for next edits; "embedded" selects the built-in engine')
		.option("--with-code", "record code and paths so that `segue why` can show them")
		.addHelpText(
			"after",
			`
Examples:
  $ segue lsp                                 the command to enter in an editor's settings
  $ segue lsp --next-edit-model ollama/zeta   use a model for next edits
  $ segue setup editor neovim                 configure Neovim to start this server

Editors show suggestions as inline completions, as Copilot-style next edits, or as code actions.
Exit codes: 0 after the messages "shutdown" and "exit", 1 if the editor disconnects without them.`,
		)
		.action(async (words: string[], options: LspCommandOptions, command: Command) => {
			for (const word of words.filter((one) => one.startsWith("-") && !EDITORS_OPTION.test(one))) {
				const { nearest } = await import("@segue/assist/nearest");
				const meant = nearest(
					word,
					command.options.flatMap(({ long }) => long ?? []),
				);
				const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
				writeMessage(
					process.stderr,
					`Ignoring unknown option "${sanitizeName(word)}".${hint} Run \`segue help lsp\` for its options.`,
				);
			}
			const { runLsp } = await import("../run/run-lsp.js");
			await runLsp(options, version, process);
		});
}

/** Options that editors pass to every LSP server by convention. */
const EDITORS_OPTION = /^--(?:stdio|clientProcessId)\b/i;

function readPort(text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
	throw new InvalidArgumentError("It must be a number from 1 to 65535.");
}
