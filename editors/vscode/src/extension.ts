import { existsSync } from "node:fs";
import path from "node:path";
import type { EditorOptions } from "@segue/editor";
import { agentProcess, diskFiles } from "@segue/editor/node";
import * as vscode from "vscode";
import { registerCommands } from "./commands.js";
import { Plugin } from "./plugin.js";
import { agentCommand } from "./settings.js";
import { anyFiles } from "./virtual-files.js";

let plugin: Plugin | undefined;

/** Called by VS Code when it has started. */
export function activate({ extension, extensionUri, extensionPath, subscriptions }: vscode.ExtensionContext): void {
	plugin = new Plugin({
		extensionUri,
		version: String(extension.packageJSON.version),
		files: (workspace) => anyFiles(diskFiles(workspace), workspace),
		// Segue's own engine suggests a rename when the declaration has already changed. Language servers then refuse.
		kinds: () => (agentCommand().length === 0 ? ["jump"] : ["jump", "rename"]),
		connect: () => {
			const command = agentCommand();
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

/**
 * Returns a function that starts the agent that comes with the extension, with the Node of VS Code, or another agent
 * from the settings.
 */
function startAgent(
	extensionFolder: string,
	command: readonly string[],
	cwd: string | undefined,
): EditorOptions["connect"] {
	const [program, ...args] = command;
	if (program !== undefined) return agentProcess(program, args, cwd === undefined ? {} : { cwd });
	const script = path.join(extensionFolder, "dist", "agent", "segue.js");
	// VS Code's program runs scripts like Node with this variable.
	const env = { ELECTRON_RUN_AS_NODE: "1" };
	const start = agentProcess(process.execPath, [script, "acp"], cwd === undefined ? { env } : { env, cwd });
	return () => {
		if (!existsSync(script)) throw new Error("The agent is missing from the extension. Install the extension again.");
		return start();
	};
}
