import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "@segue/predict";
import { sanitizeName } from "@segue/text";
import envPaths from "env-paths";
import { UserError } from "./user-error.js";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Absolute paths of the user's own files. */
export interface UserFiles {
	readonly configuration: string;
	readonly keys: string;
	readonly trust: string;
	/** The embedded store, used unless another store is configured. */
	readonly database: string;
	/**
	 * The folder in which servers record outcomes of suggestions until `segue stats` moves them to the embedded store.
	 */
	readonly outcomes: string;
	/** The folder in which running servers log their last requests. */
	readonly requests: string;
	/** A cache of other agents' descriptions of themselves. */
	readonly agents: string;
}

/** Uses the platform's folders for configuration and data, or SEGUE_HOME for both. */
export function userFilesOf(env: EnvironmentVariables): UserFiles {
	const home = env["SEGUE_HOME"];
	if (!home) {
		const { config, data } = envPaths("segue", { suffix: "" });
		return userFilesIn(config, data);
	}
	// A relative path would be inside the current project, which could then supply its own keys and trust.
	if (!path.isAbsolute(home)) {
		throw new UserError("SEGUE_HOME must be the absolute path of a folder, for example /home/me/.segue.");
	}
	if (isNotAFolder(home)) {
		throw new UserError(
			`SEGUE_HOME is set to ${sanitizeName(home)}, which is not a folder. Set it to an existing or new folder.`,
		);
	}
	return userFilesIn(home, home);
}

function isNotAFolder(place: string): boolean {
	try {
		return !statSync(place).isDirectory();
	} catch (error) {
		// A missing folder can be created, unless one of its parents is a file.
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

export function projectFileOf(folder: string): string {
	return path.join(folder, ".segue.json");
}

/**
 * The folder whose configuration applies to a workspace: its first folder on this disk, or undefined if it has none.
 */
export function workspaceFolderOf(workspace: Workspace): string | undefined {
	for (const { uri } of foldersOf(workspace)) {
		const folder = pathOf(uri);
		if (folder !== undefined) return folder;
	}
	return undefined;
}

/** The folders of a workspace. A client that lists no folders may still have sent the URI of its root. */
export function foldersOf({ uri, folders }: Workspace): Workspace["folders"] {
	if (folders.length > 0 || uri === undefined) return folders;
	return [{ uri, name: "" }];
}

/** Returns undefined if the URI is not a local file. */
function pathOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}
