import * as vscode from "vscode";
import type { Plugin } from "./plugin.js";
import { openSettings, SNOOZE_MINUTES } from "./settings.js";
import { GHOST_ACCEPTED } from "./suggestion-view.js";

/** Registers the extension's commands. */
export function registerCommands(plugin: Plugin, extensionId: string): vscode.Disposable {
	const commands: Readonly<Record<string, () => unknown>> = {
		"segue.suggest": () => plugin.suggest(),
		"segue.tab": () => plugin.tab(),
		"segue.acceptWord": () => plugin.accept("word"),
		"segue.acceptLine": () => plugin.accept("line"),
		"segue.dismiss": () => plugin.dismiss(),
		[GHOST_ACCEPTED]: () => plugin.didAcceptGhost(),
		"segue.showSuggestion": () => plugin.showText(),
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
		plugin.isSnoozed
			? { label: "$(clock) End the snooze", run: () => plugin.snooze(0) }
			: { label: "$(clock) Snooze", run: () => chooseSnooze(plugin) },
		{ label: isEnabled() ? "$(circle-slash) Turn suggestions off" : "$(check) Turn suggestions on", run: toggle },
		{ label: "$(gear) Settings", run: () => openSettings("segue") },
		{ label: "$(debug-restart) Restart the agent", run: () => plugin.restart() },
		{ label: "$(output) Show the log", run: () => plugin.log.show() },
	];
	const chosen = await vscode.window.showQuickPick(items, { title: "Segue" });
	await chosen?.run();
}

async function chooseSnooze(plugin: Plugin): Promise<void> {
	const choices = SNOOZE_MINUTES.map((minutes) => ({ label: `${minutes} minutes`, minutes }));
	const chosen = await vscode.window.showQuickPick([...choices, { label: "End the snooze", minutes: 0 }], {
		title: "Snooze suggestions",
	});
	if (chosen !== undefined) await plugin.snooze(chosen.minutes);
}

async function explain(plugin: Plugin): Promise<void> {
	const chosen = await vscode.window.showInformationMessage(plugin.status.sentence, "Settings", "Show Log");
	if (chosen === "Settings") await openSettings("segue");
	else if (chosen === "Show Log") plugin.log.show();
}

/** Returns the settings for the language and folder of the active editor. */
function activeSettings(): vscode.WorkspaceConfiguration {
	return vscode.workspace.getConfiguration("segue.nextEdit", vscode.window.activeTextEditor?.document);
}

function isEnabled(): boolean {
	return activeSettings().get("enabled", true);
}

/** Turns suggestions on or off where the setting in effect is set, because any other value would change nothing. */
async function toggle(): Promise<void> {
	const settings = activeSettings();
	const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
	const set = settings.inspect("enabled");
	// A value for a language takes precedence over all others.
	const places = [
		{ value: set?.workspaceFolderLanguageValue, target: WorkspaceFolder, isForLanguage: true },
		{ value: set?.workspaceLanguageValue, target: Workspace, isForLanguage: true },
		{ value: set?.globalLanguageValue, target: Global, isForLanguage: true },
		{ value: set?.workspaceFolderValue, target: WorkspaceFolder, isForLanguage: false },
		{ value: set?.workspaceValue, target: Workspace, isForLanguage: false },
	];
	const { target, isForLanguage } = places.find(({ value }) => value !== undefined) ?? {
		target: Global,
		isForLanguage: false,
	};
	await settings.update("enabled", !settings.get("enabled", true), target, isForLanguage);
}

const SAMPLE = `const cnt = 3

function report() {
  console.log("items:", cnt)
  return cnt > 0
}

// cnt is selected: type count.
// Then press Tab for each use.
`;

async function openSample(): Promise<void> {
	const document = await vscode.workspace.openTextDocument({ language: "javascript", content: SAMPLE });
	const editor = await vscode.window.showTextDocument(document);
	editor.selection = new vscode.Selection(new vscode.Position(0, 6), new vscode.Position(0, 9));
}
