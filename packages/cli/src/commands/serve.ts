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
			const { serveWeb } = await import("../serving/web.js");
			process.exit(await serveWeb({ ...options, host: "127.0.0.1", version }));
		});
}

export function addServe(program: Command, version: string, process: CommandProcess): Command {
	const command = program
		.command("serve")
		.description("serve ACP over WebSocket at /acp, and the page of segue play at /")
		.allowExcessArguments(false)
		.addOption(listening())
		.option("--host <address>", "for other machines too, as 0.0.0.0; needs a token", "127.0.0.1")
		.option("--token-file <file>", "file with the token for clients (default: SEGUE_TOKEN, or a random one)")
		.option("--token <token>", "the token itself; other users of this machine can see it in the process list");
	return addServingOptions(command, process)
		.addHelpText(
			"after",
			"\nExample:\n  $ segue serve --port 8080\n  $ segue serve --host 0.0.0.0 --token-file ~/.segue-token\n\nA client names two WebSocket protocols: segue.acp, and segue.token.TOKEN. GET /healthz tells whether it runs.",
		)
		.action(async (options: WebOptions & { host: string; token?: string; tokenFile?: string }) => {
			const { serveWeb } = await import("../serving/web.js");
			process.exit(await serveWeb({ ...options, open: false, version }));
		});
}

interface WebOptions extends ServingOptions {
	readonly port: number;
}

function listening(): Option {
	return portOption("where it listens; the next that is free where it is taken", 4747);
}
