// The agent's reasons are also listed here, because plugins show their messages and cannot import the agent.

/** The messages for one reason. */
export interface ReasonText {
	/** A clause for logs, status messages and the command line: the cause and, for a setting, how to change it. */
	readonly why: string;
	/**
	 * A sentence for the user: the cause, then the next step. Segue's plugins show it, so it may mention the key that
	 * requests a suggestion.
	 */
	readonly sentence: string;
	/** In a plugin, replaces both `sentence` and any details that the agent sends. */
	readonly onPage?: string;
}

/** The messages for each reason why a request has no suggestion, keyed by the reason's name in the protocol. */
export const NO_SUGGESTION_TEXTS = {
	disabled: {
		why: "suggestions are turned off; turn them on in the editor's settings, or set nextEdit.enabled to true",
		sentence: "Suggestions are turned off. Turn them on in the settings.",
	},
	stale: {
		why: "the document has changed since the request",
		sentence: "The file changed after this request.",
	},
	lost: {
		why: "the server missed a change to this document; reopen the file to send its text again",
		sentence: "Out of sync with the agent. Resending this file.",
	},
	"no-text": {
		why: "the server does not have the text of this document; reopen the file to send it",
		sentence: "The agent does not have this file. Close it and open it again.",
	},
	"off-in-language": {
		why: "suggestions are off for this language; to turn them on, edit nextEdit.offInLanguages",
		sentence: "Suggestions are off for this language. To turn them on, edit `offInLanguages`.",
		onPage: "Suggestions are off for this language. To turn them on, edit offInLanguages in the configuration.",
	},
	"off-in-file": {
		why: "suggestions are off for this file; to turn them on, edit nextEdit.offInFiles",
		sentence: "Suggestions are off for this file. To turn them on, edit `offInFiles`.",
		onPage: "Suggestions are off for this file. To turn them on, edit offInFiles in the configuration.",
	},
	"only-when-asked": {
		why: "automatic suggestions are off; request one manually, or turn off nextEdit.onlyWhenAsked",
		sentence: "Automatic suggestions are off. Request one manually, or turn off `onlyWhenAsked`.",
		onPage: "Automatic suggestions are off. Press Alt+\\ to request one.",
	},
	snoozed: {
		why: "suggestions are snoozed; request one manually, or set the snooze to 0 minutes",
		sentence: "Suggestions are snoozed. Request one manually, or set `snoozeMinutes` to 0.",
		onPage: "Suggestions are snoozed. Press Alt+\\ to request one, or end the snooze in the settings.",
	},
	"gave-up": {
		why: "you ignored the last few suggestions; request one manually to resume, or raise nextEdit.giveUpAfterIgnored",
		sentence:
			"Paused because you ignored the last few suggestions. Request one manually to resume, or raise `giveUpAfterIgnored`.",
		onPage: "Paused because you ignored the last few suggestions. Press Alt+\\ to resume.",
	},
	"off-in-comments-and-strings": {
		why: "automatic suggestions are off in comments and strings; request one manually, or turn off nextEdit.offInCommentsAndStrings",
		sentence:
			"Automatic suggestions are off in comments and strings. Request one manually, or turn off `offInCommentsAndStrings`.",
		onPage: "Automatic suggestions are off in comments and strings. Press Alt+\\ to request one.",
	},
	unfit: {
		why: "the editor cannot apply the suggestion",
		sentence: "Found a suggestion, but this editor cannot apply it.",
	},
	"secret-file": {
		why: "the file may contain secrets, so it is not read",
		sentence: "This file may contain secrets, so Segue does not read it.",
	},
	"other-history": {
		why: "the recorded edits do not match the current text",
		sentence: "Your recorded edits do not match the text of this file.",
	},
	"binary-file": {
		why: "the file is not text",
		sentence: "This is not a text file.",
	},
	"minified-file": {
		why: "the file looks generated or minified",
		sentence: "This file looks generated or minified, so Segue skips it.",
	},
	"too-large-file": {
		why: "the file is too large",
		sentence: "This file is too large for suggestions.",
	},
	"no-history": {
		why: "no edits yet, and no diagnostics to fix",
		sentence: "No edits yet. Change something to get a suggestion.",
	},
	"nothing-found": {
		why: "the rules found no likely edit after your recent changes",
		sentence: "Segue's rules found no likely next edit.",
	},
	"no-op": {
		why: "the suggestion would change nothing",
		sentence: "The suggestion would change nothing.",
	},
	"whitespace-only": {
		why: "the suggestion would only change whitespace",
		sentence: "The suggestion would only change whitespace.",
	},
	"reverts-user": {
		why: "the suggestion would undo your edit",
		sentence: "The suggestion would undo your edit.",
	},
	"too-large": {
		why: "the suggestion is too large to review",
		sentence: "The suggestion is too large to review.",
	},
	"deletes-most": {
		why: "the suggestion would delete most of the code around it",
		sentence: "The suggestion would delete most of the code around it.",
	},
	"repeats-next-lines": {
		why: "the suggestion would repeat the lines next to it",
		sentence: "The suggestion would repeat the lines next to it.",
	},
	"equal-lines": {
		why: "the suggestion would write the same line three times in a row",
		sentence: "The suggestion would write the same line three times in a row.",
	},
	"breaks-syntax": {
		why: "the suggestion would add a syntax error",
		sentence: "The suggestion would add a syntax error.",
	},
	"name-taken": {
		why: "the new name is already declared where the old one is used",
		sentence: "The new name is already declared where the old one is used. Choose another name to rename the rest.",
	},
	doubtful: {
		why: "the text may mean something else there",
		sentence: "Found a possible edit, but the text may mean something else there. Press Alt+\\ to see it.",
	},
	"unfinished-call": {
		why: "the call at the cursor still has the old arguments; change it, or request a suggestion to skip it",
		sentence: "The call at the cursor still has the old arguments. Change it, or press Alt+\\ to skip it.",
	},
	"already-visited": {
		why: "you have already visited every location that this change affects",
		sentence: "You have already visited every location that this change affects.",
	},
	"rejected-before": {
		why: "you dismissed this suggestion before",
		sentence: "You dismissed this suggestion before.",
	},
	"rule-retired": {
		why: "you dismissed three suggestions of this kind",
		sentence: "You dismissed three suggestions of this kind, so Segue stopped offering them.",
	},
	"below-threshold": {
		why: "not sure enough to show it",
		sentence: "Found a possible edit, but Segue is not sure enough to show it. Press Alt+\\ to see it.",
	},
	"special-token": {
		why: "the model's answer contains a prompt token",
		sentence: "The model's answer contains a prompt token.",
	},
	"touches-secret": {
		why: "the model would change a key or password that it was not shown",
		sentence: "The model would change a key or password that it was not shown.",
	},
	"leaves-out-code": {
		why: "the model replaced code with a placeholder comment",
		sentence: "The model replaced code with a placeholder comment.",
	},
	"cut-off": {
		why: "the model's answer was cut off",
		sentence: "The model's answer was cut off.",
	},
	"outside-window": {
		why: "the model changed lines that it was not asked to rewrite",
		sentence: "The model changed lines that it was not asked to rewrite.",
	},
	"ignored-file": {
		why: "the file is ignored or links to a private file, so it is not sent to models",
		sentence: "This file is ignored, so it is not sent to agents or models.",
	},
	"virtual-file": {
		why: "the file is not on disk, so it may be private and is not sent to models",
		sentence: "This file is not on disk. It may be private, so it is not sent to models.",
	},
	"model-failed": {
		why: "the request to the model failed",
		sentence: "The request to the model failed.",
	},
	"model-resting": {
		why: "the model failed a moment ago; waiting before the next request",
		sentence: "The model failed a moment ago. Segue will retry soon.",
	},
	"no-edit": {
		why: "the model suggests no change",
		sentence: "The model suggests no change here.",
	},
	"unreadable-answer": {
		why: "the model's answer is not in the expected format",
		sentence: "The model's answer is not in the expected format.",
	},
	"special-token-in-text": {
		why: "the text contains one of the model's prompt tokens, so it is not sent to the model",
		sentence: "The text here contains one of the model's prompt tokens, so it is not sent to the model.",
	},
	"too-long": {
		why: "the text around the cursor is too long for the model",
		sentence: "The text around the cursor is too long for the model.",
	},
	superseded: {
		why: "a newer request replaced this one",
		sentence: "A newer request replaced this one.",
	},
} as const satisfies Readonly<Record<string, ReasonText>>;
