;;; trial.el --- Plays one story in Emacs with real keys  -*- lexical-binding: t; -*-

;; $SEGUE_TRIAL_PLAN is the path of a JSON file with the plan; the result is written to the path in its `result'.  Each
;; client's file defines how suggestions are shown and accepted, and calls `trial-play'.
;;
;; A story is a list of steps (WHAT ACTION DONE).  A timer calls ACTION once, then DONE until it returns non-nil.  Keys
;; go through `unread-command-events', so the command loop and its hooks handle them.

;;; Code:

(require 'json)
(require 'cl-lib)

(defconst trial-deadline 15 "Seconds after which a step fails.")
(defconst trial-poll 0.05 "Seconds between two checks of a step.")

(defvar trial-plan
  (with-temp-buffer
    (insert-file-contents (getenv "SEGUE_TRIAL_PLAN"))
    (json-parse-buffer :object-type 'alist :array-type 'list)))
(defvar trial-steps nil "The remaining steps.")
(defvar trial-since nil "Start time of the current step, or nil.")
(defvar trial-ways nil "How suggestions were reached, last one first.")
(defvar trial-is-busy nil)

(defun trial-press (keys)
  "Press KEYS, a key sequence in the notation of `kbd'."
  (trial-type (listify-key-sequence (kbd keys))))

(defun trial-type (events)
  (setq unread-command-events (append unread-command-events events)))

(defun trial-buffer (path)
  (find-buffer-visiting (expand-file-name path (getenv "SEGUE_TRIAL_PROJECT"))))

(defun trial-text (path)
  (with-current-buffer (trial-buffer path)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun trial-current-p (path)
  (equal (buffer-file-name (window-buffer (selected-window)))
         (expand-file-name path (getenv "SEGUE_TRIAL_PROJECT"))))

(defun trial-visit (path)
  "Open the file PATH unless it is current."
  (unless (trial-current-p path)
    (trial-press "C-x C-f")
    (trial-type (append (expand-file-name path (getenv "SEGUE_TRIAL_PROJECT")) nil))
    (trial-press "RET")))

(defun trial-go-to (line column)
  (trial-press (format "M-g g %d RET" line))
  (when (> column 0)
    (trial-press (format "C-u %d C-f" column))))

(defun trial-answer ()
  "Return the number of suggestions in the last response, or nil if the last change has no response yet."
  (let ((log (alist-get 'log trial-plan)))
    (when (file-exists-p log)
      (with-temp-buffer
        (insert-file-contents log)
        (goto-char (point-max))
        (forward-line -1)
        (when (looking-at ".*\"found\":\\([0-9]+\\)")
          (string-to-number (match-string 1)))))))

(defun trial--edit-steps (edit)
  (let-alist edit
    `((,(format "the edit of %s" .path)
       ,(lambda ()
          (trial-visit .path)
          (trial-go-to .line .column)
          (when (> .remove 0)
            (trial-press (format "C-u %d C-d" .remove)))
          (trial-type (mapcar (lambda (char) (if (eq char ?\n) ?\r char)) (append .insert nil))))
       ,(lambda () (equal (trial-text .path) .text))))))

(defun trial--suggestion-steps (client suggestion)
  (let-alist suggestion
    `(("all changes to be sent"
       ignore
       ,(or (plist-get client :settled) #'always))
      (,(format "a suggestion for line %d of %s" .line .path)
       ,(lambda () (push (funcall (plist-get client :go) suggestion) trial-ways))
       ,(plist-get client :shown))
      (,(format "the accepted text of %s" .path)
       ,(plist-get client :accept)
       ,(lambda ()
          (or (equal (trial-text .path) .text)
              (and (plist-get client :again) (funcall (plist-get client :again)) nil)))))))

(defun trial--no-suggestion-steps (client)
  `(("the response to the last request" ,(plist-get client :rest) trial-answer)
    ("no suggestion"
     ignore
     ,(lambda () (and (zerop (trial-answer)) (not (funcall (plist-get client :shown))))))))

(defun trial-play (client)
  "Play the story with CLIENT, a plist of functions.
:ready returns whether the server is ready in the current buffer.
:settled returns whether all changes have been sent.
:go requests a suggestion and returns a description of how.
:shown returns whether a suggestion is shown.
:accept accepts it, and :again may press another key.
:rest triggers the request that must return no suggestion."
  (let-alist trial-plan
    (setq trial-steps
          (append
           (mapcan (lambda (file)
                     `((,(format "the server for %s" (alist-get 'path file))
                        ,(lambda () (trial-visit (alist-get 'path file)))
                        ,(lambda ()
                           (and (trial-current-p (alist-get 'path file)) (funcall (plist-get client :ready)))))))
                   .files)
           (mapcan #'trial--edit-steps .edits)
           (mapcan (lambda (suggestion) (trial--suggestion-steps client suggestion)) .suggestions)
           (unless .suggestions (trial--no-suggestion-steps client)))))
  (run-with-timer trial-poll trial-poll #'trial--look))

(defun trial--look ()
  ;; Timers also run while a client waits for a response.
  (unless trial-is-busy
    (let ((trial-is-busy t))
      (condition-case problem
          (with-current-buffer (window-buffer (selected-window))
            (trial--step))
        (error (trial--end (format "%s: %S" (caar trial-steps) problem)))))))

(defun trial--step ()
  (pcase (car trial-steps)
    ('nil (trial--end nil))
    (`(,what ,action ,done)
     (cond
      ((null trial-since)
       (setq trial-since (float-time))
       (funcall action))
      (unread-command-events)
      ((funcall done)
       (setq trial-since nil)
       (pop trial-steps))
      ((> (- (float-time) trial-since) trial-deadline)
       (trial--end (format "waited too long for %s" what)))))))

(defun trial--end (problem)
  (let* ((paths (seq-filter #'trial-buffer (mapcar (lambda (file) (alist-get 'path file)) (alist-get 'files trial-plan))))
         (after (mapcar (lambda (path) (cons (intern path) (trial-text path))) paths))
         (messages (with-current-buffer "*Messages*" (buffer-string)))
         (coding-system-for-write 'utf-8))
    (write-region
     (json-encode `((ways . ,(vconcat (reverse trial-ways))) (after . ,after)
                    ,@(when problem `((error . ,(concat problem "\n" messages))))))
     nil (alist-get 'result trial-plan) nil 'silent)
    (setq kill-emacs-query-functions nil
          confirm-kill-processes nil)
    (dolist (path paths)
      (with-current-buffer (trial-buffer path) (set-buffer-modified-p nil)))
    (kill-emacs)))

(provide 'trial)
;;; trial.el ends here
