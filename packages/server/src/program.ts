import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addAcp } from "./acp/command.js";
import { addAgents } from "./agents/command.js";
import { type CommandProcess, endWhenUnread } from "./command-line.js";
import { addConfig, addLogin, addLogout, addModels, addTrust } from "./configuration/commands.js";
import { addDoctor } from "./doctor/command.js";
import { addEca } from "./eca/command.js";
import { addEditorMcp } from "./editor-mcp/command.js";
import { addEval } from "./eval/command.js";
import { addInspect, addReplay } from "./inspect/commands.js";
import { addPlay, addServe } from "./serve/commands.js";
import { addStats } from "./stats/command.js";
import { addChat } from "./terminal/command.js";
import { addThreads } from "./threads/command.js";
import { addWhy } from "./why/command.js";

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
			writeOut: (text) => void stdout.write(text),
			writeErr: (text) => void stderr.write(text),
			getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : 80),
			getErrHelpWidth: () => (stderr.isTTY ? stderr.columns : 80),
			outputError: (text, write) => write(`${text.replace(/\.?\s*$/, "")}. What segue can do: segue help\n`),
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
			"\nExamples:\n  $ segue acp         what an editor starts\n  $ segue eca         what an editor of ECA starts\n  $ segue chat        talk with a model about this folder\n  $ segue --version   print the version",
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
	addLogin,
	addLogout,
	addTrust,
	addEditorMcp,
];

/** These handle a closed standard output themselves, because they have something to stop or to save first. */
const CAREFUL: readonly Add[] = [addAcp, addThreads, addEca, addChat, addInspect];
