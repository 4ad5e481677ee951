import type * as acp from "@segue/protocol/acp";

/** The quiet controls as reasons, with what to do on this page. */
const QUIET = new Map(
	Object.entries({
		"off-in-language": "Suggestions are off in this language: see offInLanguages in the configuration.",
		"off-in-file": "Suggestions are off in this file: see offInFiles in the configuration.",
		"only-when-asked": "Automatic suggestions are off. Press Alt+\\ to ask for one.",
		snoozed: "Suggestions are snoozed. Press Alt+\\ to ask for one, or end the snooze in the settings.",
		"gave-up": "You passed over the last suggestions. Press Alt+\\ to get them again.",
		"off-in-comments-and-strings": "Suggestions are off in comments and strings. Press Alt+\\ to ask for one.",
	}),
);

/** Whether the words for a reason say all that the agent's own detail says. */
export function isQuiet(reason: string): boolean {
	return QUIET.has(reason);
}

// The page has a control of its own for these, or none.
const OTHER_OPTIONS: ReadonlySet<string> = new Set(["nes_enabled", "nes_eagerness", "nes_model"]);

/** Options of a next-edit session that keep suggestions back. */
export function quietOptions(options: readonly acp.ConfigOption[]): readonly acp.ConfigOption[] {
	return options.filter(({ id }) => id.startsWith("nes_") && !OTHER_OPTIONS.has(id));
}

/** Reasons for a silence, as an agent of ours and the library name them, in words. */
const WORDS = new Map(
	Object.entries({
		"no-agent": "The agent is not connected yet.",
		opening: "The file is looked at: it may be one that agents are not told of.",
		"ignored-file": "The file is ignored, and agents are not told of it.",
		"virtual-file": "The file is not on this disk, so it may be private, and no model is shown it.",
		"touches-secret": "The model would change a line with a key or password that it was not shown.",
		"no-history": "You have changed nothing yet.",
		"nothing-found": "Nothing follows from what you did.",
		"below-threshold": "What follows is not likely enough to be shown. Eagerness is a setting.",
		"name-taken": "The new name is already declared here.",
		"already-visited": "You have been to every place that this change affects.",
		"rejected-before": "You rejected the very same.",
		"rule-retired": "You rejected three of its kind.",
		"secret-file": "The file may hold secrets, and is not read.",
		"binary-file": "The file is not text.",
		"minified-file": "The file has lines that nobody wrote by hand.",
		"too-large-file": "The file is too large to be read.",
		"reverts-user": "It would undo what you did.",
		"no-op": "It would change nothing.",
		"whitespace-only": "It would change white space only.",
		"too-large": "It would change more than a person can look over.",
		"deletes-most": "It would delete most of the file.",
		"repeats-next-lines": "It would write what follows already.",
		"equal-lines": "It would write the same line again.",
		"other-history": "What you changed last is not in this file.",
		"breaks-syntax": "It would add a syntax error.",
		disabled: "Suggestions are turned off.",
		stale: "You have typed on since.",
		lost: "The agent has lost the text of this file. It gets it anew.",
		"no-text": "The agent was not told of this file.",
		unfit: "What follows cannot be done in this editor.",
		doubtful: "A name may mean something else there.",
		"special-token": "The model wrote a mark of prompts.",
		"leaves-out-code": "The model left code out, with a comment in its place.",
		"cut-off": "The model had to stop in the middle of it.",
		"outside-window": "The model would change what it was not asked to.",
		"model-failed": "The model did not answer.",
		"model-resting": "The model is left alone for a while.",
		"no-edit": "The model says that there is nothing to change.",
		"unreadable-answer": "What the model answered is no edit.",
		"special-token-in-text": "The file holds a mark of the model's prompts, so it is not shown to it.",
		"too-long": "What the model would have to be shown is too long for it.",
		superseded: "The model was asked something newer before it had answered.",
		rejected: "You did not want what was offered.",
		ignored: "What was offered does not fit any more.",
		quiet: "You rejected something here a moment ago.",
	}),
);

/** A sentence for a person; what has none is shown as it is. */
export function wordsFor(reason: string): string {
	return QUIET.get(reason) ?? WORDS.get(reason) ?? reason;
}
