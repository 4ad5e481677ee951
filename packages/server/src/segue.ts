import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };

// A reader that has seen enough, as in `segue help | head -1`, is no reason to complain.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
	process.exit(0);
});

const program = new Command("segue")
	.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
	.version(manifest.version, "-V, --version", "print the version")
	.helpOption("-h, --help", "show this help")
	.helpCommand("help", "show this help")
	.configureOutput({ outputError: (text, write) => write(`${text.trimEnd()}. What segue can do: segue help\n`) })
	.argument("[command]")
	.action((command: string | undefined) => {
		if (command !== undefined) program.error(`error: unknown command '${command}'`);
		program.help();
	})
	.usage("[options] [command]")
	.addHelpText(
		"after",
		"\nExamples:\n  $ segue help        show what segue can do\n  $ segue --version   print the version",
	);

await program.parseAsync();
