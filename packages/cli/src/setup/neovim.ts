import path from "node:path";
import { type EditorSetup, ecaScript, quotedWord, type UserPlatform, xdgConfig } from "./editor-setup.js";

const NEOVIM_NOTES = {
	trigger: "In other files, suggestions appear only after your first edit.",
	actions: "`gra` in normal mode lists code actions: next edits in other files, and whole renames.",
};

export const NEOVIM_SETUPS: readonly EditorSetup[] = [
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
			"To go to the next edit with Tab, use the plugin sidekick.nvim: segue setup editor neovim --with sidekick",
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
			"In other files, suggestions appear only after your first edit or `:Sidekick nes update`.",
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
      command = ${quotedWord(program)},
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

function luaList(words: readonly string[]): string {
	return `{ ${words.map(quotedWord).join(", ")} }`;
}
