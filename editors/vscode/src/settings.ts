import * as vscode from "vscode";

/** VS Code's settings that are options of a next-edit session, with the option's id in the agent. */
const SESSION_OPTIONS = {
	eagerness: "nes_eagerness",
	delayMs: "nes_delay_ms",
	onlyWhenAsked: "nes_only_when_asked",
	offInCommentsAndStrings: "nes_off_in_comments_and_strings",
	giveUpAfterIgnored: "nes_give_up_after_ignored",
	model: "nes_model",
} as const;

export const SNOOZE_OPTION = "nes_snooze_minutes";
export const SNOOZE_MINUTES = [5, 15, 60];

interface OptionValue {
	/** The name of the setting. */
	readonly setting: string;
	readonly configId: string;
	readonly value: string;
}

/** Returns the settings that the user has set. Segue's configuration file decides about the others. */
export function sessionOptions(): OptionValue[] {
	const settings = vscode.workspace.getConfiguration("segue.nextEdit");
	return Object.entries(SESSION_OPTIONS).flatMap(([key, configId]) => {
		const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect(key) ?? {};
		if ([globalValue, workspaceValue, workspaceFolderValue].every((value) => value === undefined)) return [];
		return [{ setting: `segue.nextEdit.${key}`, configId, value: optionText(settings.get(key)) }];
	});
}

function optionText(value: unknown): string {
	return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

/** The reason why suggestions are off in a document; undefined if they are on. */
export function documentOffReason(
	document: vscode.TextDocument,
): "disabled" | "off-in-language" | "off-in-file" | undefined {
	const settings = vscode.workspace.getConfiguration("segue.nextEdit", document);
	if (!settings.get("enabled", true)) return "disabled";
	if (settingStrings(settings.get("offInLanguages")).includes(document.languageId)) return "off-in-language";
	const globs = settingStrings(settings.get("offInFiles"));
	// A glob without a slash applies in every folder.
	const isOff = globs.some((glob) => {
		return (
			vscode.languages.match({ pattern: glob.includes("/") ? relative(glob, document) : `**/${glob}` }, document) > 0
		);
	});
	return isOff ? "off-in-file" : undefined;
}

function relative(glob: string, document: vscode.TextDocument): vscode.GlobPattern {
	const folder = vscode.workspace.getWorkspaceFolder(document.uri);
	return folder === undefined ? glob : new vscode.RelativePattern(folder, glob.replace(/^\//, ""));
}

/** Returns the command line of another agent; empty if there is none. */
export function agentCommand(): string[] {
	return settingStrings(vscode.workspace.getConfiguration("segue").get("agent"));
}

/** Whether the settings name a model or another agent, which may use one. */
export function mayUseModel(): boolean {
	const model = vscode.workspace.getConfiguration("segue.nextEdit").get("model", "embedded");
	return model !== "embedded" || agentCommand().length > 0;
}

/** Shows the settings that match some text. */
export function openSettings(text: string): Thenable<unknown> {
	return vscode.commands.executeCommand("workbench.action.openSettings", text);
}

/** Returns the strings in a setting. VS Code does not check the types of settings. */
function settingStrings(setting: unknown): string[] {
	return Array.isArray(setting) ? setting.filter((each) => typeof each === "string") : [];
}
