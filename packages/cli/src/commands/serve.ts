import { type Command, InvalidArgumentError } from "commander";
import { addServingOptions, type CommandProcess, portOption, type ServingOptions } from "../command-line.js";

export function addPlay(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("play")
		.argument("[folder]", "folder to open (default: a sample project)")
		.description("Try Segue in a browser, with sample projects and a guide.")
		.allowExcessArguments(false)
		.addOption(portOption(4747));
	return addServingOptions(command, process)
		.option("--no-open", "print the link without opening a browser")
		.addHelpText(
			"after",
			"\nExamples:\n  $ segue play                open a sample project\n  $ segue play ~/code/shop    open your own folder\n  $ SEGUE_MODEL=ollama/qwen3 segue play --port 8080 .",
		)
		.action(async (folder: string | undefined, { open, ...options }: WebOptions & { open: boolean }) => {
			const { runWeb } = await import("../run/run-web.js");
			const play = { folder, opensBrowser: open };
			process.exit(await runWeb({ ...options, host: "127.0.0.1", completions: false, play, version }));
		});
}

export function addServe(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("serve")
		.description("Serve browsers, and editors that connect over HTTP.")
		.allowExcessArguments(false)
		.addOption(portOption(4747))
		.option(
			"--host <address>",
			"address to listen on; 0.0.0.0 lets other machines connect and requires a token",
			"127.0.0.1",
		)
		.option(
			"--allow-origin <origin>",
			"accept ACP from pages on this origin too, with the token (repeatable)",
			addOrigin,
		)
		.option("--completions", "also serve the completion endpoints that editors such as Zed use")
		.option("--token-file <file>", "file that contains the token for clients (default: SEGUE_TOKEN, or a random token)")
		.option("--token <token>", "the token itself; other users of this machine can read it in the process list");
	return addServingOptions(command, process)
		.addHelpText(
			"after",
			`
Examples:
  $ segue serve --port 8080
  $ segue serve --completions
  $ segue serve --allow-origin https://editor.example --token-file ~/.segue-token
  $ segue serve --host 0.0.0.0 --token-file ~/.segue-token

Paths:
  /                 the playground
  /acp              ACP; clients request the WebSocket protocols segue.acp and segue.token.TOKEN
  /healthz          whether the server is running
  /v1/completions   the endpoint to enter in an editor's settings (with --completions)
Completions need no model and no key. A configured next-edit model is used only for requests that
send the server's token as their API key.`,
		)
		.action(async ({ completions = false, allowOrigin, ...options }: ServeOptions) => {
			const { runWeb } = await import("../run/run-web.js");
			process.exit(await runWeb({ ...options, completions, allowedOrigins: allowOrigin, version }));
		});
}

function addOrigin(text: string, before: readonly string[] = []): readonly string[] {
	const isExact = /^https?:/.test(text) && !text.includes("*") && URL.canParse(text) && new URL(text).origin === text;
	if (!isExact)
		throw new InvalidArgumentError("It must be one origin without a path, for example https://editor.example.");
	return [...before, text];
}

interface ServeOptions extends WebOptions {
	readonly host: string;
	readonly token?: string;
	readonly tokenFile?: string;
	readonly completions?: boolean;
	readonly allowOrigin?: readonly string[];
}

interface WebOptions extends ServingOptions {
	readonly port: number;
}
