import type { EvalOptions } from "@segue/lab/eval/eval";
import { type Command, Option } from "commander";
import { readCount } from "../command-line.js";

export function addEval(program: Command): Command {
	return program
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
			const { runEval } = await import("@segue/lab/eval/eval");
			await runEval(cases, options);
		});
}
