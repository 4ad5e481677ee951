;;; trial-lsp-mode.el --- Trial for lsp-mode: inline completion  -*- lexical-binding: t; -*-

;; Suggestions appear for the current line: automatically after a change, and with C-c n after moving.  C-RET accepts.

;;; Code:

(require 'trial)

(trial-play
 (list
  :ready (lambda () (and (bound-and-true-p lsp-mode) (lsp-workspaces) (lsp-feature? "textDocument/inlineCompletion")))
  :go (lambda (suggestion)
        (let-alist suggestion
          (prog1 (if (trial-current-p .path) "on its line, C-c n" "opened the file, on its line, C-c n")
            (trial-visit .path)
            (trial-go-to .line 0)
            (trial-press "C-c n"))))
  :shown (lambda () (lsp-inline-completion--active-p))
  :accept (lambda () (trial-press "C-<return>"))
  :rest #'ignore))

;;; trial-lsp-mode.el ends here
