import { type Command, Option } from "commander";
import { type CommandProcess, readSegueAgent } from "../command-line.js";
import type { ChatOptions } from "../terminal/chat.js";

export function addChat(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("chat")
		.description("Chat with a model that can edit files and run commands.")
		.argument("[question...]", "a single question; without it, start an interactive conversation")
		.option("--model <provider/model>", "model to use instead of the configured model")
		.addOption(
			new Option("--agent <agent>", "name or command line of an ACP agent to use instead of a model").conflicts([
				"model",
				"mode",
				"effort",
			]),
		)
		.hook("preAction", readSegueAgent(process))
		.addOption(
			new Option("--mode <mode>", "ask: only answer; edit: change files; plan: only make a plan").choices([
				"ask",
				"edit",
				"plan",
			]),
		)
		.addOption(new Option("--effort <level>", "reasoning effort").choices(["low", "medium", "high"]))
		.option("--folder <path>", "folder to work in (default: the current folder)")
		.option("--allow <kind:pattern>", "allow an action without asking, for example edit:src/** (repeatable)", gather)
		.option("--json", "print one JSON object per event; the last one reports how the turn ended")
		.addOption(new Option("--resume", "continue the folder's most recent conversation").conflicts("thread"))
		.option("--thread <id>", "continue this conversation; the start of its id is enough")
		.addOption(threadOption("--list", "list the folder's conversations, newest first"))
		.addOption(threadOption("--search <text>", "list the conversations that contain this text"))
		.option("--all", "with --list or --search: include conversations from all folders")
		.addOption(threadOption("--show <id>", "print a conversation"))
		.addOption(threadOption("--rename <id>", "rename a conversation; pass the new title in place of the question"))
		.addOption(threadOption("--delete <id>", "delete a conversation"))
		.addOption(threadOption("--export <id>", "print a conversation as JSON, for --import"))
		.addOption(
			threadOption("--import <file>", "import an exported conversation into the folder; - reads standard input"),
		)
		.addHelpText(
			"after",
			`
Examples:
  $ segue chat                                     Ctrl-C stops an answer, Ctrl-D quits
  $ segue chat "What does this project do?"        ask one question
  $ git diff | segue chat "Review this"            add piped input to the question
  $ segue chat --mode plan "Split app.ts in two"   plan without changing files
  $ segue chat --resume "Now do it" --allow 'edit:src/**' --allow 'command:npm test'
  $ segue chat --json "Name three risks" | jq -r 'select(.type == "end").reason'
  $ segue chat --agent gemini "Explain main.c"     ask an external agent
  $ segue chat --list --all                        list all conversations
  $ segue chat --search "race condition"
  $ segue chat --thread 1f0c22aa                   continue a conversation
  $ segue chat --show 1f0c22aa
  $ segue chat --rename 1f0c22aa "The race in the cache"
  $ segue chat --export 1f0c22aa > conversation.json
  $ segue chat --import conversation.json
  $ segue chat --delete 1f0c22aa

Kinds for --allow: edit, delete and read-ignored take a path pattern; command, network and mcp take
the exact text or *.
Exit codes: 0 if the turn was completed, 1 if it failed or every permission request was denied,
130 if it was cancelled.`,
		)
		.action(async (words: string[], options: ChatOptions) => {
			const { runChat } = await import("../terminal/chat.js");
			await runChat(words, options, process);
		});
}

function gather(value: string, before: readonly string[] = []): string[] {
	return [...before, value];
}

/** An option that manages threads. It conflicts with the options for a turn. */
function threadOption(flags: string, description: string): Option {
	return new Option(flags, description).conflicts(["resume", "thread", "model", "mode", "effort", "allow"]);
}
