import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { argv, execPath, platform } from "node:process";
import { sanitizeName } from "@segue/text/sanitize";
import type { Command } from "commander";
import type { CommandProcess } from "../command-line.js";
import type { EditorSetup, UserPlatform } from "../setup/editor-setup.js";
import { confirmInTerminal } from "../terminal/confirm.js";
import { reportUserErrors } from "../terminal/message.js";
import { columnsOf, hang, type Output, paragraph, table } from "../terminal/width.js";

export function addSetup(program: Command, _version: string, process: CommandProcess): Command {
	const setup = program
		.command("setup")
		.description("Set up an editor to use Segue.")
		.helpCommand(false)
		.allowExcessArguments()
		.addHelpText(
			"after",
			"\nExamples:\n  $ segue setup                 list the editors\n  $ segue setup editor neovim   set up Neovim",
		)
		.action(async () => {
			const [name] = setup.args;
			if (name === undefined) return setUp(undefined, {}, process);
			const { EDITOR_SETUPS } = await import("../setup/editors.js");
			const { nearest } = await import("@segue/assist/nearest");
			const isEditor = EDITOR_SETUPS.some(({ editor }) => editor === editorNamed(name));
			const meant = isEditor ? `\`segue setup editor ${name}\`` : nearest(name, ["editor"]);
			setup.error(
				`error: unknown command '${sanitizeName(name)}'${meant === undefined ? "" : `\n(Did you mean ${meant}?)`}`,
			);
		});
	setup
		.command("editor")
		.description("Show an editor's configuration for Segue, and write it if you confirm.")
		.argument("[name]", "name of the editor; omit it to list all editors")
		.allowExcessArguments(false)
		.option("--with <plugin>", "plugin to use, for editors that offer several")
		.option("--yes", "write the configuration without asking")
		.option("--json", "print JSON")
		.addHelpText(
			"after",
			`
Examples:
  $ segue setup editor                           list the editors
  $ segue setup editor neovim                    Neovim without a plugin
  $ segue setup editor neovim --with sidekick    with a plugin
  $ segue setup editor emacs --with agent-shell  chat in Emacs
  $ segue setup editor zed --yes                 write without asking

If the file exists, it is changed only if it is JSON without comments. Add the lines to other files
yourself.
The exit code is 1 if --yes could not write the file.`,
		)
		.action((name: string | undefined, options: SetupOptions) => setUp(name, options, process));
	return setup;
}

async function setUp(name: string | undefined, options: SetupOptions, process: CommandProcess): Promise<void> {
	const { env, stdout, stderr } = process;
	process.exitCode = await setUpEditor(name, options, {
		...{ stdout, stderr, confirm: confirmInTerminal(process) },
		user: { home: env["HOME"] || homedir(), env, platform },
		command: isOnPath("segue", env, platform) ? ["segue"] : [execPath, path.resolve(argv[1] ?? "segue")],
	});
}

export interface SetupOptions {
	readonly with?: string;
	readonly yes?: boolean;
	readonly json?: boolean;
}

/** The parts of the process that the command uses. */
interface SetupContext {
	readonly stdout: Output;
	readonly stderr: Output;
	/** Asks the user to confirm; undefined outside a terminal. */
	readonly confirm: ((question: string) => Promise<boolean>) | undefined;
	readonly user: UserPlatform;
	/** The command line that starts Segue in an editor. */
	readonly command: readonly string[];
}

const LIST_HEADING = "To set up one of these, run for example: segue setup editor neovim";

/** Returns the exit code. */
export async function setUpEditor(
	name: string | undefined,
	{ with: plugin, yes = false, json = false }: SetupOptions,
	{ stdout, stderr, confirm, user, command }: SetupContext,
): Promise<number> {
	const { EDITOR_SETUPS } = await import("../setup/editors.js");
	const { fileErrorText, UserError } = await import("@segue/agent/config/user-error");
	const columns = columnsOf(stdout);
	if (name === undefined) {
		stdout.write(
			json
				? `${JSON.stringify(EDITOR_SETUPS.map(listed), undefined, 2)}\n`
				: `${paragraph(LIST_HEADING, stdout)}${list(EDITOR_SETUPS, columns)}`,
		);
		return 0;
	}
	let isMissed = false;
	const refused = await reportUserErrors(stderr, async () => {
		const lowerName = name.toLowerCase();
		const ways = EDITOR_SETUPS.filter(({ editor }) => editor === editorNamed(name));
		const wanted = plugin?.toLowerCase().replace(/\.nvim$/, "");
		const setup = wanted === undefined ? ways[0] : ways.find((one) => one.plugin === wanted);
		if (ways.length === 0) {
			const { nearest } = await import("@segue/assist/nearest");
			const names = new Set(EDITOR_SETUPS.map(({ editor }) => editor));
			const meant = [...names].find((one) => one.startsWith(lowerName)) ?? nearest(lowerName, names);
			const help = meant === undefined ? `Available: ${[...names].join(", ")}.` : `Did you mean "${meant}"?`;
			throw new UserError(`Unknown editor "${sanitizeName(name)}". ${help}`);
		}
		if (setup === undefined) {
			const names = ways.flatMap((way) => way.plugin ?? []).join(", ");
			throw new UserError(
				`Unknown plugin "${sanitizeName(plugin ?? "")}" for ${sanitizeName(name)}. Available: ${names || "none"}.`,
			);
		}
		const notes = [...setup.notes, ...(setup.steps === undefined || yes ? startNotes(command) : [])];
		const script = setup.script?.(user, command);
		const text = setup.text(command, script?.file);
		const candidates = setup.files(user);
		const file = candidates.find((one) => existsSync(one)) ?? candidates.at(-1) ?? "";
		const targets: Target[] = [{ file, text, language: setup.language }];
		if (script !== undefined) targets.push({ ...script, language: "sh" });
		const changes = targets.map((target) => ({ target, ...access("read", target, () => changeOf(target)) }));
		// Optional settings are written only with --yes.
		const isShown = setup.steps !== undefined && !yes;
		isMissed = yes && changes.some(({ kind }) => kind === "manual");
		const pending = changes.filter((change) => change.content !== undefined);
		const writePending = () => {
			// Write the script first, so that the configuration never names a missing program.
			for (const { target, content } of pending.toReversed()) {
				access("write", target, () => {
					// The user may have taken a while to answer.
					if (changeOf(target).content !== content)
						throw new UserError(`${target.file} has changed. Run this command again.`);
					mkdirSync(path.dirname(target.file), { recursive: true });
					writeFileSync(target.file, content, target.language === "sh" ? { mode: 0o755 } : {});
				});
			}
		};
		if (json) {
			if (yes) writePending();
			const [config, other = null] = changes.map(({ target, kind, content }) => {
				return { ...target, change: kind, isWritten: yes && content !== undefined };
			});
			const shown = { ...listed(setup), ...config, steps: setup.steps ?? [], notes, script: other };
			stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
			return;
		}
		const others = ways.filter((way) => way !== setup);
		stdout.write(print({ ...setup, notes }, isShown ? [] : targets, others, columns));
		if (isShown) return;
		for (const { target, kind } of changes) {
			if (kind === "manual")
				stdout.write(paragraph(`${target.file} exists and was not changed. ${MANUAL[target.language]}`, stdout));
		}
		if (changes.every(({ kind }) => kind === "present")) stdout.write("Already set up.\n");
		if (pending.length === 0) return;
		const question = pending.map(({ target, kind }) => `${kind === "create" ? "create" : "add it to"} ${target.file}`);
		if (!yes && confirm === undefined) stdout.write("Not a terminal: pass --yes to write the file.\n");
		else if (yes || (await confirm?.(`${capitalized(question.join(" and "))}?`))) {
			writePending();
			const written = pending.map(({ target }) => target.file).join(" and ");
			stdout.write(paragraph(`Written to ${written}. Restart the editor.`, stdout));
		} else stdout.write("Nothing was written.\n");

		function access<Result>(verb: string, target: Target, act: () => Result): Result {
			try {
				return act();
			} catch (error) {
				if (error instanceof UserError) throw error;
				throw new UserError(`Cannot ${verb} ${target.file}: ${fileErrorText(error)}.`);
			}
		}
	});
	// Scripts that pass --yes must notice that the file was not written.
	return refused || (isMissed ? 1 : 0);
}

function editorNamed(name: string): string {
	const lowerName = name.toLowerCase();
	return ALIASES[lowerName] ?? lowerName;
}

/** Common short names. */
const ALIASES: Readonly<Record<string, string>> = { nvim: "neovim", hx: "helix", code: "vscode", subl: "sublime" };

/** A file that the command should write. */
interface Target {
	readonly file: string;
	readonly text: string;
	/** "sh" for the script that starts Segue. */
	readonly language: EditorSetup["language"] | "sh";
}

const MANUAL: Readonly<Record<Target["language"], string>> = {
	elisp: "Add the lines above to it.",
	json: "It has comments, an unusual layout or other values for these settings. Add them yourself.",
	lua: "Compare it with the lines above.",
	sh: "Compare it with the lines above.",
	toml: "Add the lines above to it.",
};

/** How a file must change. There is no `content` if it already has the settings or the user has to edit it. */
type Change =
	| { readonly kind: "create" | "merge"; readonly content: string }
	| { readonly kind: "present"; readonly content?: undefined }
	| { readonly kind: "manual"; readonly content?: undefined };

function changeOf({ file, text, language }: Target): Change {
	if (!existsSync(file)) return { kind: "create", content: `${text}\n` };
	const before = readFileSync(file, "utf8");
	if (before.includes(text)) return { kind: "present" };
	return language === "json" ? mergeJson(before, text) : { kind: "manual" };
}

/**
 * Adds settings to JSON, but only if printing the parsed file reproduces its text. This rules out comments, repeated
 * keys and numbers that would change. If a setting already has another value, the user has to change it.
 */
function mergeJson(before: string, added: string): Change {
	const source = before.trimEnd();
	const value = parsed(source);
	const indent = ["  ", "    ", "\t"].find((one) => JSON.stringify(value, undefined, one) === source);
	if (!isObject(value) || indent === undefined) return { kind: "manual" };
	const merged = merge(value, JSON.parse(added));
	if (merged === undefined) return { kind: "manual" };
	const content = JSON.stringify(merged, undefined, indent);
	return content === source ? { kind: "present" } : { kind: "merge", content: `${content}\n` };
}

function parsed(source: string): unknown {
	try {
		return JSON.parse(source);
	} catch {
		return undefined;
	}
}

/** Returns undefined if both objects have the same key with different values. */
function merge(value: JsonObject, added: JsonObject): JsonObject | undefined {
	const merged = { ...value };
	for (const [key, addition] of Object.entries(added)) {
		const existing = merged[key];
		const both = isObject(existing) && isObject(addition) ? merge(existing, addition) : undefined;
		if (existing === undefined) merged[key] = addition;
		else if (both !== undefined) merged[key] = both;
		else if (JSON.stringify(existing) !== JSON.stringify(addition)) return undefined;
	}
	return merged;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Warns if the configuration contains the path of this program, for example in a clone, instead of its name. */
function startNotes([, program]: readonly string[]): string[] {
	if (program === undefined) return [];
	return [
		`The program \`segue\` is not on your PATH, so this configuration starts ${program}. It stops working if you move or delete that file. To avoid this, install Segue as its README describes and run this command again.`,
	];
}

function print(
	setup: EditorSetup,
	targets: readonly Target[],
	others: readonly EditorSetup[],
	columns: number,
): string {
	const { title, notes, steps = [] } = setup;
	const numbered = steps.map((step, i) => hang(`${i + 1}. `, step, columns).join("\n")).join("\n");
	const texts = targets.map(({ file, text, language }) => {
		return `In ${file}${language === "sh" ? ", which must be executable" : ""}:\n\n${text}\n\n`;
	});
	const other =
		others.length === 0 ? "" : `\nOther setups for this editor (segue setup editor …):\n${list(others, columns)}`;
	const noted = notes.flatMap((note) => hang("- ", note, columns).map((line) => `${line}\n`)).join("");
	const stepText = numbered === "" ? "" : `${numbered}\n\n`;
	return `${title}: ${featuresOf(setup)} (${statusOf(setup)})\n\n${stepText}${texts.join("")}${noted}${other}\n`;
}

function statusOf({ tested }: EditorSetup): string {
	return tested === undefined ? "untested" : `tested with ${tested}`;
}

function featuresOf({ gives, nextEditsWith }: EditorSetup): string {
	return `${gives.join(", ")}${nextEditsWith === undefined ? "" : `; next edits with ${nextEditsWith}`}`;
}

/** Returns a line for each setup: its arguments, its features and its title. */
function list(setups: readonly EditorSetup[], columns: number): string {
	const rows = setups.map(({ editor, plugin, title, gives, nextEditsWith, tested }) => {
		const args = plugin === undefined ? editor : `${editor} --with ${plugin}`;
		const features = nextEditsWith === undefined ? gives : ["next edits", ...gives];
		const titles = nextEditsWith === undefined ? title : `${title}, ${nextEditsWith}`;
		return [args, features.join(", "), tested === undefined ? `${titles} (untested)` : titles];
	});
	return table(rows, columns - INDENT.length)
		.flat()
		.map((line) => `${INDENT}${line}\n`)
		.join("");
}

const INDENT = "  ";

function listed({ editor, plugin, title, gives, nextEditsWith, tested }: EditorSetup) {
	return { editor, plugin: plugin ?? null, title, gives, nextEditsWith: nextEditsWith ?? null, tested: tested ?? null };
}

function capitalized(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Whether the user can start a program by name. Ignores the folders that npm and npx add for a single command. */
function isOnPath(name: string, env: UserPlatform["env"], system: NodeJS.Platform): boolean {
	const folders = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter);
	const file = system === "win32" ? `${name}.cmd` : name;
	return folders.some((folder) => {
		if (!path.isAbsolute(folder) || path.basename(folder) === ".bin") return false;
		return isProgram(path.join(folder, file));
	});
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
