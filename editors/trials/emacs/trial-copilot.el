;;; trial-copilot.el --- Trial for copilot.el: next edits  -*- lexical-binding: t; -*-

;; Suggestions appear anywhere in the file after a change.  TAB moves to the line; TAB again accepts.

;;; Code:

(require 'trial)

(trial-play
 (list
  :ready (lambda () (and copilot-mode copilot-nes-mode (copilot--connection-alivep)))
  :go (lambda (suggestion)
        (let-alist suggestion
          (if (trial-current-p .path)
              "shown automatically"
            (trial-visit .path)
            (trial-press "M-x copilot-nes--request RET")
            "opened the file, M-x copilot-nes--request")))
  :shown (lambda () copilot-nes--edit)
  :accept (lambda () (trial-press "TAB"))
  ;; The first TAB may only have moved to the line.
  :again (lambda () (when copilot-nes--edit (trial-press "TAB")))
  :rest #'ignore))

;;; trial-copilot.el ends here
