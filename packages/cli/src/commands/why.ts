import { type Command, Option } from "commander";
import { type CommandProcess, readCount } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import type { ExplainOptions } from "../why/explain-stories.js";
import type { RecentOptions } from "../why/recent-requests.js";

export function addWhy(program: Command, _version: string, process: CommandProcess): Command {
	return (
		program
			.command("why")
			.description("Explain why there was a suggestion, or why there was none.")
			.argument(
				"[files...]",
				"story files (*.story.md): replay their edits and explain what the built-in engine suggests",
			)
			.addOption(new Option("--server <pid>", "show only the server with this process id").argParser(readCount))
			// Enough to explain what just happened.
			.addOption(new Option("--last <n>", "number of requests to show per server").argParser(readCount).default(10))
			.option("--all", "print every request, with its candidates and the ids of reasons")
			.option("--json", "print JSON, with all candidates and their features")
			.addHelpText(
				"after",
				`
Examples:
  $ segue why                           the most recent requests to each running server
  $ segue why --all --last 3            the last 3, with everything that Segue considered
  $ segue why --server 4242 --last 20   the last 20 requests to one server
  $ segue why stories/rename.story.md   the suggestions in a story; --all shows their features too

Servers record code and paths only if they were started with --with-code.
With --json, the output for a story includes all features of every candidate. The output for servers
includes only the non-zero features of the top three candidates.
The exit code is 1 if no server is running, or if a story's results differ from the expected ones.`,
			)
			.action(async (files: string[], options: RecentOptions & ExplainOptions, command: Command) => {
				if (files.length === 0) {
					const { runExplainRecent } = await import("../why/recent-requests.js");
					await runExplainRecent(options, process);
					return;
				}
				const misplaced = ["server", "last"].find((name) => command.getOptionValueSource(name) === "cli");
				if (misplaced !== undefined) {
					command.error(`error: --${misplaced} applies to running servers and cannot be combined with story files`);
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
