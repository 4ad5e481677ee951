import type { EvalOptions } from "@segue/lab/eval/eval";
import { type Command, Option } from "commander";
import { readCount } from "../command-line.js";

export function addEval(program: Command): Command {
	return program
		.command("eval")
		.description("Replay commits and measure the suggestions of the built-in engine.")
		.argument("<cases>", "file with cases: .jsonl or .jsonl.br")
		.allowExcessArguments(false)
		.addOption(
			new Option(
				"--mode <mode>",
				"apply every step of a commit, accept correct suggestions and reject others, or complete typed lines",
			)
				.choices(["forced", "interactive", "completion"])
				.default("forced"),
		)
		.option("--limit <n>", "replay only the first n cases", readCount)
		.option("--json", "print JSON with the figures and the result of each request")
		.option("--diff <old.json>", "list improvements and regressions compared with an earlier --json run")
		.addHelpText(
			"after",
			`
Examples:
  $ segue eval cases.jsonl --json > old.json   before a change
  $ segue eval cases.jsonl --diff old.json     after it`,
		)
		.action(async (cases: string, options: EvalOptions) => {
			const { runEval } = await import("@segue/lab/eval/eval");
			await runEval(cases, options);
		});
}
