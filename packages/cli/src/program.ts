import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { type CommandProcess, endWhenUnread } from "./command-line.js";
import { addAcp } from "./commands/acp.js";
import { addAgents } from "./commands/agents.js";
import { addChat } from "./commands/chat.js";
import { addConfig } from "./commands/config.js";
import { addDoctor } from "./commands/doctor.js";
import { addEca } from "./commands/eca.js";
import { addEditorMcp } from "./commands/editor-mcp.js";
import { addEval } from "./commands/eval.js";
import { addInspect } from "./commands/inspect.js";
import { addLogin, addLogout } from "./commands/login.js";
import { addLsp } from "./commands/lsp.js";
import { addModels } from "./commands/models.js";
import { addReplay } from "./commands/replay.js";
import { addPlay, addServe } from "./commands/serve.js";
import { addSetup } from "./commands/setup.js";
import { addStats } from "./commands/stats.js";
import { addThreads } from "./commands/threads.js";
import { addTrust } from "./commands/trust.js";
import { addWhy } from "./commands/why.js";

/** Runs `segue` with these arguments. The exit code goes into the process. */
export async function runSegue(args: readonly string[], process: CommandProcess): Promise<void> {
	const { stdout, stderr } = process;
	const program: Command = new Command("segue")
		.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
		.version(manifest.version, "-V, --version", "print the version")
		.helpOption("-h, --help", "show this help")
		.helpCommand("help [command]", "show this help, or a command's")
		.exitOverride()
		.configureOutput({
			writeOut: (text) => {
				// Help is printed without an action, so no hook has seen to a reader that goes away.
				endWhenUnread(process)();
				stdout.write(text);
			},
			writeErr: (text) => void stderr.write(text),
			getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : 80),
			getErrHelpWidth: () => (stderr.isTTY ? stderr.columns : 80),
			outputError: (text, write) => {
				const problem = text
					.trim()
					.replace(/\s*\n\s*/g, " ")
					.replace(/\.$/, "");
				write(`${problem}. What segue can do: segue help\n`);
			},
		})
		.allowExcessArguments()
		.enablePositionalOptions()
		.action(() => {
			const [unknown] = program.args;
			if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
			program.help();
		})
		.addHelpText(
			"after",
			"\nExamples:\n  $ segue acp         what an editor starts\n  $ segue lsp         what an editor of LSP starts\n  $ segue eca         what an editor of ECA starts\n  $ segue chat        talk with a model about this folder\n  $ segue --version   print the version",
		);
	for (const add of COMMANDS) {
		const command = add(program, manifest.version, process);
		if (!CAREFUL.includes(add)) command.hook("preAction", endWhenUnread(process));
	}
	try {
		await program.parseAsync(args, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		process.exitCode = error.exitCode;
	}
}

type Add = (program: Command, version: string, process: CommandProcess) => Command;

/** In the order of the help. */
const COMMANDS: readonly Add[] = [
	addAcp,
	addLsp,
	addThreads,
	addEca,
	addChat,
	addPlay,
	addServe,
	addInspect,
	addReplay,
	addAgents,
	addEval,
	addWhy,
	addStats,
	addConfig,
	addModels,
	addDoctor,
	addSetup,
	addLogin,
	addLogout,
	addTrust,
	addEditorMcp,
];

/** These handle a closed standard output themselves, because they have something to stop or to save first. */
const CAREFUL: readonly Add[] = [addAcp, addLsp, addThreads, addEca, addChat, addInspect];
