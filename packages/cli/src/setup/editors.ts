import path from "node:path";

/** How to configure an editor, or one of its plugins, for Segue. */
export interface EditorSetup {
	/** The name on the command line. */
	readonly editor: string;
	/** The plugin, for editors with several setups. The first setup of an editor is the default. */
	readonly plugin?: string;
	readonly title: string;
	readonly gives: readonly EditorFeature[];
	/** The versions that were tested in `editors/trials`; undefined if the setup is based only on documentation. */
	readonly tested: string | undefined;
	readonly language: "elisp" | "json" | "lua" | "toml";
	/** Possible files for the configuration. The first one that exists is used; if none exists, the last one. */
	readonly files: (user: UserPlatform) => readonly string[];
	/** Returns the configuration. `command` starts Segue, without the subcommand; `script` is the script's path, if any. */
	readonly text: (command: readonly string[], script?: string) => string;
	/** A script that starts Segue, for plugins that accept only a program's path. */
	readonly script?: (user: UserPlatform, command: readonly string[]) => EditorScript;
	readonly notes: readonly string[];
}

type EditorFeature = "next edits" | "chat";

interface EditorScript {
	readonly file: string;
	readonly text: string;
}

/** Determines where an editor keeps its configuration. */
export interface UserPlatform {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly platform: NodeJS.Platform;
}

const NEOVIM_NOTES = {
	trigger: "In another file, a suggestion appears after your first edit there.",
	actions: "`gra` in normal mode lists code actions: next edits in other files, and whole renames.",
};

/** All setups, grouped by editor. */
export const EDITOR_SETUPS: readonly EditorSetup[] = [
	{
		editor: "neovim",
		title: "Neovim, built-in inline completion",
		gives: ["next edits"],
		tested: "Neovim 0.12.4",
		language: "lua",
		files: ownNeovimFile,
		text: (command) => `vim.lsp.config("segue", {
  cmd = ${luaList([...command, "lsp"])},
  root_markers = { ".git" },
})
vim.lsp.enable("segue")
vim.lsp.inline_completion.enable()

-- Tab accepts the suggestion on the cursor's line.
vim.keymap.set("i", "<Tab>", function()
  if not vim.lsp.inline_completion.get() then
    return "<Tab>"
  end
end, { expr = true, desc = "Accept the suggestion" })`,
		notes: [
			"Needs Neovim 0.12.",
			"Suggestions appear on the cursor's line in insert mode. To get the next one, move to the line to change and press `i`. Tab accepts, and leaving insert mode dismisses.",
			NEOVIM_NOTES.actions,
		],
	},
	{
		editor: "neovim",
		plugin: "sidekick",
		title: "Neovim, sidekick.nvim",
		gives: ["next edits"],
		tested: "Neovim 0.12.4 and sidekick.nvim 8ad0ede",
		language: "lua",
		files: ownNeovimFile,
		text: (command) => `-- sidekick.nvim uses servers with "copilot" in their name.
vim.lsp.config("segue_copilot", {
  cmd = ${luaList([...command, "lsp"])},
  root_markers = { ".git" },
})
vim.lsp.enable("segue_copilot")

-- Tab goes to the suggestion, and accepts it there.
vim.keymap.set("n", "<Tab>", function()
  if not require("sidekick").nes_jump_or_apply() then
    return "<Tab>"
  end
end, { expr = true, desc = "Go to the next edit, or accept it" })`,
		notes: [
			"Install sidekick.nvim with your plugin manager. A Copilot server is not needed.",
			"Suggestions appear in normal mode, anywhere in the file. Tab goes to the suggestion, Tab again accepts it, and Esc dismisses it.",
			"In another file, a suggestion appears after `:Sidekick nes update` or after your first edit there.",
			NEOVIM_NOTES.actions,
		],
	},
	{
		editor: "neovim",
		plugin: "copilot-lsp",
		title: "Neovim, copilot-lsp",
		gives: ["next edits"],
		tested: "Neovim 0.12.4 and copilot-lsp 1b6d827",
		language: "lua",
		files: ownNeovimFile,
		text: (command) => `vim.lsp.config("copilot_ls", {
  cmd = ${luaList([...command, "lsp"])},
})
vim.lsp.enable("copilot_ls")

-- Tab goes to the suggestion, and accepts it there. Esc dismisses it.
vim.keymap.set("n", "<Tab>", function()
  local nes = require("copilot-lsp.nes")
  if not vim.b.nes_state then
    return "<Tab>"
  end
  if not nes.walk_cursor_start_edit() and nes.apply_pending_nes() then
    nes.walk_cursor_end_edit()
  end
end, { expr = true, desc = "Go to the next edit, or accept it" })
vim.keymap.set("n", "<Esc>", function()
  require("copilot-lsp.nes").clear()
end, { desc = "Dismiss the next edit" })`,
		notes: [
			"Install copilot-lsp with your plugin manager. A Copilot server is not needed.",
			"Suggestions appear half a second after a change, anywhere in the file. In normal mode, Tab goes to the suggestion, Tab again accepts it, and Esc dismisses it.",
			NEOVIM_NOTES.trigger,
			NEOVIM_NOTES.actions,
		],
	},
	{
		editor: "neovim",
		plugin: "codecompanion",
		title: "Neovim, codecompanion.nvim",
		gives: ["chat"],
		tested: "Neovim 0.12.4 and codecompanion.nvim 19.22.0",
		language: "lua",
		files: neovimChatFile,
		text: (command) => `require("codecompanion").setup({
  adapters = {
    acp = {
      segue = function()
        -- goose is another ACP agent that needs no sign-in.
        return require("codecompanion.adapters").extend("goose", {
          name = "segue",
          formatted_name = "Segue",
          commands = { default = ${luaList([...command, "acp"])} },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "segue" } },
})`,
		notes: [
			"Install codecompanion.nvim and plenary.nvim with your plugin manager.",
			"`:CodeCompanionChat` opens the chat. Enter in normal mode sends the prompt, and so does Ctrl+S in insert mode.",
			"Before a change or a command, the chat lists your options. In normal mode, `gv` shows the change, `g2` accepts it once, `g1` always accepts, and `g3` rejects it.",
			"If your configuration already calls `setup` for codecompanion.nvim, add these lines to that call, because a second call replaces the first.",
			"In Debian's Neovim, codecompanion.nvim 19.22.0 fails with “attempt to yield across C-call boundary” for every ACP agent, because Debian's LuaJIT differs from the one in Neovim's own builds. The test works around this.",
		],
	},
	{
		editor: "neovim",
		plugin: "agentic",
		title: "Neovim, agentic.nvim",
		gives: ["chat"],
		tested: "Neovim 0.12.4 and agentic.nvim cea3f3e",
		language: "lua",
		files: neovimChatFile,
		text: ([program = "", ...args]) => `require("agentic").setup({
  provider = "segue",
  acp_providers = {
    segue = {
      name = "Segue",
      command = ${quoted(program)},
      args = ${luaList([...args, "acp"])},
      -- agentic.nvim passes on no other variables than these.
      env = vim.fn.environ(),
    },
  },
})
vim.keymap.set({ "n", "i" }, "<C-\\\\>", function()
  require("agentic").toggle()
end, { desc = "Open or close the chat" })`,
		notes: [
			"Install agentic.nvim with your plugin manager.",
			"Ctrl+\\ opens and closes the chat, with the current file attached. Wait for the heading with the session's number, then send the prompt with Ctrl+S.",
			"Before a change or a command, the chat lists your options. Press the number of an option. `i` returns to the prompt.",
		],
	},
	{
		editor: "neovim",
		plugin: "eca-nvim",
		title: "Neovim, eca-nvim",
		gives: ["chat"],
		tested: "Neovim 0.12.4 and eca-nvim 6161194",
		language: "lua",
		files: neovimChatFile,
		text: () => `require("eca").setup({
  server_path = vim.fn.expand("~/.local/bin/segue-eca"),
})`,
		script: ecaScript,
		notes: [
			"Install eca-nvim and nui.nvim with your plugin manager.",
			"`:EcaChat` opens the chat. Ctrl+S sends the prompt.",
			"Before a change or a command, a window asks you: `y` approves, `n` rejects.",
		],
	},
	{
		editor: "emacs",
		title: "Emacs, eglot",
		gives: ["next edits"],
		tested: "Emacs 30.2",
		language: "elisp",
		files: emacsFiles,
		text: (command) => `;; eglot runs one server per buffer. List the modes that should use Segue.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((js-mode js-ts-mode typescript-ts-mode tsx-ts-mode)
                 ${lispWords([...command, "lsp"])}))
  (define-key eglot-mode-map (kbd "C-c n") #'eglot-code-action-quickfix))
(add-hook 'js-base-mode-hook #'eglot-ensure)
(add-hook 'typescript-ts-base-mode-hook #'eglot-ensure)`,
		notes: [
			"`C-c n` lists the next edit, in this file or another, and whole renames. RET applies the next edit.",
			"Nothing is shown until you press it. “Dismiss next edit” in the same list dismisses the edit.",
			"eglot cannot run another server for the same buffer, for example for diagnostics. lsp-mode can.",
		],
	},
	{
		editor: "emacs",
		plugin: "lsp-mode",
		title: "Emacs, lsp-mode",
		gives: ["next edits"],
		tested: "Emacs 30.2 and lsp-mode 10.0.1",
		language: "elisp",
		files: emacsFiles,
		text: (command) => `(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :server-id 'segue
                    :new-connection (lsp-stdio-connection '(${lispWords([...command, "lsp"])}))
                    :activation-fn #'always
                    ;; Runs in addition to the language's own server.
                    :add-on? t))
  (define-key lsp-mode-map (kbd "C-c n") #'lsp-inline-completion-display))
(setq lsp-inline-completion-idle-delay 0.5)
(add-hook 'prog-mode-hook #'lsp-deferred)`,
		notes: [
			"Suggestions appear on the line after point: half a second after a change, or with `C-c n` on another line. C-RET accepts, C-g dismisses.",
			"`M-x lsp-execute-code-action` lists next edits on other lines and in other files, and whole renames.",
		],
	},
	{
		editor: "emacs",
		plugin: "copilot.el",
		title: "Emacs, copilot.el",
		gives: ["next edits"],
		tested: "Emacs 30.2 and copilot.el 0.9.0",
		language: "elisp",
		files: emacsFiles,
		text: ([program = "", ...args]) => `(setq copilot-server-executable ${lispWords([program])}
      copilot-server-args '(${lispWords([...args, "lsp"])}))
;; Only in files: text that Emacs writes into *scratch* would count as your edit.
(add-hook 'prog-mode-hook
          (lambda ()
            (when buffer-file-name
              (copilot-mode)
              (copilot-nes-mode))))`,
		notes: [
			"Install copilot.el as a package. The Copilot server and a GitHub account are not needed.",
			"Suggestions appear anywhere in the file after half a second. TAB goes to the suggestion, TAB again accepts it, and C-g dismisses it.",
			"In another file, a suggestion appears after your first edit there, or with `M-x copilot-nes--request`.",
		],
	},
	{
		editor: "emacs",
		plugin: "agent-shell",
		title: "Emacs, agent-shell",
		gives: ["chat"],
		tested: "Emacs 30.2 and agent-shell 0.48.1",
		language: "elisp",
		files: emacsFiles,
		text: ([program = "", ...args]) => `(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
               (agent-shell-make-agent-config
                :identifier 'segue
                :mode-line-name "Segue"
                :buffer-name "Segue"
                :shell-prompt "Segue> "
                :shell-prompt-regexp "Segue> "
                :client-maker (lambda (buffer)
                                (acp-make-client :command ${lispWords([program])}
                                                 :command-params '(${lispWords([...args, "acp"])})
                                                 :context-buffer buffer)))))
;; Without this line, agent-shell asks which agent to start.
(setq agent-shell-preferred-agent-config 'segue)`,
		notes: [
			"Install agent-shell from MELPA.",
			"`M-x agent-shell` opens the chat. RET sends the prompt.",
			"Before a change or a command, the chat asks you: `v` shows the change, `y` allows it once, `!` for this session, and `C-c C-c` rejects it.",
		],
	},
	{
		editor: "emacs",
		plugin: "eca-emacs",
		title: "Emacs, eca-emacs",
		gives: ["chat"],
		tested: "Emacs 30.2 and eca-emacs 98ac99a",
		language: "elisp",
		files: emacsFiles,
		text: (command) => `(setq eca-custom-command '(${lispWords([...command, "eca"])}))`,
		notes: [
			"Install the package eca from MELPA.",
			"`M-x eca` opens the chat. RET sends the prompt.",
			"Before a change or a command, the chat asks you: `C-c C-a` accepts, `C-c C-r` rejects.",
		],
	},
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
			"Edit predictions come from `segue serve --completions`, which must be running. Use the port that it prints.",
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
		tested: undefined,
		language: "json",
		files: ({ home }) => [path.join(home, ".jetbrains", "acp.json")],
		text: (command) => json({ agent_servers: { Segue: { ...acpServer(command), env: {} } } }),
		notes: [
			"Segue becomes an agent in AI Chat. AI Assistant does not support next edits over ACP.",
			"For next edits on request, as code actions, install the plugin LSP4IJ and add a server with the command `segue lsp`.",
		],
	},
	{
		editor: "vscode",
		title: "VS Code, Segue's extension",
		gives: ["next edits"],
		tested: "VS Code 1.139 (code-server 4.139.1)",
		language: "json",
		files: vscodeFiles,
		text: (command) => json({ "segue.agent": [...command, "acp"] }),
		notes: [
			"Install the extension first. In a clone of Segue, run `npm run package --workspace editors/vscode`, then `code --install-extension editors/vscode/dist/segue-0.1.0.vsix`.",
			"The extension contains an agent and needs no setting. With this one it starts the `segue` that you installed instead, so both have the same version.",
			"Suggestions appear anywhere in the file. Tab goes to a suggestion out of view or in another file, Tab again accepts it, and Esc dismisses it. Alt+\\ requests one.",
			"The status bar says why there is no suggestion. Select it to snooze suggestions or turn them off.",
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
];

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

/** A file for Segue that Neovim loads when it starts, in addition to the user's configuration. */
function ownNeovimFile(user: UserPlatform): string[] {
	return [neovimPlugin(user, "segue.lua")];
}

/** Separate, so that next edits and chat can be set up together. */
function neovimChatFile(user: UserPlatform): string[] {
	return [neovimPlugin(user, "segue-chat.lua")];
}

function neovimPlugin(user: UserPlatform, file: string): string {
	const { home, env, platform } = user;
	const local = env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local");
	const name = env["NVIM_APPNAME"] || "nvim";
	const folder = platform === "win32" && !env["XDG_CONFIG_HOME"] ? path.join(local, name) : xdgConfig(user, name);
	return path.join(folder, "plugin", file);
}

/**
 * Emacs reads only the first of these that exists. A folder may contain only an early-init.el, which Emacs would ignore
 * if a new file were created in another folder.
 */
function emacsFiles(user: UserPlatform): string[] {
	const { home, env, platform } = user;
	const folder = platform === "win32" ? (env["APPDATA"] ?? home) : home;
	const init = path.join(folder, ".emacs.d", "init.el");
	const early = path.join(folder, ".emacs.d", "early-init.el");
	const xdg = [xdgConfig(user, "emacs", "init.el"), xdgConfig(user, "emacs", "early-init.el")];
	return [path.join(folder, ".emacs.el"), path.join(folder, ".emacs"), init, early, ...xdg, init];
}

function xdgConfig({ home, env }: UserPlatform, ...names: string[]): string {
	// A relative path is ignored, as the XDG specification requires.
	const base = env["XDG_CONFIG_HOME"] ?? "";
	return path.join(path.isAbsolute(base) ? base : path.join(home, ".config"), ...names);
}

/** A path in `~/.config`, even on macOS, or in the roaming application data folder on Windows. */
function inConfig(user: UserPlatform, ...names: string[]): string {
	return user.platform === "win32" ? path.join(roaming(user), ...names) : xdgConfig(user, ...names);
}

/** A path in the platform's usual folder for application data. */
function inApplicationData(user: UserPlatform, name: string, linuxName: string, ...names: string[]): string {
	if (user.platform === "win32") return path.join(roaming(user), name, ...names);
	if (user.platform === "darwin") return path.join(user.home, "Library", "Application Support", name, ...names);
	return xdgConfig(user, linuxName, ...names);
}

function roaming({ home, env }: UserPlatform): string {
	return env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
}

function vscodeFiles(user: UserPlatform): string[] {
	return [inApplicationData(user, "Code", "Code", "User", "settings.json")];
}

/** ECA plugins run `PROGRAM server` and cannot pass arguments before `server`. */
function ecaScript({ home, platform }: UserPlatform, command: readonly string[]): EditorScript {
	const file = path.join(home, ".local", "bin", "segue-eca");
	if (platform !== "win32") return { file, text: `#!/bin/sh\nexec ${shellWords([...command, "eca"])} "$@"` };
	return { file: `${file}.bat`, text: `@${batchWords([...command, "eca"])} %*` };
}

function acpServer([command = "", ...args]: readonly string[]) {
	return { command, args: [...args, "acp"] };
}

function json(value: unknown): string {
	return JSON.stringify(value, undefined, 2);
}

// JSON strings are valid TOML strings. Lua and Emacs Lisp have fewer escapes, but paths only need those for quotes and
// backslashes.

function tomlList(words: readonly string[]): string {
	return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function luaList(words: readonly string[]): string {
	return `{ ${words.map(quoted).join(", ")} }`;
}

function lispWords(words: readonly string[]): string {
	return words.map(quoted).join(" ");
}

function shellWords(words: readonly string[]): string {
	return words.map((word) => (isPlain(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function batchWords(words: readonly string[]): string {
	return words.map((word) => (isPlain(word) ? word : `"${word.replaceAll("%", "%%")}"`)).join(" ");
}

function isPlain(word: string): boolean {
	return /^[\w./-]+$/.test(word);
}

function quoted(word: string): string {
	return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
