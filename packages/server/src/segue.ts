import { Command, InvalidArgumentError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import type { Sync } from "./acp.js";
import type { EvalOptions } from "./eval/eval.js";
import type { WhyOptions } from "./why/why.js";

// A reader that has seen enough, as in `segue help | head -1`, is no reason to complain.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
	process.exit(0);
});

const program: Command = new Command("segue")
	.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
	.version(manifest.version, "-V, --version", "print the version")
	.helpOption("-h, --help", "show this help")
	.helpCommand("help [command]", "show this help, or a command's")
	.configureOutput({
		outputError: (text, write) => write(`${text.replace(/\.?\s*$/, "")}. What segue can do: segue help\n`),
	})
	.allowExcessArguments()
	.action(() => {
		const [unknown] = program.args;
		if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
		program.help();
	})
	.addHelpText(
		"after",
		"\nExamples:\n  $ segue acp         what an editor starts\n  $ segue --version   print the version",
	);

program
	.command("acp")
	.description("serve an editor over ACP, on standard input and output")
	.allowExcessArguments(false)
	.addOption(
		new Option("--sync <how>", "how the editor tells of its documents")
			.choices(["events", "context", "both"])
			.default("events"),
	)
	.addHelpText("after", "\nExample:\n  $ segue acp --sync both")
	.action(async ({ sync }: { sync: Sync }) => {
		const { serveStandardStreams } = await import("./stdio.js");
		await serveStandardStreams(sync, manifest.version);
	});

program
	.command("eval")
	.description("replay commits on the embedded engine, and tell how good its suggestions are")
	.argument("<cases>", "a file of cases: .jsonl, or .jsonl.br")
	.allowExcessArguments(false)
	.addOption(
		new Option(
			"--mode <how>",
			"make every step of a commit, accept what is right and reject the rest, or type its lines and complete them",
		)
			.choices(["forced", "interactive", "completion"])
			.default("forced"),
	)
	.option("--limit <n>", "replay only the first so many cases", readCount)
	.option("--json", "print everything as JSON: figures, and what happened in each state")
	.option("--diff <old.json>", "list what got better and worse since a run with --json")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue eval cases.jsonl --json > old.json   before a change\n  $ segue eval cases.jsonl --diff old.json    after it",
	)
	.action(async (cases: string, options: EvalOptions) => {
		const { evaluateHere } = await import("./eval/eval.js");
		await evaluateHere(cases, options);
	});

program
	.command("why")
	.description("play stories on the embedded engine, and tell what it considered and why")
	.argument("<files...>", "files of stories, as *.story.md")
	.option("--json", "print everything as JSON: every candidate, with all that its chance is made of")
	.addHelpText(
		"after",
		"\nExample:\n  $ segue why stories/rename.story.md\n\nThe exit code is 1 where a story goes otherwise than it is drawn.",
	)
	.action(async (files: string[], options: WhyOptions) => {
		const { explainHere } = await import("./why/why.js");
		await explainHere(files, options);
	});

function readCount(said: string): number {
	const count = Number(said);
	if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number above 0.");
	return count;
}

await program.parseAsync();
