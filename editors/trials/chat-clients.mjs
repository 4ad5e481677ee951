// The chat clients, and the keys that a user presses in each.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { emacsIn, neovimIn } from "./clients.mjs";

/**
 * codecompanion.nvim 19.22.0 expects `coroutine.running()` to be nil outside coroutines, as in Neovim's own builds.
 * Debian's build uses a LuaJIT that returns the main coroutine.
 */
const PLAIN_COROUTINES = `local running = coroutine.running
coroutine.running = function()
  local thread, is_main = running()
  return not is_main and thread or nil
end`;

/**
 * `open` opens the chat, `send` sends a prompt, and `approve` answers the permission question that `asked` matches on
 * the screen. `ready` returns whether the chat accepts prompts, for clients that take a while to start.
 */
export const chatClients = [
	{
		name: "codecompanion.nvim",
		setup: ["neovim", "--with", "codecompanion"],
		start: (trial) => neovimInTerminal(trial, ["plenary.nvim", "codecompanion.nvim"], [PLAIN_COROUTINES]),
		open: (keys) => keys.type(":CodeCompanionChat").press("Enter"),
		send: async (keys, prompt) => {
			await escaped(keys);
			keys.type(`Go${prompt}`);
			await escaped(keys);
			keys.press("Enter");
		},
		asked: /Accept/,
		approve: (keys) => keys.type("g2"),
	},
	{
		name: "agentic.nvim",
		setup: ["neovim", "--with", "agentic"],
		start: (trial) => neovimInTerminal(trial, ["agentic.nvim"]),
		open: (keys) => keys.press("C-\\"),
		ready: (_screen, { home }) => read(path.join(home, ".cache/nvim/agentic_debug.log")).includes("sessionId"),
		send: async (keys, prompt) => {
			await escaped(keys);
			// Moves the focus from the chat to the input.
			keys.type("i");
			await setTimeout(300);
			keys.type(prompt).press("C-s");
		},
		asked: /Allow/,
		approve: (keys) => keys.type("1"),
	},
	{
		name: "eca-nvim",
		setup: ["neovim", "--with", "eca-nvim"],
		start: (trial) => neovimInTerminal(trial, ["nui.nvim", "eca-nvim"]),
		open: (keys) => keys.type(":EcaChat").press("Enter"),
		ready: isWelcome,
		send: (keys, prompt) => keys.type(prompt).press("C-s"),
		asked: /Approve Tool Call/,
		approve: (keys) => keys.type("y"),
	},
	{
		name: "agent-shell",
		setup: ["emacs", "--with", "agent-shell"],
		start: (trial) => emacsInTerminal(trial, ["shell-maker", "acp.el", "agent-shell"]),
		open: (keys) => keys.press("M-x").type("agent-shell").press("Enter"),
		ready: (screen) => screen.includes("Segue>"),
		send: (keys, prompt) => keys.type(prompt).press("Enter"),
		asked: /Allow/,
		approve: (keys) => keys.type("y"),
	},
	{
		name: "eca-emacs",
		setup: ["emacs", "--with", "eca-emacs"],
		start: (trial) => emacsInTerminal(trial, ["eca-emacs"]),
		open: (keys) => keys.press("M-x").type("eca").press("Enter"),
		ready: isWelcome,
		send: (keys, prompt) => keys.type(prompt).press("Enter"),
		asked: /Accept/,
		approve: (keys) => keys.press("C-c", "C-a"),
	},
];

/**
 * Returns a command that starts the Neovim server and its terminal UI as two processes. Neovim would start the second
 * process itself, which fails if the program is in another root.
 */
function neovimInTerminal(trial, plugins, lines) {
	const { command, env } = neovimIn(trial, plugins, lines);
	// agentic.nvim writes its log here, and fails if the folder is missing.
	mkdirSync(path.join(trial.home, ".cache", "nvim"), { recursive: true });
	const socket = path.join(trial.folder, "nvim");
	const script = `"$@" --headless --listen ${socket} a.txt & until test -S ${socket}; do sleep 0.1; done; "$@" --server ${socket} --remote-ui`;
	return { command: ["sh", "-c", script, "sh", ...command], env };
}

function emacsInTerminal(trial, plugins) {
	const { command, env } = emacsIn(trial, plugins);
	return { command: [...command, "a.txt"], env };
}

/** Whether the chat shows the welcome message that Segue sends over ECA. */
function isWelcome(screen) {
	return screen.includes("Ask about this project");
}

/** Presses Escape and waits, because a key sent right after Escape is read as Alt plus that key. */
async function escaped(keys) {
	keys.press("Escape");
	await setTimeout(300);
}

function read(file) {
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}
