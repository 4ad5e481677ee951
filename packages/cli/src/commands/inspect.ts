import { type Command, Option } from "commander";
import { portOption } from "../command-line.js";
import type { InspectOptions } from "../inspect/inspect.js";
import type { ReplayOptions } from "../inspect/replay.js";

export function addInspect(program: Command, version: string): Command {
	return program
		.command("inspect")
		.description("stand between an editor and an agent: pass everything on, write it down, and show it in a page")
		.argument("<command...>", "the agent, as the editor would start it; after --")
		.option("--trace <file>", "where to write every message, as JSON lines with secrets masked")
		.addOption(portOption("where the page is; the next that is free where it is taken", 4748))
		.option("--no-page", "serve no page")
		.passThroughOptions()
		.addHelpText(
			"after",
			"\nExample, as the agent's command in an editor's settings:\n  $ segue inspect --trace acp.jsonl -- segue acp\n  $ segue inspect --trace eca.jsonl -- eca server",
		)
		.action(async (command: [string, ...string[]], options: Omit<InspectOptions, "version">) => {
			const { inspect } = await import("../inspect/inspect.js");
			process.exit(await inspect(command, { ...options, version }));
		});
}

export function addReplay(program: Command): Command {
	return program
		.command("replay")
		.description("play the editor of a trace against an agent, and tell what goes otherwise than it was recorded")
		.argument("<trace>", "a file that segue inspect has written, or the page has saved")
		.argument("<command...>", "the agent; after --")
		.addOption(
			new Option("--framing <how>", "how the agent tells messages apart")
				.choices(["lines", "content-length"])
				.default("lines"),
		)
		.option("--json", "print everything as JSON")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue replay acp.jsonl -- segue acp\n\nThe exit code is 0 where all is the same, 1 where something differs, and 2 where it cannot be played.",
		)
		.action(async (trace: string, command: [string, ...string[]], options: ReplayOptions) => {
			const { replay } = await import("../inspect/replay.js");
			process.exit(await replay(trace, command, options));
		});
}
