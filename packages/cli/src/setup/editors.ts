import path from "node:path";
import { type EditorSetup, inApplicationData, inConfig, json } from "./editor-setup.js";
import { EMACS_SETUPS } from "./emacs.js";
import { NEOVIM_SETUPS } from "./neovim.js";
import { VSCODE_SETUPS } from "./vscode.js";

/** The default servers of Helix 25.07 for each language, from `hx --health`. */
const HELIX_LANGUAGES: readonly (readonly [string, readonly string[]])[] = [
	["c", ["clangd"]],
	["cpp", ["clangd"]],
	["c-sharp", ["roslyn-language-server", "omnisharp", "csharp-ls"]],
	["go", ["gopls", "golangci-lint-lsp"]],
	["java", ["jdtls"]],
	["javascript", ["typescript-language-server"]],
	["jsx", ["typescript-language-server"]],
	["php", ["intelephense"]],
	["python", ["ty", "ruff", "jedi", "pylsp", "zuban"]],
	["ruby", ["ruby-lsp", "solargraph"]],
	["rust", ["rust-analyzer"]],
	["tsx", ["typescript-language-server"]],
	["typescript", ["typescript-language-server"]],
];

/** All setups, grouped by editor. Editors with several setups have a file of their own. */
export const EDITOR_SETUPS: readonly EditorSetup[] = [
	...VSCODE_SETUPS,
	...NEOVIM_SETUPS,
	...EMACS_SETUPS,
	{
		editor: "helix",
		title: "Helix",
		gives: ["next edits"],
		tested: "Helix 25.07.1",
		language: "toml",
		files: (user) => [inConfig(user, "helix", "languages.toml")],
		text: ([program = "", ...args]) => {
			const languages = HELIX_LANGUAGES.map(([name, servers]) => {
				return `[[language]]\nname = ${JSON.stringify(name)}\nlanguage-servers = ${tomlList([...servers, "segue"])}`;
			});
			return `[language-server.segue]
command = ${JSON.stringify(program)}
args = ${tomlList([...args, "lsp"])}

# A list of servers replaces Helix's own list, so each entry repeats it.
${languages.join("\n\n")}`;
		},
		notes: [
			"`Space a` lists code actions: the next edit, in this file or another, and whole renames. Enter applies the selected one.",
			"Nothing is shown until you open this menu. “Dismiss next edit” in it dismisses the edit.",
			"For another language, add an entry with `segue` and the servers that `hx --health LANGUAGE` lists.",
		],
	},
	{
		editor: "zed",
		title: "Zed",
		gives: ["next edits", "chat"],
		tested: undefined,
		language: "json",
		files: (user) => [inConfig(user, user.platform === "win32" ? "Zed" : "zed", "settings.json")],
		text: (command) =>
			json({
				agent_servers: { Segue: { type: "custom", ...acpServer(command) } },
				edit_predictions: {
					provider: "open_ai_compatible_api",
					open_ai_compatible_api: {
						api_url: "http://127.0.0.1:4747/v1/completions",
						model: "segue",
						prompt_format: "zeta2_1",
						max_output_tokens: 512,
					},
				},
			}),
		notes: [
			"Edit predictions need `segue serve --completions`: keep it running while you use Zed. If it prints a port other than 4747, change `api_url`.",
			"Tab or Alt+L accepts a prediction, and Esc dismisses it. Predictions are only in the current file.",
			"Segue is also an agent in the agent panel, for chat.",
		],
	},
	{
		editor: "kate",
		title: "Kate",
		gives: ["next edits"],
		tested: undefined,
		language: "json",
		files: (user) => [inConfig(user, "kate", "lspclient", "settings.json")],
		text: (command) => {
			const server = (mode: string) => ({ command: [...command, "lsp"], root: "", highlightingModeRegex: mode });
			return json({
				servers: { javascript: server("^JavaScript.*$"), typescript: server("^TypeScript.*$") },
			});
		},
		notes: [
			"Enable the plugin LSP Client in Kate's settings. You can also edit the file there, under LSP Client, User Server Settings.",
			"Kate runs one server per language, so an entry replaces the language's own server. Add an entry for each language in which you want to use Segue.",
			"“Code Action” in the LSP Client menu lists the next edit, in this file or another, and whole renames.",
		],
	},
	{
		editor: "sublime",
		title: "Sublime Text, LSP package",
		gives: ["next edits"],
		tested: undefined,
		language: "json",
		files: (user) => [
			inApplicationData(user, "Sublime Text", "sublime-text", "Packages", "User", "LSP.sublime-settings"),
		],
		text: (command) =>
			json({ clients: { segue: { enabled: true, command: [...command, "lsp"], selector: "source" } } }),
		notes: [
			"Install the package LSP with Package Control.",
			"“LSP: Code Action” in the command palette lists the next edit, in this file or another, and whole renames.",
		],
	},
	{
		editor: "jetbrains",
		title: "JetBrains IDEs, AI Assistant",
		gives: ["chat"],
		nextEditsWith: "LSP4IJ",
		tested: undefined,
		language: "json",
		files: ({ home }) => [path.join(home, ".jetbrains", "acp.json")],
		text: (command) => json({ agent_servers: { Segue: { ...acpServer(command), env: {} } } }),
		notes: [
			"With this configuration, Segue is an agent in AI Chat. AI Assistant does not support next edits over ACP.",
			"For next edits, install the plugin LSP4IJ and add a server with the command `segue lsp` to it. It offers them on request, as code actions.",
		],
	},
];

function acpServer([command = "", ...args]: readonly string[]) {
	return { command, args: [...args, "acp"] };
}

/** JSON strings are valid TOML strings. */
function tomlList(words: readonly string[]): string {
	return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}
