import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "@segue/predict";
import { sanitizeName } from "@segue/text";
import envPaths from "env-paths";
import { UserError } from "./user-error.js";

/** What readers of configuration look at of the process's environment. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where the user's own files are. All are absolute. */
export interface UserFiles {
	readonly configuration: string;
	readonly keys: string;
	readonly trust: string;
	/** The embedded store, unless another is configured. */
	readonly database: string;
	/** The folder in which servers write what became of suggestions, until `segue stats` takes it into the embedded store. */
	readonly outcomes: string;
	/** The folder in which running servers write down their last requests. */
	readonly requests: string;
	/** A cache of what other agents said of themselves. */
	readonly agents: string;
}

/** The platform's folders for configuration and for data, or the one that SEGUE_HOME names for both. */
export function userFilesOf(env: EnvironmentVariables): UserFiles {
	const home = env["SEGUE_HOME"];
	if (!home) {
		const { config, data } = envPaths("segue", { suffix: "" });
		return userFilesIn(config, data);
	}
	// A relative one would be inside of whatever project the command runs in, which then could bring keys and trust of its own.
	if (!path.isAbsolute(home)) {
		throw new UserError("SEGUE_HOME must be the absolute path of a folder: set it to one that begins at the root.");
	}
	if (isNoFolder(home)) {
		throw new UserError(
			`SEGUE_HOME is set to ${sanitizeName(home)}, which is no folder: set it to one, or to one that is to be made.`,
		);
	}
	return userFilesIn(home, home);
}

function isNoFolder(place: string): boolean {
	try {
		return !statSync(place).isDirectory();
	} catch (error) {
		// One that is not there yet can be made, unless a file is above it.
		return (error as NodeJS.ErrnoException).code === "ENOTDIR";
	}
}

function userFilesIn(config: string, data: string): UserFiles {
	const inConfig = (name: string) => path.join(config, name);
	return {
		configuration: inConfig("config.json"),
		keys: inConfig("credentials.json"),
		trust: inConfig("trust.json"),
		database: path.join(data, "segue.db"),
		outcomes: path.join(data, "outcomes"),
		requests: path.join(data, "requests"),
		agents: path.join(data, "agents.json"),
	};
}

/** A project's own file. */
export function projectFileOf(folder: string): string {
	return path.join(folder, ".segue.json");
}

/** The folder whose configuration holds for a workspace: its first on this disk. Undefined where it has none. */
export function workspaceFolderOf(workspace: Workspace): string | undefined {
	for (const { uri } of foldersOf(workspace)) {
		const folder = pathOf(uri);
		if (folder !== undefined) return folder;
	}
	return undefined;
}

/** A client that names no folders may still name the one that it has open. */
export function foldersOf({ uri, folders }: Workspace): Workspace["folders"] {
	if (folders.length > 0 || uri === undefined) return folders;
	return [{ uri, name: "" }];
}

/** Undefined where it is on no disk of ours. */
function pathOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
