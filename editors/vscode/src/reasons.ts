import { type DisplayedSuggestion, type Notice, noticeSentence, type ReasonSentences } from "@segue/editor";
import { NO_SUGGESTION_TEXTS } from "@segue/predict/no-suggestion";

const REASONS: Readonly<Record<string, ReasonSentences>> = {
	...NO_SUGGESTION_TEXTS,
	// These name VS Code's settings.
	disabled: { onPage: "Suggestions are off. To turn them on, change segue.nextEdit.enabled." },
	"off-in-language": {
		onPage: "Suggestions are off for this language. To turn them on, change segue.nextEdit.offInLanguages.",
	},
	"off-in-file": { onPage: "Suggestions are off for this file. To turn them on, change segue.nextEdit.offInFiles." },
	snoozed: { onPage: "Suggestions are snoozed. Press Alt+\\ to request one." },
};

/** Returns a sentence for a reason. Problems and reasons from other agents are returned unchanged. */
export function noticeText(notice: Notice): string {
	return noticeSentence(notice, REASONS);
}

/** Returns a sentence that describes a suggestion and its keys, for the status bar and screen readers. */
export function suggestionText(shown: DisplayedSuggestion, fileName: string, line: number): string {
	const where = shown.as === "chip" ? `in ${fileName}, line ${line + 1}` : `on line ${line + 1}`;
	const key = shown.as === "chip" ? "Tab goes there" : "Tab accepts";
	const why = shown.why?.replace(/\.$/, "") ?? "next edit";
	return `Suggestion ${where}: ${why}. ${key}, Escape dismisses.`;
}
