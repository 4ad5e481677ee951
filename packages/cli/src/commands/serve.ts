import type { Command, Option } from "commander";
import { addServingOptions, type CommandProcess, portOption, type ServingOptions } from "../command-line.js";

export function addPlay(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("play")
		.description("try it in a browser: an editor with suggestions, an inspector of every message, and chat")
		.allowExcessArguments(false)
		.addOption(listening());
	return addServingOptions(command, process)
		.option("--no-open", "only print the address")
		.addHelpText("after", "\nExample:\n  $ segue play\n  $ SEGUE_MODEL=ollama/qwen3 segue play --port 8080")
		.action(async (options: WebOptions & { open: boolean }) => {
			const { runWeb } = await import("../run/run-web.js");
			process.exit(await runWeb({ ...options, host: "127.0.0.1", completions: false, version }));
		});
}

export function addServe(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("serve")
		.description("serve ACP over WebSocket at /acp, the page of segue play at /, and completion endpoints")
		.allowExcessArguments(false)
		.addOption(listening())
		.option("--host <address>", "for other machines too, as 0.0.0.0; needs a token", "127.0.0.1")
		.option("--completions", "also answer the requests that editors send to completion models, such as Zed's")
		.option("--token-file <file>", "file with the token for clients (default: SEGUE_TOKEN, or a random one)")
		.option("--token <token>", "the token itself; other users of this machine can see it in the process list");
	return addServingOptions(command, process)
		.addHelpText(
			"after",
			"\nExample:\n  $ segue serve --port 8080\n  $ segue serve --completions\n  $ segue serve --host 0.0.0.0 --token-file ~/.segue-token\n\nA client names two WebSocket protocols: segue.acp, and segue.token.TOKEN. GET /healthz tells whether it runs.\nWith --completions, set an editor's endpoint to http://127.0.0.1:4747/v1/completions. No model and no key is needed; a configured\nnext-edit model is asked only for requests that have the token as their API key.",
		)
		.action(async ({ completions = false, ...options }: ServeOptions) => {
			const { runWeb } = await import("../run/run-web.js");
			process.exit(await runWeb({ ...options, completions, open: false, version }));
		});
}

interface ServeOptions extends WebOptions {
	readonly host: string;
	readonly token?: string;
	readonly tokenFile?: string;
	readonly completions?: boolean;
}

interface WebOptions extends ServingOptions {
	readonly port: number;
}

function listening(): Option {
	return portOption("where it listens; the next that is free where it is taken", 4747);
}
