// The texts are in this package, with reasons of the agent too, because the playground shows them and may not import the agent.

/** What users are told of a reason. */
export interface ReasonText {
	/** A clause that names the cause and what to do, for logs and the command line. */
	readonly why: string;
	/** A sentence for an editor to show. */
	readonly sentence: string;
	/** The sentence of the playground, where its keys and controls are the next step. */
	readonly onPage?: string;
}

/** Why a request has no suggestion: a row for each reason, of the engine, of models and of a session, by its name on the wire. */
export const NO_SUGGESTION_TEXTS = {
	disabled: {
		why: "suggestions are turned off; see enabled in the editor's settings, or nextEdit.enabled in the configuration",
		sentence: "Suggestions are turned off.",
	},
	stale: {
		why: "the document has changed since the request",
		sentence: "You have typed on since.",
	},
	lost: {
		why: "the server missed a change of this document; it needs the whole text, which comes when the file is opened again",
		sentence: "The agent has lost the text of this file. It gets it anew.",
	},
	"no-text": {
		why: "the server does not have the text of this document",
		sentence: "The agent was not told of this file.",
	},
	"off-in-language": {
		why: "suggestions are off in this language; see nextEdit.offInLanguages in the configuration",
		sentence: "Suggestions are off in this language. To change that, edit `offInLanguages`.",
		onPage: "Suggestions are off in this language: see offInLanguages in the configuration.",
	},
	"off-in-file": {
		why: "suggestions are off in this file; see nextEdit.offInFiles in the configuration",
		sentence: "Suggestions are off in this file. To change that, edit `offInFiles`.",
		onPage: "Suggestions are off in this file: see offInFiles in the configuration.",
	},
	"only-when-asked": {
		why: "automatic suggestions are off; ask for one by hand, or turn nextEdit.onlyWhenAsked off",
		sentence: "Automatic suggestions are off. Ask for one by hand, or turn `onlyWhenAsked` off.",
		onPage: "Automatic suggestions are off. Press Alt+\\ to ask for one.",
	},
	snoozed: {
		why: "suggestions were snoozed; ask for one by hand, or set the snooze to 0 minutes",
		sentence: "Suggestions are snoozed. Ask for one by hand, or set `snoozeMinutes` to 0.",
		onPage: "Suggestions are snoozed. Press Alt+\\ to ask for one, or end the snooze in the settings.",
	},
	"gave-up": {
		why: "the user passed over the last suggestions; ask for one by hand, or raise nextEdit.giveUpAfterIgnored",
		sentence:
			"You passed over the last suggestions. Ask for one by hand to get them again, or raise `giveUpAfterIgnored`.",
		onPage: "You passed over the last suggestions. Press Alt+\\ to get them again.",
	},
	"off-in-comments-and-strings": {
		why: "the cursor was in a comment or a string; ask by hand, or turn nextEdit.offInCommentsAndStrings off",
		sentence:
			"Automatic suggestions are off in comments and strings. Ask for one by hand, or turn `offInCommentsAndStrings` off.",
		onPage: "Suggestions are off in comments and strings. Press Alt+\\ to ask for one.",
	},
	unfit: {
		why: "the suggestion that was found cannot be applied here",
		sentence: "What follows cannot be done in this editor.",
	},
	"secret-file": {
		why: "the file may hold secrets, and is not read",
		sentence: "The file may hold secrets, and is not read.",
	},
	"other-history": {
		why: "the recorded edits do not lead to the present text",
		sentence: "What you changed last is not in this file.",
	},
	"binary-file": {
		why: "the file is not text",
		sentence: "The file is not text.",
	},
	"minified-file": {
		why: "the file looks generated or minified",
		sentence: "The file has lines that nobody wrote by hand.",
	},
	"too-large-file": {
		why: "the file is too large to be read",
		sentence: "The file is too large to be read.",
	},
	"no-history": {
		why: "no edits yet, and no diagnostics to fix",
		sentence: "You have changed nothing yet.",
	},
	"nothing-found": {
		why: "no rule applies to your recent edits",
		sentence: "Nothing follows from what you did.",
	},
	"no-op": {
		why: "the suggestion changes nothing",
		sentence: "It would change nothing.",
	},
	"whitespace-only": {
		why: "the suggestion changes only white space",
		sentence: "It would change white space only.",
	},
	"reverts-user": {
		why: "the suggestion would undo your edit",
		sentence: "It would undo what you did.",
	},
	"too-large": {
		why: "the suggestion is too large to review",
		sentence: "It would change more than a person can look over.",
	},
	"deletes-most": {
		why: "the suggestion deletes most of the code around it",
		sentence: "It would delete most of the code around it.",
	},
	"repeats-next-lines": {
		why: "the suggestion repeats the lines below it",
		sentence: "It would write what follows already.",
	},
	"equal-lines": {
		why: "the suggestion would make three equal lines in a row",
		sentence: "It would write the same line again.",
	},
	"breaks-syntax": {
		why: "it would add a syntax error",
		sentence: "It would add a syntax error.",
	},
	"name-taken": {
		why: "the new name is already declared where the old one is used",
		sentence: "The new name is already declared here.",
	},
	doubtful: {
		why: "the name may mean something else there",
		sentence: "A name may mean something else there.",
	},
	"already-visited": {
		why: "you have been to each of its places",
		sentence: "You have been to every place that this change affects.",
	},
	"rejected-before": {
		why: "you rejected the same before",
		sentence: "You rejected the very same.",
	},
	"rule-retired": {
		why: "you rejected three suggestions of this kind",
		sentence: "You rejected three of its kind.",
	},
	"below-threshold": {
		why: "not likely enough to show",
		sentence: "What follows is not likely enough to be shown. Eagerness is a setting.",
	},
	"special-token": {
		why: "the model wrote a token of prompts into the text",
		sentence: "The model wrote a mark of prompts.",
	},
	"touches-secret": {
		why: "the model would change a key or password that it was not shown",
		sentence: "The model would change a line with a key or password that it was not shown.",
	},
	"leaves-out-code": {
		why: "the model left code out, with a comment in its place",
		sentence: "The model left code out, with a comment in its place.",
	},
	"cut-off": {
		why: "the model's answer was cut off",
		sentence: "The model had to stop in the middle of it.",
	},
	"outside-window": {
		why: "it lies outside of what the model was asked to rewrite",
		sentence: "The model would change what it was not asked to.",
	},
	"ignored-file": {
		why: "the file is ignored, or a link to a private file, and no model is shown it",
		sentence: "The file is ignored, and agents are not told of it.",
	},
	"virtual-file": {
		why: "the file is not on this disk, so it may be private, and no model is shown it",
		sentence: "The file is not on this disk, so it may be private, and no model is shown it.",
	},
	"model-failed": {
		why: "the model gave no answer",
		sentence: "The model did not answer.",
	},
	"model-resting": {
		why: "the model failed a moment ago and is not asked for a while",
		sentence: "The model is left alone for a while.",
	},
	"no-edit": {
		why: "the model suggests no change",
		sentence: "The model says that there is nothing to change.",
	},
	"unreadable-answer": {
		why: "the model's answer is not in the expected format",
		sentence: "What the model answered is no edit.",
	},
	"special-token-in-text": {
		why: "the text holds a token of the model's prompts, and is not shown to it",
		sentence: "The file holds a mark of the model's prompts, so it is not shown to it.",
	},
	"too-long": {
		why: "the text around the cursor is too long for the model",
		sentence: "What the model would have to be shown is too long for it.",
	},
	superseded: {
		why: "a newer request replaced this one",
		sentence: "The model was asked something newer before it had answered.",
	},
} as const satisfies Readonly<Record<string, ReasonText>>;
