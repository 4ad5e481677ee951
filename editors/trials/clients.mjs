// The clients that play the stories, and functions that start them.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { playInHelix } from "./helix.mjs";
import { Terminal } from "./terminal.mjs";

/** Thrown if an editor or a plugin is missing. */
export class Skipped extends Error {}

// A story takes a few seconds. The driver has a shorter timeout, so it can report what it was waiting for.
const STORY_MS = 40_000;

export const clients = [
	{ name: "neovim", setup: ["neovim"], run: (trial) => runNeovim(trial, "built-in") },
	{
		name: "sidekick.nvim",
		setup: ["neovim", "--with", "sidekick"],
		run: (trial) => runNeovim(trial, "sidekick", { plugin: "sidekick.nvim", setUp: 'require("sidekick").setup({})' }),
	},
	{
		name: "copilot-lsp",
		setup: ["neovim", "--with", "copilot-lsp"],
		run: (trial) => runNeovim(trial, "copilot-lsp", { plugin: "copilot-lsp", setUp: "" }),
	},
	{ name: "eglot", setup: ["emacs"], run: (trial) => runEmacs(trial, "eglot") },
	{
		name: "lsp-mode",
		setup: ["emacs", "--with", "lsp-mode"],
		// Without this, lsp-mode asks for the project folder.
		run: (trial) => runEmacs(trial, "lsp-mode", { name: "lsp-mode", settings: "(setq lsp-auto-guess-root t)" }),
	},
	{
		name: "copilot.el",
		setup: ["emacs", "--with", "copilot.el"],
		run: (trial) => runEmacs(trial, "copilot", { name: "copilot.el", settings: "" }),
	},
	{
		name: "helix",
		setup: ["helix"],
		run: (trial) => {
			checkTmux();
			return playInHelix(editorOf(trial.root, "hx"), trial);
		},
	},
];

async function runNeovim(trial, driver, plugin) {
	const { project, here } = trial;
	const editor = neovimIn(trial, plugin ? [plugin.plugin] : [], [
		// Disable indentation, which would change the typed text.
		'vim.cmd("filetype indent off")',
		"vim.o.autoindent = false",
		plugin?.setUp ?? "",
	]);
	const script = path.join(here, "neovim", `${driver}.lua`);
	await ended(editor, ["--headless", "-c", `luafile ${script}`], { ...trial, cwd: project });
}

/** Sets up Neovim with plugins, as a plugin manager would, and with extra configuration lines. */
export function neovimIn(trial, plugins, lines = []) {
	const { home, root } = trial;
	const editor = editorOf(root, "nvim", root && { VIMRUNTIME: `${root}/usr/share/nvim/runtime` });
	const folders = [...(root ? [`${root}/usr/lib/nvim`] : []), ...plugins.map((name) => pluginOf(trial, name))];
	const added = folders.map((folder) => `vim.opt.runtimepath:prepend(${JSON.stringify(folder)})`);
	const folder = path.join(home, ".config", "nvim");
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "init.lua"), `${[...added, ...lines].join("\n")}\n`);
	return editor;
}

async function runEmacs(trial, driver, plugin) {
	const { project, here } = trial;
	const editor = emacsIn(trial, plugin ? [plugin.name] : [], [
		// Emacs has no TypeScript mode unless a grammar is installed.
		`(add-to-list 'auto-mode-alist '("\\\\.ts\\\\'" . js-mode))`,
		plugin?.settings ?? "",
	]);
	// Disable indentation, which would change the typed text.
	const args = ["-L", path.join(here, "emacs"), "--eval", "(electric-indent-mode -1)"];
	const terminal = new Terminal(editor, [...args, "-l", path.join(here, "emacs", `trial-${driver}.el`)], {
		...trial,
		env: { ...trial.env, SEGUE_TRIAL_PROJECT: project },
	});
	await terminal.ended(STORY_MS);
}

/** Sets up Emacs in a terminal with plugins, as package.el would, and with extra configuration lines. */
export function emacsIn(trial, plugins, lines = []) {
	checkTmux();
	const { home, root } = trial;
	const { command, env } = emacsOf(root);
	const debian = `${root ?? ""}/usr/share/emacs/site-lisp/elpa-src`;
	const libraries = existsSync(debian) ? readdirSync(debian).map((name) => path.join(debian, name)) : [];
	const settings = [
		`(setq load-path (append '(${libraries.map((folder) => JSON.stringify(folder)).join(" ")}) load-path))`,
		"(setq inhibit-startup-screen t package-enable-at-startup nil)",
		"(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)",
		"(setq make-backup-files nil create-lockfiles nil auto-save-default nil)",
		...plugins.map((name) => installed(pluginOf(trial, name), path.join(home, "packages", name))),
		...lines,
	];
	writeFileSync(path.join(home, ".emacs.d", "early-init.el"), `${settings.join("\n")}\n`);
	return { command: [...command, "-nw"], env };
}

/**
 * Copies a package, because its autoloads must be in the same folder. Returns Lisp that activates the package as
 * package.el does.
 */
function installed(source, folder) {
	const names = readdirSync(source).filter((name) => name.endsWith(".el"));
	for (const name of names) cpSync(path.join(source, name), path.join(folder, name));
	const [quoted, autoloads] = [folder, path.join(folder, "autoloads.el")].map((file) => JSON.stringify(file));
	return `(push ${quoted} load-path) (loaddefs-generate ${quoted} ${autoloads}) (load ${autoloads} nil t)`;
}

/** Returns the command for Emacs. In another root, Emacs needs the location of its files. */
function emacsOf(root) {
	if (root === undefined) return editorOf(root, "emacs");
	const { command } = editorOf(root, "emacs-nox");
	const [version] = readdirSync(`${root}/usr/libexec/emacs`);
	const programs = `${root}/usr/libexec/emacs/${version}/x86_64-linux-gnu`;
	const shared = `${root}/usr/share/emacs/${version}`;
	const env = {
		EMACSLOADPATH: `${shared}/lisp`,
		EMACSDATA: `${shared}/etc`,
		EMACSDOC: `${shared}/etc`,
		EMACSPATH: programs,
	};
	const dump = readdirSync(programs).find((name) => name.endsWith(".pdmp"));
	return { command: [...command, `--dump-file=${programs}/${dump}`], env };
}

/** Runs an editor until it exits. */
function ended({ command, env: own }, args, { cwd, env, folder }) {
	const [program, ...before] = command;
	const child = spawn(program, [...before, ...args], {
		cwd,
		env: { ...env, ...own },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
	const timer = setTimeout(() => child.kill("SIGKILL"), STORY_MS);
	return new Promise((resolve) => {
		child.on("close", () => {
			clearTimeout(timer);
			writeFileSync(path.join(folder, "output"), output);
			resolve();
		});
	});
}

/** Returns the command for a program on the PATH, or for one in another Debian root with that root's libraries. */
function editorOf(root, name, env = {}) {
	if (root === undefined) {
		if (!isOnPath(name)) throw new Skipped(`${name} is not on the PATH`);
		return { command: [name], env };
	}
	const program = path.join(root, "usr", "bin", name);
	if (!existsSync(program)) throw new Skipped(`${program} does not exist`);
	const linker = path.join(root, "usr", "lib64", "ld-linux-x86-64.so.2");
	return { command: [linker, "--library-path", path.join(root, "usr", "lib", "x86_64-linux-gnu"), program], env };
}

function checkTmux() {
	if (!isOnPath("tmux")) throw new Skipped("tmux is not on the PATH");
}

function isOnPath(name) {
	return process.env["PATH"].split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));
}

function pluginOf({ plugins }, name) {
	if (plugins === undefined)
		throw new Skipped(`${name} is not in Debian. Use --plugins to pass a folder that contains a checkout`);
	const folder = path.join(plugins, name);
	if (!existsSync(folder)) throw new Skipped(`${folder} does not exist`);
	return folder;
}
