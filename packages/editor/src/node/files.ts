import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Files } from "../host.js";

// What is larger was not written by hand, and would only be in the way of what was.
const FILE_BYTES_MAX = 8 * 2 ** 20;

/** The files on disk, under `file:` uris, where the editor has no way of its own to them. */
export function diskFiles(): Files {
	return { read, list };
}

async function read(uri: string): Promise<string | undefined> {
	try {
		const file = fileURLToPath(uri);
		const found = await stat(file);
		if (!found.isFile() || found.size > FILE_BYTES_MAX) return undefined;
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
	} catch {
		return undefined; // gone, not ours to read, not UTF-8, or no file's uri
	}
}

async function list(uri: string): Promise<readonly { readonly uri: string; readonly isFolder: boolean }[]> {
	const folder = fileURLToPath(uri);
	const entries = await readdir(folder, { withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile() || entry.isDirectory())
		.map((entry) => ({ uri: pathToFileURL(path.join(folder, entry.name)).href, isFolder: entry.isDirectory() }));
}
