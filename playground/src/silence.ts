/** Reasons for a silence, as an agent of ours and the library name them, in words. */
const WORDS = new Map(
	Object.entries({
		"no-agent": "The agent is not connected yet.",
		opening: "The file is looked at: it may be one that agents are not told of.",
		"ignored-file": "The file is ignored, and agents are not told of it.",
		"no-history": "You have changed nothing yet.",
		"nothing-found": "Nothing follows from what you did.",
		"below-threshold": "What follows is not likely enough to be shown. Eagerness is a setting.",
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
		"breaks-syntax": "It would leave brackets, strings or comments open.",
		disabled: "Suggestions are turned off.",
		stale: "You have typed on since.",
		lost: "The agent has lost the text of this file. It gets it anew.",
		"no-text": "The agent was not told of this file.",
		unfit: "What follows cannot be done in this editor.",
		doubtful: "A name may mean something else there.",
		"special-token": "The model wrote a mark of its own prompts.",
		"cut-off": "The model had to stop in the middle of it.",
		"outside-window": "The model would change what it was not asked to.",
		"model-failed": "The model did not answer.",
		"model-resting": "The model is left alone for a while.",
		"no-edit": "The model says that there is nothing to change.",
		"unreadable-answer": "What the model answered is no edit.",
		"special-token-in-text": "The file holds a mark of the model's prompts, so it is not shown to it.",
		"too-long": "What the model would have to be shown is too long for it.",
		superseded: "The model was asked something newer before it had answered.",
		quiet: "You rejected something here a moment ago.",
	}),
);

/** A sentence for a person; what has none is shown as it is. */
export function wordsFor(reason: string): string {
	return WORDS.get(reason) ?? reason;
}
