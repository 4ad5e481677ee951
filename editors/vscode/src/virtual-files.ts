import type { EditorWorkspace, Files } from "@segue/editor";
import { isMisleading, isVirtualUri, namesBelow, Path } from "@segue/text";
import { FILE_BYTES_MAX } from "@segue/text/privacy";
import * as vscode from "vscode";

/**
 * Accesses files on any file system that VS Code knows, in the workspace folders only: a virtual folder is usually a
 * whole repository, and many of these file systems have nothing above it. VS Code does not say where a link leads, so
 * links are not followed, except to ignore files.
 */
export function virtualFiles(workspace: () => EditorWorkspace): Files {
	const { fs } = vscode.workspace;
	/** Returns a file and the folders above it, up to the workspace folder. Undefined outside the workspace. */
	const statsOf = async (uri: string) => {
		const depths = workspace().folders.flatMap((folder) => namesBelow(folder.uri, uri)?.length ?? []);
		if (depths.length === 0 || isMisleading(uri)) return undefined;
		const stats: Promise<vscode.FileStat | undefined>[] = [];
		let path = Path.of(uri);
		for (let left = Math.min(...depths); left > 0 && path !== undefined; left--) {
			stats.push(statOf(path.uri));
			path = path.above;
		}
		return Promise.all(stats);
	};
	return {
		read: async (uri) => {
			const stats = await statsOf(uri);
			const found = stats?.[0];
			if (found?.type !== vscode.FileType.File || stats?.some(isLink) || found.size > FILE_BYTES_MAX) return undefined;
			const bytes = await fs.readFile(vscode.Uri.parse(uri, true));
			try {
				return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
			} catch {
				return undefined; // not text
			}
		},
		readRules: async (uri) => {
			const found = (await statsOf(uri))?.[0];
			if (found === undefined || (found.type & vscode.FileType.File) === 0) return undefined;
			if (found.size > FILE_BYTES_MAX) throw new RangeError(`${uri} is too large to read`);
			return new TextDecoder().decode(await fs.readFile(vscode.Uri.parse(uri, true)));
		},
		resolve: async (uri) => {
			if ((await statsOf(uri))?.some(isLink)) throw new Error(`${uri} is a link or in a folder that is a link`);
			return uri;
		},
		list: async (uri) => {
			const stats = await statsOf(uri);
			if (stats === undefined || stats.some(isLink)) return [];
			const folder = vscode.Uri.parse(uri, true);
			const entries = await fs.readDirectory(folder);
			return entries
				.filter(([, type]) => (type & vscode.FileType.SymbolicLink) === 0)
				.map(([name, type]) => ({
					uri: vscode.Uri.joinPath(folder, name).toString(),
					isFolder: type === vscode.FileType.Directory,
				}));
		},
	};
}

/** Resolves to undefined only if there is certainly no file or folder. */
async function statOf(uri: string): Promise<vscode.FileStat | undefined> {
	try {
		return await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
	} catch (error) {
		if (error instanceof vscode.FileSystemError && NO_FILE.has(error.code)) return undefined;
		throw error;
	}
}

const NO_FILE = new Set(["FileNotFound", "FileNotADirectory"]);

function isLink(found: vscode.FileStat | undefined): boolean {
	return found !== undefined && (found.type & vscode.FileType.SymbolicLink) !== 0;
}

/** Accesses virtual files with VS Code and all others with `disk`. */
export function anyFiles(disk: Files, workspace: () => EditorWorkspace): Files {
	const virtual = virtualFiles(workspace);
	const filesFor = (uri: string) => (isVirtualUri(uri) ? virtual : disk);
	return {
		read: (uri) => filesFor(uri).read(uri),
		readRules: async (uri) => filesFor(uri).readRules?.(uri),
		resolve: async (uri) => (await filesFor(uri).resolve?.(uri)) ?? uri,
		list: (uri) => filesFor(uri).list(uri),
	};
}
