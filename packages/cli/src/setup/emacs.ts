import path from "node:path";
import { type EditorSetup, quotedWord, type UserPlatform, xdgConfig } from "./editor-setup.js";

export const EMACS_SETUPS: readonly EditorSetup[] = [
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
			"In other files, suggestions appear only after your first edit or `M-x copilot-nes--request`.",
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
];

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

function lispWords(words: readonly string[]): string {
	return words.map(quotedWord).join(" ");
}
