;;; trial.el --- Plays one story in Emacs with real keys  -*- lexical-binding: t; -*-

;; The plan is a JSON file that $SEGUE_TRIAL_PLAN names; the result is written to its `result'.  A client's file beside this
;; one says how that client shows a suggestion and how the user accepts it, and calls `trial-play'.
;;
;; A story is a list of steps (WHAT ACTION DONE).  A timer runs the action of each once, and then waits until `done' returns
;; non-nil.  Keys go through `unread-command-events', so that the command loop and its hooks handle them.

;;; Code:

(require 'json)
(require 'cl-lib)

(defconst trial-deadline 15 "Seconds after which a step has failed.")
(defconst trial-poll 0.05 "Seconds between two looks at a step.")

(defvar trial-plan
  (with-temp-buffer
    (insert-file-contents (getenv "SEGUE_TRIAL_PLAN"))
    (json-parse-buffer :object-type 'alist :array-type 'list)))
(defvar trial-steps nil "The steps that are left.")
(defvar trial-since nil "When the first step began, or nil.")
(defvar trial-ways nil "How suggestions were reached, the last one first.")
(defvar trial-is-busy nil)

(defun trial-press (keys)
  "Press KEYS, which is a key sequence as `kbd' reads it."
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
  "Open the file PATH, if another one is in front."
  (unless (trial-current-p path)
    (trial-press "C-x C-f")
    (trial-type (append (expand-file-name path (getenv "SEGUE_TRIAL_PROJECT")) nil))
    (trial-press "RET")))

(defun trial-go-to (line column)
  (trial-press (format "M-g g %d RET" line))
  (when (> column 0)
    (trial-press (format "C-u %d C-f" column))))

(defun trial-answer ()
  "The number of suggestions in the last answer, or nil before the answer to the last change."
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
    `(("the server to have every change"
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
  `(("the answer to the last request" ,(plist-get client :rest) trial-answer)
    ("nothing to be suggested or shown"
     ignore
     ,(lambda () (and (zerop (trial-answer)) (not (funcall (plist-get client :shown))))))))

(defun trial-play (client)
  "Play the story with CLIENT, a plist of functions.
:ready says whether the server is ready in the current buffer; :settled, whether all changes are sent; :go reaches for a suggestion and returns in words how; :shown
says whether something is shown; :accept accepts it; :again may press a key once more; :rest waits for no suggestion."
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
  ;; A client that waits for an answer runs timers meanwhile.
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
