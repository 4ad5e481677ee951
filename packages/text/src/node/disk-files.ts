import type { Stats } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FILE_BYTES_MAX, type Files } from "../privacy/privacy.js";
import { isMisleading, namesBelow } from "../uri-path.js";
import { openReal } from "./open-real.js";

/** An editor's workspace folders. */
interface Workspace {
	readonly folders: readonly { readonly uri: string }[];
}

/** Accesses files on disk by `file:` URIs, for editors without their own file access. */
export function diskFiles(workspace: () => Workspace): Files {
	return { ...resolvedFiles(workspace), resolve };
}

/** Like `diskFiles`, but for callers that resolve links themselves and check whole folder trees. */
export function resolvedFiles(workspace: () => Workspace): Files {
	return { read: async (uri) => read(uri, workspace()), readRules, list };
}

/** Follows links. Rejects if a link is dangling or a folder cannot be entered. */
async function resolve(uri: string): Promise<string> {
	if (!/^file:/i.test(uri)) return uri;
	const missing: string[] = [];
	for (let at = fileURLToPath(uri); ; at = path.dirname(at)) {
		try {
			return pathToFileURL(path.join(await realpath(at), ...missing)).href;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT" || (await isLink(at))) throw error;
			missing.unshift(path.basename(at));
		}
	}
}

async function isLink(file: string): Promise<boolean> {
	try {
		return (await lstat(file)).isSymbolicLink();
	} catch {
		return false; // does not exist
	}
}

/**
 * Reads a file without following links below the workspace folder; such links are not listed either. The folder itself
 * may be a link.
 */
async function read(uri: string, { folders }: Workspace): Promise<string | undefined> {
	const depths = folders.flatMap((folder) => namesBelow(folder.uri, uri)?.length ?? []);
	if (depths.length === 0 || isMisleading(uri)) return undefined;
	try {
		const file = fileURLToPath(uri);
		const top = path.resolve(file, ...Array<string>(Math.min(...depths)).fill(".."));
		await using handle = await openReal(path.join(await realpath(top), path.relative(top, file)));
		if (handle === undefined || (await handle.stat()).size > FILE_BYTES_MAX) return undefined;
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await handle.readFile());
	} catch {
		return undefined; // missing, unreadable, not UTF-8, or not a file URI
	}
}

async function readRules(uri: string): Promise<string | undefined> {
	const file = fileOf(uri);
	const found = file === undefined ? undefined : await statOf(file);
	if (file === undefined || !found?.isFile()) return undefined;
	if (found.size > FILE_BYTES_MAX) throw new RangeError(`${file} is too large to read`);
	return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readFile(file));
}

function fileOf(uri: string): string | undefined {
	try {
		return fileURLToPath(uri);
	} catch {
		return undefined;
	}
}

/** Returns undefined only if the file certainly does not exist. */
async function statOf(file: string): Promise<Stats | undefined> {
	try {
		return await stat(file);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw error;
	}
}

async function list(uri: string): Promise<readonly { readonly uri: string; readonly isFolder: boolean }[]> {
	const folder = fileURLToPath(uri);
	const entries = await readdir(folder, { withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile() || entry.isDirectory())
		.map((entry) => ({ uri: pathToFileURL(path.join(folder, entry.name)).href, isFolder: entry.isDirectory() }));
}
