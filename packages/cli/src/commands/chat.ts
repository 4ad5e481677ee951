import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { ChatOptions } from "../terminal/chat.js";

export function addChat(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("chat")
		.description("Chat with a model about a folder, and let it edit files and run commands there.")
		.argument("[question...]", "ask one question; without it, start a conversation")
		.option("--model <provider/model>", "model to use instead of the configured one")
		.addOption(
			new Option("--agent <agent>", "name or command line of an ACP agent that answers instead of a model").conflicts([
				"model",
				"mode",
				"effort",
			]),
		)
		.hook("preAction", readSegueAgent(process))
		.addOption(
			new Option("--mode <mode>", "answer without changing files, edit files, or make a plan").choices([
				"ask",
				"edit",
				"plan",
			]),
		)
		.addOption(new Option("--effort <level>", "how much the model thinks").choices(["low", "medium", "high"]))
		.option("--folder <path>", "folder to work in (default: the current folder)")
		.option("--allow <kind:pattern>", "grant a permission in advance, for example edit:src/** (repeatable)", gather)
		.option("--json", "print one JSON object per event; the last one says how the turn ended")
		.addOption(new Option("--resume", "continue the most recent thread of the folder").conflicts("thread"))
		.option("--thread <id>", "continue this thread; the start of its id is enough")
		.addOption(threadOption("--list", "list the threads of the folder, newest first"))
		.addOption(threadOption("--search <text>", "list the threads that contain this text"))
		.option("--all", "with --list or --search: include the threads of all folders")
		.addOption(threadOption("--show <id>", "print a thread"))
		.addOption(threadOption("--rename <id>", "rename a thread; pass the new title in place of the question"))
		.addOption(threadOption("--delete <id>", "delete a thread"))
		.addOption(threadOption("--export <id>", "print a thread as JSON for --import"))
		.addOption(threadOption("--import <file>", "import an exported thread into the folder; - for standard input"))
		.addHelpText(
			"after",
			`
Examples:
  $ segue chat                                     a conversation; Ctrl-C stops a turn, Ctrl-D quits
  $ segue chat "What does this project do?"        one question
  $ git diff | segue chat "Review this"            with piped input
  $ segue chat --mode plan "Split app.ts in two"   plan without changing files
  $ segue chat --resume "Now do it" --allow 'edit:src/**' --allow 'command:npm test'
  $ segue chat --json "Name three risks" | jq -r 'select(.type == "end").reason'
  $ segue chat --agent gemini "Explain main.c"     use another agent
  $ segue chat --list --all                        list all threads
  $ segue chat --search "race condition"
  $ segue chat --thread 1f0c22aa                   continue a thread
  $ segue chat --show 1f0c22aa
  $ segue chat --rename 1f0c22aa "The race in the cache"
  $ segue chat --export 1f0c22aa > thread.json
  $ segue chat --import thread.json
  $ segue chat --delete 1f0c22aa

Kinds for --allow: edit, delete and read-ignored take a path pattern; command, network and mcp take
the exact text or *.
Exit codes: 0 if the turn is completed, 1 if it failed or every permission was denied, 130 if it was
cancelled.`,
		)
		.action(async (words: string[], options: ChatOptions) => {
			const { runChat } = await import("../terminal/chat.js");
			await runChat(words, options, process);
		});
}

function gather(value: string, before: readonly string[] = []): string[] {
	return [...before, value];
}

/** An option that manages threads. It cannot be combined with options for a turn. */
function threadOption(flags: string, description: string): Option {
	return new Option(flags, description).conflicts(["resume", "thread", "model", "mode", "effort", "allow"]);
}
