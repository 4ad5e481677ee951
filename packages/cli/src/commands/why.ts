import { type Command, Option } from "commander";
import { type CommandProcess, readCount } from "../command-line.js";
import { isColoured } from "../terminal/colour.js";
import type { ExplainOptions } from "../why/explain-stories.js";
import type { RecentOptions } from "../why/recent-requests.js";

export function addWhy(program: Command, _version: string, process: CommandProcess): Command {
	return (
		program
			.command("why")
			.description("tell what was considered for the last requests of running servers, or in stories, and why")
			.argument("[files...]", "files of stories, as *.story.md, to be played on the embedded engine")
			.addOption(new Option("--server <pid>", "the requests of one server alone").argParser(readCount))
			// Enough to explain what just happened.
			.addOption(new Option("--last <n>", "so many requests of each server").argParser(readCount).default(5))
			.option("--json", "print JSON: the likeliest candidates of each request, or every one in stories, with features")
			.addHelpText(
				"after",
				`
Examples:
  $ segue why                              what servers that run on this machine were asked last
  $ segue why --server 4242 --last 20
  $ segue why stories/rename.story.md      what the embedded engine thinks in a story

Servers write down nothing of what your documents hold, nor where they are, unless they were started with --with-code.
With --json, a candidate in a story has all its features; of a server, the three likeliest have those that are not 0.
The exit code is 1 where no server runs, or where a story goes otherwise than it is drawn.`,
			)
			.action(async (files: string[], options: RecentOptions & ExplainOptions, command: Command) => {
				if (files.length === 0) {
					const { runExplainRecent } = await import("../why/recent-requests.js");
					await runExplainRecent(options, process);
					return;
				}
				const misplaced = ["server", "last"].find((name) => command.getOptionValueSource(name) === "cli");
				if (misplaced !== undefined) {
					command.error(`error: --${misplaced} is about running servers: leave it out, or the files of stories`);
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
