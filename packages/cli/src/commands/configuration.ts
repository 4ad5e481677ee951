import { type Command, Option } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { TrustOptions } from "../configuration/consent.js";

export function addConfig(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("config")
		.description("show the configuration that holds in this folder, and where each value is from")
		.allowExcessArguments(false)
		.option("--json", "print it as JSON")
		.addHelpText(
			"after",
			"\nExample:\n  $ SEGUE_MODEL=ollama/qwen3 segue config\n\nKeys are never shown. The exit code is 1 where something is wrong.",
		)
		.action(async (options: { json?: boolean }) => {
			const { showConfigurationHere } = await import("../configuration/show.js");
			await showConfigurationHere(options, process);
		});
}

export function addModels(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("models")
		.description("list the models that are configured, for next edits and for chat: format, address, key or none")
		.allowExcessArguments(false)
		.option("--json", "print them as JSON")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue models\n  $ SEGUE_NEXT_EDIT_MODEL=ollama/qwen2.5-coder:7b segue models\n\nNobody is asked, and no key is shown. segue doctor tries those that are chosen.",
		)
		.action(async (options: { json?: boolean }) => {
			const { listModelsHere } = await import("../configuration/list.js");
			listModelsHere(options, process);
		});
}

export function addLogin(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("login")
		.description("store the key for a provider of models; it is asked for, or read from standard input")
		.argument("<provider>", "anthropic, openai, openrouter, codestral, inception, or any other that segue models lists")
		.allowExcessArguments(false)
		.addHelpText("after", "\nExample:\n  $ segue login anthropic\n  $ pass show anthropic | segue login anthropic")
		.action(async (provider: string) => {
			const { logInHere } = await import("../configuration/login.js");
			await logInHere(provider, process);
		});
}

export function addLogout(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("logout")
		.description("forget the key that segue login has stored for a provider")
		.argument("<provider>", "as it was logged in to")
		.allowExcessArguments(false)
		.addHelpText("after", "\nExample:\n  $ segue logout anthropic")
		.action(async (provider: string) => {
			const { logOutHere } = await import("../configuration/login.js");
			await logOutHere(provider, process);
		});
}

export function addTrust(program: Command, _version: string, process: CommandProcess): Command {
	return program
		.command("trust")
		.description("let a project's .segue.json start commands, name addresses and allow what would be asked for")
		.argument("[folder]", "the project's; the present one where it is left out")
		.allowExcessArguments(false)
		.addOption(new Option("--list", "list the folders that are trusted").conflicts("remove"))
		.addOption(new Option("--remove", "trust it no longer").conflicts("forget"))
		.addOption(new Option("--forget", "ask again for what was always allowed in it").conflicts("list"))
		.option("--yes", "approve without a question; required outside a terminal")
		.addHelpText(
			"after",
			"\nExample:\n  $ segue trust ~/src/app\n  $ segue trust --forget ~/src/app\n\nTrust is in what the file says now: when that changes, it has to be given again.",
		)
		.action(async (folder: string | undefined, options: TrustOptions) => {
			const { trustHere } = await import("../configuration/consent.js");
			await trustHere(folder, options, process);
		});
}
