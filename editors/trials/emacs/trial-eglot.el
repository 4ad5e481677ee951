;;; trial-eglot.el --- Trial for eglot: code actions  -*- lexical-binding: t; -*-

;; C-c n requests code actions.  RET runs the preferred action, which makes the next edit in this or another file.

;;; Code:

(require 'trial)

(trial-play
 (list
  :ready (lambda () (and (fboundp 'eglot-managed-p) (eglot-managed-p)))
  ;; Eglot sends changes in other buffers only when Emacs is idle.
  :settled (lambda ()
             (not (seq-some (lambda (buffer) (buffer-local-value 'eglot--recent-changes buffer))
                            (seq-filter #'buffer-file-name (buffer-list)))))
  :go (lambda (suggestion)
        (trial-press "C-c n")
        (if (trial-current-p (alist-get 'path suggestion)) "code action" "code action, from the other file"))
  :shown (lambda ()
           (and (active-minibuffer-window)
                (with-current-buffer (window-buffer (active-minibuffer-window))
                  (string-search "Next edit" (buffer-string)))))
  :accept (lambda () (trial-press "RET"))
  :rest (lambda () (trial-press "C-c n"))))

;;; trial-eglot.el ends here
