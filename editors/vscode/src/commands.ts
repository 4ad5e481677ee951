import * as vscode from "vscode";
import type { Plugin } from "./plugin.js";

/** Registers the extension's commands. */
export function registerCommands(plugin: Plugin, extensionId: string): vscode.Disposable {
	const commands: Readonly<Record<string, () => unknown>> = {
		"segue.suggest": () => plugin.suggest(),
		"segue.tab": () => plugin.tab(),
		"segue.acceptWord": () => plugin.accept("word"),
		"segue.acceptLine": () => plugin.accept("line"),
		"segue.dismiss": () => plugin.dismiss(),
		"segue.showMenu": () => showMenu(plugin),
		"segue.toggle": () => toggle(),
		"segue.snooze": () => chooseSnooze(plugin),
		"segue.why": () => explain(plugin),
		"segue.restart": () => plugin.restart(),
		"segue.openSample": () => openSample(),
		"segue.openWalkthrough": () => {
			return vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extensionId}#start`);
		},
	};
	const registered = Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
	return vscode.Disposable.from(...registered);
}

interface MenuItem extends vscode.QuickPickItem {
	readonly run: () => unknown;
}

async function showMenu(plugin: Plugin): Promise<void> {
	const items: MenuItem[] = [
		{ label: "$(question) Why", detail: plugin.status.sentence, run: () => explain(plugin) },
		{ label: "$(sparkle) Request a suggestion", description: "Alt+\\", run: () => plugin.suggest() },
		{ label: "$(clock) Snooze", run: () => chooseSnooze(plugin) },
		{ label: isEnabled() ? "$(circle-slash) Turn suggestions off" : "$(check) Turn suggestions on", run: toggle },
		{ label: "$(gear) Settings", run: openSettings },
		{ label: "$(debug-restart) Restart the agent", run: () => plugin.restart() },
		{ label: "$(output) Show the log", run: () => plugin.log.show() },
	];
	const chosen = await vscode.window.showQuickPick(items, { title: "Segue" });
	await chosen?.run();
}

async function chooseSnooze(plugin: Plugin): Promise<void> {
	const choices = [5, 15, 60].map((minutes) => ({ label: `${minutes} minutes`, minutes }));
	const chosen = await vscode.window.showQuickPick([...choices, { label: "End the snooze", minutes: 0 }], {
		title: "Snooze suggestions",
	});
	if (chosen !== undefined) await plugin.snooze(chosen.minutes);
}

async function explain(plugin: Plugin): Promise<void> {
	const chosen = await vscode.window.showInformationMessage(plugin.status.sentence, "Settings", "Show Log");
	if (chosen === "Settings") await openSettings();
	else if (chosen === "Show Log") plugin.log.show();
}

function openSettings(): Thenable<unknown> {
	return vscode.commands.executeCommand("workbench.action.openSettings", "segue");
}

function isEnabled(): boolean {
	return vscode.workspace.getConfiguration("segue.nextEdit").get("enabled", true);
}

async function toggle(): Promise<void> {
	const settings = vscode.workspace.getConfiguration("segue.nextEdit");
	await settings.update("enabled", !isEnabled(), vscode.ConfigurationTarget.Global);
}

const SAMPLE = `const cnt = 3

function report() {
  console.log("items:", cnt)
  return cnt > 0
}

// Rename cnt to count in the first line. Then press Tab.
`;

async function openSample(): Promise<void> {
	const document = await vscode.workspace.openTextDocument({ language: "javascript", content: SAMPLE });
	const editor = await vscode.window.showTextDocument(document);
	editor.selection = new vscode.Selection(0, 6, 0, 9);
}
