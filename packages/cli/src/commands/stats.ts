import { type Command, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { StatsOptions } from "../stats/stats.js";

export function addStats(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("stats")
		.description("show how often suggestions were accepted, by source, model and language")
		.allowExcessArguments(false)
		.option("--since <time>", "how far back, as 12h, 7d or 4w; all that is kept where it is left out")
		.addOption(new Option("--json", "print them as JSON").conflicts(["export", "clear"]))
		.addOption(
			new Option("--export <file>", "write what is known of each suggestion, as JSON lines").conflicts("clear"),
		)
		.addOption(new Option("--clear", "forget all of it").conflicts("since"))
		.option("--yes", "ask no question, for scripts")
		.addHelpText(
			"after",
			`
Examples:
  $ segue stats --since 7d
  $ segue stats --export feedback.jsonl
  $ segue stats --clear

It is kept on this machine alone and says nothing of what your documents hold, nor where they are. Nothing more is kept with
"feedback": false in the configuration.`,
		)
		.action(async (options: StatsOptions) => {
			const { statsHere } = await import("../stats/stats.js");
			await statsHere(options, process);
		});
}
