import path from "node:path";

/** How to configure an editor, or one of its plugins, for Segue. */
export interface EditorSetup {
	/** The name on the command line. */
	readonly editor: string;
	/** The plugin, for editors with several setups. The first setup of an editor is the default. */
	readonly plugin?: string;
	readonly title: string;
	readonly gives: readonly EditorFeature[];
	/** A plugin that adds next edits and must be configured by hand. A note says how. */
	readonly nextEditsWith?: string;
	/** The versions that were tested in `editors/trials`; undefined if the setup is based only on documentation. */
	readonly tested: string | undefined;
	readonly language: "elisp" | "json" | "lua" | "toml";
	/** Possible files for the configuration. The first one that exists is used; if none exists, the last one. */
	readonly files: (user: UserPlatform) => readonly string[];
	/** Returns the configuration. `command` starts Segue, without the subcommand; `script` is the script's path, if any. */
	readonly text: (command: readonly string[], script?: string) => string;
	/** A script that starts Segue, for plugins that accept only a program's path. */
	readonly script?: (user: UserPlatform, command: readonly string[]) => EditorScript;
	/** The steps, if the editor works without the configuration, which is then printed and written only with --yes. */
	readonly steps?: readonly string[];
	readonly notes: readonly string[];
}

type EditorFeature = "next edits" | "chat";

interface EditorScript {
	readonly file: string;
	readonly text: string;
}

/** Determines where an editor keeps its configuration. */
export interface UserPlatform {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
}

export function xdgConfig({ home, env }: UserPlatform, ...names: string[]): string {
	// A relative path is ignored, as the XDG specification requires.
	const base = env["XDG_CONFIG_HOME"] ?? "";
	return path.join(path.isAbsolute(base) ? base : path.join(home, ".config"), ...names);
}

/** A path in `~/.config`, even on macOS, or in the roaming application data folder on Windows. */
export function inConfig(user: UserPlatform, ...names: string[]): string {
	return user.platform === "win32" ? path.join(roaming(user), ...names) : xdgConfig(user, ...names);
}

/** A path in the platform's usual folder for application data. */
export function inApplicationData(user: UserPlatform, name: string, linuxName: string, ...names: string[]): string {
	if (user.platform === "win32") return path.join(roaming(user), name, ...names);
	if (user.platform === "darwin") return path.join(user.home, "Library", "Application Support", name, ...names);
	return xdgConfig(user, linuxName, ...names);
}

function roaming({ home, env }: UserPlatform): string {
	return env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
}

/** ECA plugins run `PROGRAM server` and cannot pass arguments before `server`. */
export function ecaScript({ home, platform }: UserPlatform, command: readonly string[]): EditorScript {
	const file = path.join(home, ".local", "bin", "segue-eca");
	if (platform !== "win32") return { file, text: `#!/bin/sh\nexec ${shellWords([...command, "eca"])} "$@"` };
	return { file: `${file}.bat`, text: `@${batchWords([...command, "eca"])} %*` };
}

function shellWords(words: readonly string[]): string {
	return words.map((word) => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function batchWords(words: readonly string[]): string {
	return words.map((word) => (isPlain(word) ? word : `"${word.replaceAll("%", "%%")}"`)).join(" ");
}

function isPlain(word: string): boolean {
	return /^[\w./-]+$/.test(word);
}

export function json(value: unknown): string {
	return JSON.stringify(value, undefined, 2);
}

/** A string in Lua or Emacs Lisp. They have fewer escapes than JSON, but paths only need those for quotes and backslashes. */
export function quotedWord(word: string): string {
	return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
