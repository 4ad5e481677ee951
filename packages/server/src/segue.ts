import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addAcp } from "./acp/command.js";
import { addAgents } from "./agents/command.js";
import { endWhenUnread } from "./command-line.js";
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

const program: Command = new Command("segue")
	.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
	.version(manifest.version, "-V, --version", "print the version")
	.helpOption("-h, --help", "show this help")
	.helpCommand("help [command]", "show this help, or a command's")
	.configureOutput({
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

type Add = (program: Command, version: string) => Command;

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

/** Those that still have something to end or to keep when nobody reads their output any more, and see to it themselves. */
const CAREFUL: readonly Add[] = [addAcp, addThreads, addEca, addChat, addInspect];

for (const add of COMMANDS) {
	const command = add(program, manifest.version);
	if (!CAREFUL.includes(add)) command.hook("preAction", endWhenUnread);
}

await program.parseAsync();
