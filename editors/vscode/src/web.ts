import type { Files } from "@segue/editor";
import { memoryPair } from "@segue/rpc";
import { serveAcp } from "@segue/server/acp/acp-server";
import * as vscode from "vscode";
import { registerCommands } from "./commands.js";
import { Plugin } from "./plugin.js";

// The extension in a browser, for example on vscode.dev. VS Code runs it in a worker, so the agent can run there too.

let plugin: Plugin | undefined;

/** Called by VS Code when it has started. */
export function activate({ extension, extensionUri, subscriptions }: vscode.ExtensionContext): void {
	const version = String(extension.packageJSON.version);
	plugin = new Plugin({
		extensionUri,
		version,
		files: virtualFiles,
		connect: () => {
			const [ours, theirs] = memoryPair();
			serveAcp(theirs, { version, sync: "events", report: ({ text }) => plugin?.log.warn(text) });
			return ours;
		},
	});
	subscriptions.push(registerCommands(plugin, extension.id));
}

/** Called by VS Code before it ends. */
export async function deactivate(): Promise<void> {
	await plugin?.close();
}

/** Accesses files on any file system that VS Code knows. */
function virtualFiles(): Files {
	const { fs } = vscode.workspace;
	return {
		read: async (uri) => {
			const bytes = await bytesOf(uri);
			try {
				return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
			} catch {
				return undefined; // not text
			}
		},
		readRules: async (uri) => {
			const bytes = await bytesOf(uri);
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
