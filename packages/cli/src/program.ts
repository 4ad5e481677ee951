import { sanitizeName } from "@segue/text/sanitize";
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

// The commit that this build was made from. Set by scripts/build.mjs in a git checkout.
declare const SEGUE_COMMIT: string | undefined;

/** Runs `segue` with these arguments and sets the exit code of the process. */
export async function runSegue(args: readonly string[], process: CommandProcess): Promise<void> {
	const { stdout, stderr } = process;
	const program: Command = new Command("segue")
		.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
		.version(versionText(), "-V, --version", "print the version")
		.helpOption("-h, --help", "show this help")
		.helpCommand(false)
		// The full usage of commands leaves too little room for their descriptions.
		.configureHelp({ subcommandTerm: (command) => command.name() })
		.exitOverride()
		.configureOutput({
			writeOut: (text) => {
				// Help runs no action and therefore no hook, so handle a closed pipe here.
				endWhenUnread(process)();
				stdout.write(text);
			},
			writeErr: (text) => void stderr.write(text),
			getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : 80),
			getErrHelpWidth: () => (stderr.isTTY ? stderr.columns : 80),
		})
		.allowExcessArguments()
		.enablePositionalOptions()
		.action(async () => {
			const [unknown] = program.args;
			if (unknown !== undefined) await failUnknown(program, unknown);
			program.help();
		})
		.addHelpText(
			"after",
			`
Examples:
  $ segue play           try it in a browser
  $ segue setup editor   set up an editor
  $ segue chat           chat with a model about this folder
  $ segue help chat      show help for a command
  $ segue --version      print the version`,
		);
	for (const add of COMMANDS) {
		const command = add(program, manifest.version, process);
		if (!HANDLES_CLOSED_OUTPUT.includes(add)) command.hook("preAction", endWhenUnread(process));
	}
	addHelp(program);
	pointToHelp(program, "");
	try {
		await program.parseAsync(args, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		process.exitCode = error.exitCode;
	}
}

function versionText(): string {
	return typeof SEGUE_COMMIT === "string" ? `${manifest.version} (${SEGUE_COMMIT})` : manifest.version;
}

function addHelp(program: Command): void {
	program
		.command("help")
		.description("Show help for segue or a command.")
		.argument("[command...]", "the command")
		.addHelpText("after", "\nExample:\n  $ segue help chat")
		.action(async (names: readonly string[]) => {
			let command = program;
			for (const name of names) {
				const found = command.commands.find((one) => one.name() === name);
				if (found === undefined) return failUnknown(command, name);
				command = found;
			}
			command.help();
		});
}

async function failUnknown(parent: Command, name: string): Promise<never> {
	const { nearest } = await import("@segue/assist/nearest");
	const visible = parent.createHelp().visibleCommands(parent);
	const meant = nearest(
		name,
		visible.map((command) => command.name()),
	);
	const hint = meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
	return parent.error(`error: unknown command '${sanitizeName(name)}'${hint}`);
}

/** Rewrites commander's errors, for a command and its subcommands, as sentences that end by naming the help to read. */
function pointToHelp(command: Command, path: string): void {
	const help =
		path === ""
			? "Run `segue help` for a list of commands."
			: `Run \`segue help ${path}\` for its ${command.commands.length > 0 ? "commands" : "options"}.`;
	command.configureOutput({
		outputError: (text, write) => write(`${sentenceOf(text)} ${help}\n`),
	});
	for (const each of command.commands) pointToHelp(each, `${path} ${each.name()}`.trim());
}

/** "error: unknown command 'caht'\n(Did you mean chat?)" as `Unknown command "caht". Did you mean "chat"?`. */
function sentenceOf(error: string): string {
	const [problem = "", hint = ""] = error
		.trim()
		.replace(/^error: /, "")
		.replace(/\s*\n\s*/g, " ")
		.split(/ (?=\(Did you mean .*\)$)/);
	const quoted = problem.replace(/'(.*?)'(?=[\s.,]|$)/g, '"$1"').replace(/\.$/, "");
	const suggested = hint.replace(/^\((.*)\)$/, "$1").replace(/^Did you mean (\S+)\?$/, 'Did you mean "$1"?');
	return `${quoted.charAt(0).toUpperCase()}${quoted.slice(1)}.${suggested === "" ? "" : ` ${suggested}`}`;
}

type Add = (program: Command, version: string, process: CommandProcess) => Command;

/** In the order in which the help lists them. */
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

/** Commands that handle a closed standard output themselves, because they have something to stop or save first. */
const HANDLES_CLOSED_OUTPUT: readonly Add[] = [addAcp, addLsp, addThreads, addEca, addChat, addInspect];
