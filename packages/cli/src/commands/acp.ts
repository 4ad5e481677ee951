import { spawn } from "node:child_process";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addServingOptions, type CommandProcess, endWhenUnread } from "../command-line.js";
import type { AcpCommandOptions } from "../run/run-acp.js";
import { reportUserErrors } from "../terminal/message.js";
import { runLogin } from "./login.js";

export function addAcp(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("acp")
		.description("Serve next edits and chat to an editor over ACP.")
		.allowExcessArguments(false)
		.addOption(
			new Option(
				"--sync <mode>",
				'how the editor sends documents: as change "events", as "context" with each request, or "both"',
			)
				.choices(["events", "context", "both"])
				.default("events"),
		);
	addServingOptions(command, process);
	// The server offers these options as authentication methods. An editor appends one to its arguments to let the user
	// sign in.
	command
		.addOption(new Option("--login <provider>", "store the API key of a model provider and exit").hideHelp())
		.addOption(
			new Option("--sign-in <arguments>", "sign in to the agent and exit").argParser(readArguments).hideHelp(),
		);
	return command
		.addHelpText(
			"after",
			`
Examples:
  $ segue acp                                 the command to enter in an editor's settings
  $ segue acp --agent "gemini --acp"          chat with an external agent
  $ segue acp --next-edit-model ollama/zeta   use a model for next edits

The server uses standard input and output. To configure an editor, run segue setup editor.`,
		)
		.action(async ({ login, signIn, ...options }: AcpCommandOptions & SignInOptions) => {
			if (signIn !== undefined) {
				await signInToAgent(options.agent, signIn);
			} else if (login !== undefined) {
				endWhenUnread(process)();
				await runLogin(login, process);
			} else {
				const { runAcp } = await import("../run/run-acp.js");
				await runAcp(options, version, process);
			}
		});
}

interface SignInOptions {
	readonly login?: string;
	readonly signIn?: readonly string[];
}

/** Parses a JSON array of strings. */
function readArguments(text: string): readonly string[] {
	try {
		const words: unknown = JSON.parse(text);
		if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
	} catch {}
	throw new InvalidArgumentError("It must be a JSON array of strings.");
}

/** Runs another agent in this terminal so that the user can sign in. Exits with the agent's exit code. */
async function signInToAgent(name: string | undefined, args: readonly string[]): Promise<void> {
	const { chooseAgent } = await import("@segue/agent/chat/agent-choice");
	const { readConfiguration } = await import("@segue/agent/config/configuration");
	const { UserError } = await import("@segue/agent/config/user-error");
	const { env, stderr } = process;
	let ended = 0;
	const refused = await reportUserErrors(stderr, async () => {
		const agent = chooseAgent(name ?? "", readConfiguration({ folder: process.cwd(), env, flags: {} }));
		ended = await new Promise<number>((resolve, reject) => {
			const child = spawn(agent.command, [...agent.args, ...args], { stdio: "inherit" });
			child.on("error", (error) => reject(new UserError(`Cannot start ${agent.name}: ${error.message}.`)));
			child.on("exit", (code) => resolve(code ?? 1));
		});
	});
	process.exitCode = refused || ended;
}
