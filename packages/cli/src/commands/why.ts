import { type Command, Option } from "commander";
import { type CommandProcess, readCount } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import type { ExplainOptions } from "../why/explain-stories.js";
import type { RecentOptions } from "../why/recent-requests.js";

export function addWhy(program: Command, _version: string, process: CommandProcess): Command {
	return (
		program
			.command("why")
			.description("Explain the latest suggestions of running servers, why there was none, or those in story files.")
			.argument("[files...]", "story files (*.story.md) to play on the built-in engine")
			.addOption(new Option("--server <pid>", "only show this server").argParser(readCount))
			// Enough to explain what just happened.
			.addOption(new Option("--last <n>", "number of requests per server").argParser(readCount).default(5))
			.option("--json", "print JSON with candidates and their features")
			.addHelpText(
				"after",
				`
Examples:
  $ segue why                           the last requests to all servers on this machine
  $ segue why --server 4242 --last 20   the last 20 requests to one server
  $ segue why stories/rename.story.md   the suggestions in a story

Servers record no code and no paths unless they were started with --with-code.
With --json, every candidate of a story has all features. For servers, the top three candidates have
the features that are not zero.
The exit code is 1 if no server is running or the results of a story differ from those it shows.`,
			)
			.action(async (files: string[], options: RecentOptions & ExplainOptions, command: Command) => {
				if (files.length === 0) {
					const { runExplainRecent } = await import("../why/recent-requests.js");
					await runExplainRecent(options, process);
					return;
				}
				const misplaced = ["server", "last"].find((name) => command.getOptionValueSource(name) === "cli");
				if (misplaced !== undefined) {
					command.error(`error: --${misplaced} is for running servers and cannot be combined with story files`);
				}
				const { stdout, stderr, env } = process;
				const { explainStories } = await import("../why/explain-stories.js");
				process.exitCode = await explainStories(files, options, {
					stdout,
					stderr,
					isColoured: isColoured(stdout, env),
				});
			})
	);
}
