import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isSecretUri } from "@segue/text";
import { ToolError } from "../failures.js";
import type { Permission, PermissionKind } from "../threads/thread.js";
import { codeOf, fileError } from "./file-error.js";

/** Something in the workspace, or a place in it where something can be made. */
export interface ResolvedPath {
	/** Absolute, as editors know it: below the folder as that was given, with links not followed. */
	readonly path: string;
	/** Where it lies when all links are followed. */
	readonly real: string;
	/** How people and models are told of it: from the root, with slashes; absolute where it lies in another folder. */
	readonly name: string;
	/** The same of where it really lies, which is another name where a link was followed. */
	readonly realName: string;
	/** What was there when it was resolved. */
	readonly kind: "file" | "folder" | "other" | "nothing";
}

// As long as Linux lets one be.
const PATH_LENGTH_MAX = 4096;

/**
 * Finds what a path means and makes sure that it lies in one of the folders, links and all, and holds no secret. Throws a
 * `ToolError` otherwise. What is checked here can be another thing a moment later: whoever opens it looks again.
 */
export async function resolvePath(folders: readonly [string, ...string[]], written: string): Promise<ResolvedPath> {
	const shown = JSON.stringify(written);
	checkWriting(written, shown);
	const roots = await Promise.all(folders.map(rootOf));
	const file = fileOf(written, roots);
	if (file === undefined) throw outside(shown, folders);
	const { real, missing } = await follow(file, shown);
	// What is there may have any name that its system allows; what is made is to have one that every system does.
	const names = process.platform === "win32" ? file.slice(path.parse(file).root.length).split(path.sep) : missing;
	if (names.some((name) => OTHER_ELSEWHERE.test(name))) {
		throw new ToolError(`${shown} has a name that Windows takes for something else or refuses. Choose another name.`);
	}
	const home = roots.find((root) => isWithin(root.real, real));
	if (home === undefined) throw outside(shown, folders);
	const kind = missing.length > 0 ? "nothing" : await kindOf(real, shown);
	if (kind !== "folder" && (isSecret(file) || isSecret(real))) {
		throw new ToolError(`${shown} holds secrets by its name, and no tool reads or writes it. Do without it.`);
	}
	const realName = displayPath(folders[0], path.join(home.given, path.relative(home.real, real)));
	return { path: file, real, name: displayPath(folders[0], file), realName, kind };
}

/** Refuses what other readers could take for another path, before anything is looked up. */
function checkWriting(written: string, shown: string): void {
	if (written.length > PATH_LENGTH_MAX) throw new ToolError(`The path is longer than ${PATH_LENGTH_MAX} characters.`);
	const refusal = refusalOf(written);
	if (refusal !== undefined) throw new ToolError(`${shown} ${refusal}. ${HOW_TO_WRITE}`);
}

/** Whether the name of something that is there can stand in a path. */
export function isWritableName(name: string): boolean {
	return refusalOf(name) === undefined;
}

function refusalOf(written: string): string | undefined {
	const count = (text: string) => text.match(/[./\\:]/g)?.length ?? 0;
	const isAlike = count(written.normalize("NFKC")) !== count(written);
	return isAlike ? LOOKALIKE : REFUSALS.find(({ pattern }) => pattern.test(written))?.because;
}

const HOW_TO_WRITE = "Write a path from the top of the workspace, such as src/app.ts.";
const LOOKALIKE = "holds signs that only look like a dot, a colon or a slash";

const REFUSALS: readonly { readonly pattern: RegExp; readonly because: string }[] = [
	{ pattern: /^\s*$/, because: "is an empty path" },
	// Some file systems leave the invisible ones out of names, and people see what they read in another order.
	{ pattern: /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, because: "holds a character that cannot be seen" },
	{ pattern: /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/, because: LOOKALIKE },
	{ pattern: /^(?:file:|[a-z][a-z\d+.-]*:\/\/)/i, because: "is a URL and not a path" },
	{ pattern: /^~/, because: "begins with ~, which is not replaced by a home folder here" },
	{ pattern: /^(?:\/\/|\\\\)/, because: "names another machine, or a device" },
	...(process.platform === "win32"
		? []
		: [
				{ pattern: /^[a-z]:/i, because: "begins with a drive letter" },
				{ pattern: /\\/, because: "holds a backslash; folders are parted by /" },
			]),
];

// Devices of Windows whatever their ending is, a stream of a file, an end that Windows drops, signs that it refuses.
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

/** Where a path leads by its writing alone; undefined where that is outside. */
function fileOf(written: string, roots: readonly Root[]): string | undefined {
	const file = path.resolve((roots[0] as Root).given, written);
	for (const { given, real } of roots) {
		if (isWithin(given, file)) return file;
		// A command's output names the folder as it really lies.
		if (isWithin(real, file)) return path.join(given, path.relative(real, file));
	}
	return undefined;
}

function outside(shown: string, folders: readonly string[]): ToolError {
	return new ToolError(`${shown} leads outside of the workspace. Only what is in ${folders.join(" or ")} can be used.`);
}

/** Follows every link on the way, as far as there is a way; the rest are the names that are not there yet. */
async function follow(file: string, shown: string): Promise<{ real: string; missing: readonly string[] }> {
	const missing: string[] = [];
	for (let at = file; ; at = path.dirname(at)) {
		try {
			return { real: path.join(await realpath(at), ...missing), missing };
		} catch (error) {
			if (codeOf(error) !== "ENOENT") throw fileError(error, shown);
			if (await isLink(at)) throw new ToolError(`${shown} goes through a link that leads nowhere.`);
			missing.unshift(path.basename(at));
		}
	}
}

export async function isLink(file: string): Promise<boolean> {
	try {
		return (await lstat(file)).isSymbolicLink();
	} catch {
		return false; // nothing there
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

/** Whether a path, or what it leads to, holds secrets by its name. Throws a `ToolError` where that cannot be found out. */
export async function leadsToSecret(file: string): Promise<boolean> {
	return isSecret(file) || isSecret((await follow(file, JSON.stringify(file))).real);
}

/** By the name of a file; a folder of such a name holds whatever it holds. */
export function isSecret(file: string): boolean {
	return isSecretUri(pathToFileURL(file).href) || isSecretUri(pathToFileURL(file.normalize("NFKC")).href);
}

function isWithin(folder: string, file: string): boolean {
	const way = path.relative(folder, file);
	return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** From the top of the workspace, as people and rules write it. */
export function displayPath(root: string, file: string): string {
	if (!isWithin(root, file)) return file.replaceAll(path.sep, "/");
	return path.relative(root, file).replaceAll(path.sep, "/") || ".";
}

/** What has to be allowed before something is done at a place: under its name, and under that of where a link leads. */
export function permissionsFor(kind: PermissionKind, { name, realName }: ResolvedPath): readonly Permission[] {
	return [...new Set([name, realName])].map((subject) => ({ kind, subject }));
}

/** Whether something is of git's own files, under any of the names that some file system takes for the same. */
export function isGitFile({ path: file, real }: ResolvedPath): boolean {
	return [file, real].some((one) => one.split(path.sep).some((name) => GIT.test(name.normalize("NFKC"))));
}

const GIT = /^(?:\.git|git~\d+)[. ]*$/i;
