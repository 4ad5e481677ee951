import * as vscode from "vscode";
import { startAgent } from "./bundled-agent.js";
import { registerCommands } from "./commands.js";
import { Plugin } from "./plugin.js";

let plugin: Plugin | undefined;

/** Called by VS Code when it has started. */
export function activate({ extension, extensionUri, extensionPath, subscriptions }: vscode.ExtensionContext): void {
	plugin = new Plugin({
		extensionUri,
		version: String(extension.packageJSON.version),
		connect: () => {
			const command = vscode.workspace.getConfiguration("segue").get<string[]>("agent", []);
			const [folder] = vscode.workspace.workspaceFolders ?? [];
			const cwd = folder?.uri.scheme === "file" ? folder.uri.fsPath : undefined;
			return startAgent(extensionPath, command, cwd)();
		},
	});
	subscriptions.push(registerCommands(plugin, extension.id));
}

/** Called by VS Code before it ends. */
export async function deactivate(): Promise<void> {
	await plugin?.close();
}
