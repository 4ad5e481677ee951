import { type Command, InvalidArgumentError, Option } from "commander";
import { addServingOptions, type CommandProcess, endWhenUnread } from "../command-line.js";
import type { AcpCommandOptions } from "../serving/acp.js";
import { runLogin } from "./login.js";

export function addAcp(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("acp")
		.description("serve an editor over ACP, on standard input and output")
		.allowExcessArguments(false)
		.addOption(
			new Option("--sync <how>", "how the editor tells of its documents")
				.choices(["events", "context", "both"])
				.default("events"),
		);
	addServingOptions(command, process);
	// What an editor appends for somebody to sign in, where we have told it so.
	command
		.addOption(new Option("--login <provider>", "sign in to a provider of models, and end").hideHelp())
		.addOption(
			new Option("--sign-in <arguments>", "sign in to the agent, and end").argParser(readArguments).hideHelp(),
		);
	return command
		.addHelpText(
			"after",
			'\nExamples:\n  $ segue acp --sync both\n  $ segue acp --agent "gemini --acp"\n  $ segue acp --next-edit-model ollama/zeta',
		)
		.action(async ({ login, signIn, ...options }: AcpCommandOptions & SignInOptions) => {
			if (signIn !== undefined) {
				const { signInToAgentHere } = await import("../agents/sign-in.js");
				await signInToAgentHere(options.agent, signIn);
				return;
			}
			if (login !== undefined) {
				endWhenUnread(process)();
				await runLogin(login, process);
				return;
			}
			const { serveAcpHere } = await import("../serving/acp.js");
			await serveAcpHere(options, version, process);
		});
}

interface SignInOptions {
	readonly login?: string;
	readonly signIn?: readonly string[];
}

/** A list of words in JSON, as we have told an editor to say it. */
function readArguments(said: string): readonly string[] {
	try {
		const words: unknown = JSON.parse(said);
		if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
	} catch {}
	throw new InvalidArgumentError("It must be a list of words in JSON.");
}
