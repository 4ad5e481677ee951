import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isSecretUri } from "@segue/text";
import { ToolError } from "../failures.js";
import type { Permission, PermissionKind } from "../threads/thread.js";
import { codeOf, fileError } from "./file-error.js";

/** A checked path in the workspace. The file need not exist. */
export interface ResolvedPath {
	/** The absolute path that editors use: below the folder as given, without following links. */
	readonly path: string;
	/** The absolute path with all links resolved. */
	readonly real: string;
	/** The path shown to users and models, with slashes: relative to the root, or absolute in another folder. */
	readonly name: string;
	/** Like `name`, but for `real`. The two differ if a link was followed. */
	readonly realName: string;
	/** The kind of file when the path was resolved; "nothing" if it did not exist. */
	readonly kind: "file" | "folder" | "other" | "nothing";
}

// PATH_MAX on Linux.
const PATH_LENGTH_MAX = 4096;

/**
 * Resolves a path and checks that it is in one of the folders, with links resolved, and is not a secret file. Throws a
 * `ToolError` if not. The file can be replaced right after this check, so code that opens it must check again.
 */
export async function resolvePath(folders: readonly [string, ...string[]], written: string): Promise<ResolvedPath> {
	const shown = JSON.stringify(written);
	checkWriting(written, shown);
	const roots = await Promise.all(folders.map(rootOf));
	const file = fileOf(written, roots);
	if (file === undefined) throw outside(shown, folders);
	const { real, missing } = await follow(file, shown);
	// Existing files can have any name that their system allows; new ones need a name that every system allows.
	const names = process.platform === "win32" ? file.slice(path.parse(file).root.length).split(path.sep) : missing;
	if (names.some((name) => OTHER_ELSEWHERE.test(name))) {
		throw new ToolError(`${shown} contains a name that is reserved or invalid on Windows. Choose another name.`);
	}
	const home = roots.find((root) => isWithin(root.real, real));
	if (home === undefined) throw outside(shown, folders);
	const kind = missing.length > 0 ? "nothing" : await kindOf(real, shown);
	if (kind !== "folder" && (isSecret(file) || isSecret(real))) {
		throw new ToolError(
			`${shown} has the name of a secret file, which tools may not read or write. Continue without it.`,
		);
	}
	const realName = displayPath(folders[0], path.join(home.given, path.relative(home.real, real)));
	return { path: file, real, name: displayPath(folders[0], file), realName, kind };
}

/** Rejects ambiguous paths, which another program could read as a different path, before any lookup. */
function checkWriting(written: string, shown: string): void {
	if (written.length > PATH_LENGTH_MAX) throw new ToolError(`The path is longer than ${PATH_LENGTH_MAX} characters.`);
	const refusal = refusalOf(written);
	if (refusal !== undefined) throw new ToolError(`${shown} ${refusal}. ${HOW_TO_WRITE}`);
}

/** Whether tools accept this existing file's name in a path. */
export function isWritableName(name: string): boolean {
	return refusalOf(name) === undefined;
}

function refusalOf(written: string): string | undefined {
	const count = (text: string) => text.match(/[./\\:]/g)?.length ?? 0;
	const isAlike = count(written.normalize("NFKC")) !== count(written);
	return isAlike ? LOOKALIKE : REFUSALS.find(({ pattern }) => pattern.test(written))?.because;
}

const HOW_TO_WRITE = "Use a path relative to the workspace root, for example src/app.ts.";
const LOOKALIKE = "contains characters that only look like a dot, colon or slash";

const REFUSALS: readonly { readonly pattern: RegExp; readonly because: string }[] = [
	{ pattern: /^\s*$/, because: "is an empty path" },
	// Some of these characters are ignored by some file systems. Others change the order in which a name is displayed.
	{ pattern: /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, because: "contains an invisible character" },
	{ pattern: /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/, because: LOOKALIKE },
	{ pattern: /^(?:file:|[a-z][a-z\d+.-]*:\/\/)/i, because: "is a URL, not a path" },
	{ pattern: /^~/, because: "starts with ~, which is not expanded here" },
	{ pattern: /^(?:\/\/|\\\\)/, because: "refers to another machine or a device" },
	...(process.platform === "win32"
		? []
		: [
				{ pattern: /^[a-z]:/i, because: "starts with a drive letter" },
				{ pattern: /\\/, because: "contains a backslash; separate folders with /" },
			]),
];

// On Windows: device names with any extension, characters that are invalid or start a file stream, and endings that are
// dropped.
const OTHER_ELSEWHERE =
	/^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3])(?:\.|$)|[<>:"|?*]|[. ]$/i;

interface Root {
	readonly given: string;
	readonly real: string;
}

async function rootOf(folder: string): Promise<Root> {
	const given = path.resolve(folder);
	try {
		return { given, real: await realpath(given) };
	} catch (error) {
		throw fileError(error, given);
	}
}

/** Resolves a path without touching the disk; undefined if it is outside the roots. */
function fileOf(written: string, roots: readonly Root[]): string | undefined {
	const file = path.resolve((roots[0] as Root).given, written);
	for (const { given, real } of roots) {
		if (isWithin(given, file)) return file;
		// Models also use the folder's real path, which they see in the output of commands.
		if (isWithin(real, file)) return path.join(given, path.relative(real, file));
	}
	return undefined;
}

function outside(shown: string, folders: readonly string[]): ToolError {
	return new ToolError(`${shown} is outside the workspace. Only files in ${folders.join(" or ")} are accessible.`);
}

/** Resolves all links in the existing part of a path. `missing` are the remaining names, which do not exist yet. */
async function follow(file: string, shown: string): Promise<{ real: string; missing: readonly string[] }> {
	const missing: string[] = [];
	for (let at = file; ; at = path.dirname(at)) {
		try {
			return { real: path.join(await realpath(at), ...missing), missing };
		} catch (error) {
			if (codeOf(error) !== "ENOENT") throw fileError(error, shown);
			if (await isLink(at)) throw new ToolError(`${shown} goes through a broken link.`);
			missing.unshift(path.basename(at));
		}
	}
}

export async function isLink(file: string): Promise<boolean> {
	try {
		return (await lstat(file)).isSymbolicLink();
	} catch {
		return false; // does not exist
	}
}

async function kindOf(real: string, shown: string): Promise<ResolvedPath["kind"]> {
	try {
		const found = await stat(real);
		return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
	} catch (error) {
		throw fileError(error, shown);
	}
}

/**
 * Whether a path, or the target of its links, has the name of a secret file. Throws a `ToolError` if links cannot be
 * resolved.
 */
export async function leadsToSecret(file: string): Promise<boolean> {
	return isSecret(file) || isSecret((await follow(file, JSON.stringify(file))).real);
}

/** Whether a path names a secret file. Only for files: a folder with such a name can contain anything. */
export function isSecret(file: string): boolean {
	return isSecretUri(pathToFileURL(file).href) || isSecretUri(pathToFileURL(file.normalize("NFKC")).href);
}

function isWithin(folder: string, file: string): boolean {
	const way = path.relative(folder, file);
	return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Returns a path relative to the workspace root, as users and rules write it. */
export function displayPath(root: string, file: string): string {
	if (!isWithin(root, file)) return file.replaceAll(path.sep, "/");
	return path.relative(root, file).replaceAll(path.sep, "/") || ".";
}

/** Returns the permissions needed to access a path: for its name and, if it is behind a link, for the target's name. */
export function permissionsFor(kind: PermissionKind, { name, realName }: ResolvedPath): readonly Permission[] {
	return [...new Set([name, realName])].map((subject) => ({ kind, subject }));
}

/** Whether a path is inside a .git folder, under any name that a file system treats as equal. */
export function isGitFile({ path: file, real }: ResolvedPath): boolean {
	return [file, real].some((one) => one.split(path.sep).some((name) => GIT.test(name.normalize("NFKC"))));
}

const GIT = /^(?:\.git|git~\d+)[. ]*$/i;
