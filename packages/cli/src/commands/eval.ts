import type { EvalOptions } from "@segue/lab/eval/eval";
import { type Command, Option } from "commander";
import { type CommandProcess, readCount } from "../command-line.js";
import { writeMessage } from "../terminal/message.js";

export function addEval(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("eval")
		.description("Measure the built-in engine's accuracy on commits.")
		.argument("<cases>", "file of cases: .jsonl or .jsonl.br")
		.allowExcessArguments(false)
		.addOption(
			new Option(
				"--mode <mode>",
				"forced: apply every step of a commit; interactive: accept correct suggestions and dismiss the others; completion: complete partly typed lines",
			)
				.choices(["forced", "interactive", "completion"])
				.default("forced"),
		)
		.option("--limit <n>", "replay only the first n cases", readCount)
		.option("--json", "print the figures and the result of each request as JSON")
		.option("--diff <old.json>", "list improvements and regressions since an earlier --json run")
		.addHelpText(
			"after",
			`
Examples:
  $ segue eval cases.jsonl --json > old.json   before a change to the engine
  $ segue eval cases.jsonl --diff old.json     after the change`,
		)
		.action(async (cases: string, options: EvalOptions) => {
			const { runEval } = await import("@segue/lab/eval/eval");
			await runEval(cases, options, (message) => writeMessage(process.stderr, message));
		});
}
