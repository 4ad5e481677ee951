import { memoryPair } from "@segue/rpc";
import { serveAcp } from "@segue/server/acp/acp-server";
import type * as vscode from "vscode";
import { registerCommands } from "./commands.js";
import { Plugin } from "./plugin.js";
import { virtualFiles } from "./virtual-files.js";

// The extension in a browser, for example on vscode.dev. VS Code runs it in a worker, so the agent can run there too.

let plugin: Plugin | undefined;

/** Called by VS Code when it has started. */
export function activate({ extension, extensionUri, subscriptions }: vscode.ExtensionContext): void {
	const version = String(extension.packageJSON.version);
	plugin = new Plugin({
		extensionUri,
		version,
		files: virtualFiles,
		kinds: () => ["jump"],
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
