import { type EditorSetup, ecaScript, inApplicationData, json, type UserPlatform } from "./editor-setup.js";

export const VSCODE_SETUPS: readonly EditorSetup[] = [
	{
		editor: "vscode",
		title: "VS Code, Segue's extension",
		gives: ["next edits"],
		tested: "VS Code 1.139 (code-server 4.139.1)",
		language: "json",
		files: vscodeFiles,
		text: (command) => json({ "segue.agent": [...command, "acp"] }),
		steps: [
			"Install the extension. In a clone of Segue: `npm run install:vscode`",
			"In VS Code, run “Segue: Open the Walkthrough” from the command palette.",
		],
		notes: [
			"Suggestions appear anywhere in the file. Tab goes to a suggestion out of view or in another file, Tab again accepts it, and Esc dismisses it. Alt+\\ requests one.",
			"The status bar says why there is no suggestion. Select it to snooze suggestions or turn them off.",
			"The extension contains an agent. To start this `segue` instead, run `segue setup editor vscode --yes`, which adds a setting.",
		],
	},
	{
		editor: "vscode",
		plugin: "eca-vscode",
		title: "VS Code, ECA",
		gives: ["chat"],
		tested: "VS Code 1.139 (code-server 4.139.1) and eca-vscode 0.52.0",
		language: "json",
		files: vscodeFiles,
		text: (_command, script) => json({ "eca.serverPath": script }),
		script: ecaScript,
		notes: [
			"Install the extension `editor-code-assistant.eca`.",
			"The ECA icon in the activity bar opens the chat. Enter sends the prompt.",
			"Before a change or a command, the chat asks you: Accept, Accept and remember, or Reject.",
			"The path must be absolute, because VS Code does not expand `~`.",
		],
	},
	{
		editor: "vscode",
		plugin: "glspc",
		title: "VS Code, Generic LSP Client (v2)",
		gives: ["next edits"],
		tested: undefined,
		language: "json",
		files: vscodeFiles,
		text: ([program = "", ...args]) =>
			json({
				"glspc.server.command": program,
				"glspc.server.commandArguments": [...args, "lsp"],
				"glspc.server.languageId": VSCODE_LANGUAGES,
			}),
		notes: [
			"VS Code has no generic LSP client. Install the extension `zsol.vscode-glspc`.",
			"Quick Fix (Ctrl+.) lists the next edit, in this file or another, and whole renames.",
		],
	},
];

const VSCODE_LANGUAGES = [
	"c",
	"cpp",
	"csharp",
	"go",
	"java",
	"javascript",
	"javascriptreact",
	"php",
	"python",
	"ruby",
	"rust",
	"typescript",
	"typescriptreact",
];

function vscodeFiles(user: UserPlatform): string[] {
	return [inApplicationData(user, "Code", "Code", "User", "settings.json")];
}
