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
		.addOption(new Option("--resume", "continue the folder's most recent conversation").conflicts("conversation"))
		.option("--conversation <id>", "continue this conversation; the start of its id is enough")
		.addOption(conversationOption("--list", "list the folder's conversations, newest first"))
		.addOption(conversationOption("--search <text>", "list the conversations that contain this text"))
		.option("--all", "with --list or --search: include conversations from all folders")
		.addOption(conversationOption("--show <id>", "print a conversation"))
		.addOption(
			conversationOption("--rename <id>", "rename a conversation; pass the new title in place of the question"),
		)
		.addOption(conversationOption("--delete <id>", "delete a conversation"))
		.addOption(conversationOption("--export <id>", "print a conversation as JSON, for --import"))
		.addOption(
			conversationOption(
				"--import <file>",
				"import an exported conversation into the folder; use - to read from standard input",
			),
		)
		.addHelpText(
			"after",
			`
Examples:
  $ segue chat                                     start a conversation
  $ segue chat "What does this project do?"        ask one question
  $ git diff | segue chat "Review this"            add piped input to the question
  $ segue chat --mode plan "Split app.ts in two"   plan without changing files
  $ segue chat --resume "Now do it" --allow 'edit:src/**' --allow 'command:npm test'
  $ segue chat --json "Name three risks" | jq -r 'select(.type == "end").reason'
  $ segue chat --agent gemini "Explain main.c"     ask an external agent
  $ segue chat --list --all                        list all conversations
  $ segue chat --search "race condition"
  $ segue chat --conversation 1f0c22aa             continue a conversation
  $ segue chat --show 1f0c22aa
  $ segue chat --rename 1f0c22aa "The race in the cache"
  $ segue chat --export 1f0c22aa > conversation.json
  $ segue chat --import conversation.json
  $ segue chat --delete 1f0c22aa

In a conversation, Ctrl-C stops an answer and Ctrl-D quits.
For --allow, the kinds edit, delete and read-ignored take a path pattern, mcp takes a pattern for
SERVER/TOOL, command takes an exact command line, and network takes an exact origin such as
https://example.com. The pattern * allows everything of a kind.
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

/** An option that manages conversations. It conflicts with the options for a turn. */
function conversationOption(flags: string, description: string): Option {
	return new Option(flags, description).conflicts(["resume", "conversation", "model", "mode", "effort", "allow"]);
}
