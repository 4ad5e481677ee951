import type { EditorWorkspace, Files } from "@segue/editor";
import { isVirtualUri, namesBelow } from "@segue/text";
import * as vscode from "vscode";

/**
 * Accesses files on any file system that VS Code knows, in the workspace folders only: a virtual folder is usually a
 * whole repository, and many of these file systems have nothing above it.
 */
export function virtualFiles(workspace: () => EditorWorkspace): Files {
	const { fs } = vscode.workspace;
	const bytesIn = async (uri: string) => {
		const isInside = workspace().folders.some((folder) => namesBelow(folder.uri, uri) !== undefined);
		return isInside ? bytesOf(uri) : undefined;
	};
	return {
		read: async (uri) => {
			const bytes = await bytesIn(uri);
			try {
				return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
			} catch {
				return undefined; // not text
			}
		},
		readRules: async (uri) => {
			const bytes = await bytesIn(uri);
			return bytes && new TextDecoder().decode(bytes);
		},
		list: async (uri) => {
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

/** Reads a file. Resolves to undefined if it does not exist or is a folder. */
async function bytesOf(uri: string): Promise<Uint8Array | undefined> {
	try {
		return await vscode.workspace.fs.readFile(vscode.Uri.parse(uri, true));
	} catch (error) {
		if (error instanceof vscode.FileSystemError && NO_FILE.has(error.code)) return undefined;
		throw error;
	}
}

const NO_FILE = new Set(["FileNotFound", "FileIsADirectory", "FileNotADirectory"]);

/** Accesses virtual files with VS Code and all others with `disk`. */
export function anyFiles(disk: Files, workspace: () => EditorWorkspace): Files {
	const virtual = virtualFiles(workspace);
	const filesFor = (uri: string) => (isVirtualUri(uri) ? virtual : disk);
	return {
		read: (uri) => filesFor(uri).read(uri),
		readRules: async (uri) => filesFor(uri).readRules?.(uri),
		resolve: async (uri) => (await disk.resolve?.(uri)) ?? uri,
		list: (uri) => filesFor(uri).list(uri),
	};
}
