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
import { writeMessage } from "./terminal/message.js";
import { COLUMNS_DEFAULT, COLUMNS_MAX, columnsOf, type Output } from "./terminal/width.js";

// The commit of this build. Set by scripts/build.mjs in a git checkout.
declare const SEGUE_COMMIT: string | undefined;

/** Runs `segue` with these arguments and sets the exit code of the process. */
export async function runSegue(args: readonly string[], process: CommandProcess): Promise<void> {
	const { stdout, stderr } = process;
	const program: Command = new Command("segue")
		.description("Next-edit suggestions and agent chat for any editor, over open protocols.")
		.version(versionText(), "-V, --version", "print the version")
		.helpOption("-h, --help", "show this help")
		.helpCommand(false)
		// Listing the arguments of each command would leave too little room for its description.
		.configureHelp({ subcommandTerm: (command) => command.name() })
		.exitOverride()
		.configureOutput({
			writeOut: (text) => {
				// Help runs no action and therefore no hook, so handle a closed pipe here.
				endWhenUnread(process)();
				stdout.write(text);
			},
			writeErr: (text) => void stderr.write(text),
			getOutHelpWidth: () => helpWidth(stdout),
			getErrHelpWidth: () => helpWidth(stderr),
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
	for (const [group, commands] of Object.entries(COMMANDS)) {
		for (const add of commands) {
			const command = add(program, manifest.version, process).helpGroup(`${group}:`);
			if (!HANDLES_CLOSED_OUTPUT.includes(add)) command.hook("preAction", endWhenUnread(process));
		}
	}
	addHelp(program);
	pointToHelp(program, "", stderr);
	try {
		// `segue --help why` means `segue why --help`.
		const isHelp = /^(?:-h|--help)$/.test(args[0] ?? "") && args.length > 1;
		await program.parseAsync(isHelp ? ["help", ...args.slice(1)] : args, { from: "user" });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		process.exitCode = error.exitCode;
	}
}

function helpWidth(output: Output & { readonly isTTY?: boolean }): number {
	return output.isTTY ? Math.min(columnsOf(output), COLUMNS_MAX) : COLUMNS_DEFAULT;
}

function versionText(): string {
	return typeof SEGUE_COMMIT === "string" ? `${manifest.version} (${SEGUE_COMMIT})` : manifest.version;
}

function addHelp(program: Command): void {
	program
		.command("help")
		.helpGroup("Help:")
		.description("Show help for Segue or for a command.")
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

/** Rewrites commander's errors, for a command and its subcommands, as sentences that name the help to read. */
function pointToHelp(command: Command, path: string, stderr: Output): void {
	const help =
		path === ""
			? "Run `segue help` for a list of commands."
			: `Run \`segue help ${path}\` for its ${command.commands.length > 0 ? "commands" : "options"}.`;
	command.configureOutput({
		outputError: (text) => writeMessage(stderr, `${sentenceOf(text)} ${help}`),
	});
	for (const each of command.commands) pointToHelp(each, `${path} ${each.name()}`.trim(), stderr);
}

/** Turns "error: unknown command 'caht'\n(Did you mean chat?)" into `Unknown command "caht". Did you mean "chat"?`. */
function sentenceOf(error: string): string {
	const [problem = "", hint = ""] = error
		.trim()
		.replace(/^error: /, "")
		.replace(/\s*\n\s*/g, " ")
		.split(/ (?=\(Did you mean .*\)$)/);
	const [, incomplete] = MISSING_VALUE.exec(problem) ?? [];
	if (incomplete !== undefined) return `${incomplete} needs a value.`;
	const [, option, value, hintOnValue = ""] = INVALID_VALUE.exec(problem) ?? [];
	if (option !== undefined) {
		return `"${value}" is not valid for ${option}. ${hintOnValue.replace("Allowed choices are", "Available:")}`;
	}
	const quoted = problem.replace(/'(.*?)'(?=[\s.,]|$)/g, '"$1"').replace(/\.$/, "");
	const suggested = hint.replace(/^\((.*)\)$/, "$1").replace(/^Did you mean (\S+)\?$/, 'Did you mean "$1"?');
	return `${quoted.charAt(0).toUpperCase()}${quoted.slice(1)}.${suggested === "" ? "" : ` ${suggested}`}`;
}

const INVALID_VALUE = /^option '(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/;

const MISSING_VALUE = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/;

type Add = (program: Command, version: string, process: CommandProcess) => Command;

/** The commands in each group, in the order of the help. */
const COMMANDS: Readonly<Record<string, readonly Add[]>> = {
	"Start here": [addPlay, addSetup, addDoctor],
	Suggestions: [addWhy, addStats],
	Chat: [addChat, addAgents],
	"Models and settings": [addLogin, addLogout, addModels, addConfig, addTrust],
	"Servers (started by editors)": [addAcp, addLsp, addEca, addThreads, addServe, addEditorMcp],
	"For authors of plugins and agents": [addInspect, addReplay, addEval],
};

/** Commands that handle a closed standard output themselves, because they must stop or save something first. */
const HANDLES_CLOSED_OUTPUT: readonly Add[] = [addAcp, addLsp, addThreads, addEca, addChat, addInspect];
