import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { ChatOptions } from "../terminal/chat.js";

export function addChat(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("chat")
		.description("talk with a model about a folder, and let it work there")
		.argument("[question...]", "for one turn; without it, a conversation")
		.option("--model <provider/model>", "another model than the configured one")
		.addOption(
			new Option(
				"--agent <name or command>",
				"another ACP agent that answers instead of a model; segue agents lists them",
			).conflicts(["model", "mode", "effort"]),
		)
		.hook("preAction", readSegueAgent(process))
		.addOption(
			new Option("--mode <how>", "answer without changing anything, do the work, or make a plan").choices([
				"ask",
				"edit",
				"plan",
			]),
		)
		.addOption(new Option("--effort <how much>", "how much the model thinks").choices(["low", "medium", "high"]))
		.option("--folder <path>", "what it is about, instead of the present folder")
		.option("--allow <kind:pattern>", "allow something beforehand, as edit:src/**; more than once if need be", gather)
		.option("--json", "print one JSON object for each thing that happens, and at last how it ended")
		.addOption(new Option("--resume", "go on with the last thread of the folder").conflicts("thread"))
		.option("--thread <id>", "go on with this one; the beginning of its id is enough")
		.addOption(threadOption("--list", "list the threads of the folder, newest first"))
		.addOption(threadOption("--search <text>", "list those that hold a text"))
		.option("--all", "list those of every folder")
		.addOption(threadOption("--show <id>", "print a thread"))
		.addOption(threadOption("--rename <id>", "call a thread otherwise: the title follows"))
		.addOption(threadOption("--delete <id>", "delete a thread"))
		.addOption(threadOption("--export <id>", "print a thread as JSON, for --import"))
		.addOption(
			threadOption("--import <file>", "take in a thread that was exported, for the folder; - is standard input"),
		)
		.addHelpText(
			"after",
			`
Examples:
  $ segue chat                                     talk; Ctrl-C stops a turn, Ctrl-D leaves
  $ segue chat "What does this project do?"        one turn
  $ git diff | segue chat "Review this"            with what is piped in
  $ segue chat --mode plan "Split app.ts in two"   change nothing yet
  $ segue chat --resume "Now do it" --allow 'edit:src/**' --allow 'command:npm test'
  $ segue chat --json "Name three risks" | jq -r 'select(.type == "end").reason'
  $ segue chat --agent gemini "Explain main.c"     another agent answers
  $ segue chat --list --all                        what was talked about
  $ segue chat --search "race condition"
  $ segue chat --thread 1f0c22aa                   go on with one of them
  $ segue chat --show 1f0c22aa
  $ segue chat --rename 1f0c22aa "The race in the cache"
  $ segue chat --export 1f0c22aa > thread.json
  $ segue chat --import thread.json
  $ segue chat --delete 1f0c22aa

Kinds of --allow: read-ignored, edit, delete (with a pattern of paths), command, network (exactly, or *), mcp.
The exit code is 0 when the turn was done, 1 when it was not or nobody could be asked to allow any of it, and 130 when it
was cancelled.`,
		)
		.action(async (words: string[], options: ChatOptions) => {
			const { runChat } = await import("../terminal/chat.js");
			await runChat(words, options, process);
		});
}

function gather(said: string, before: readonly string[] = []): string[] {
	return [...before, said];
}

/** What is done with threads needs none of what a turn is taken with. */
function threadOption(flags: string, description: string): Option {
	return new Option(flags, description).conflicts(["resume", "thread", "model", "mode", "effort", "allow"]);
}
