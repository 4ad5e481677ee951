import type { DisplayedSuggestion, Notice } from "@segue/editor";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";

const AGENT_REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** Reasons from the library and the plugin, and sentences that name VS Code's settings. */
const OWN_REASONS = new Map(
	Object.entries({
		"no-agent": "The agent is starting.",
		opening: "Checking whether this file is private.",
		rejected: "Suggestion dismissed.",
		ignored: "The suggestion no longer applies.",
		quiet: "You dismissed a suggestion here a moment ago. Press Alt+\\ to request one.",
		disabled: "Suggestions are off. To turn them on, change segue.nextEdit.enabled.",
		"off-in-language": "Suggestions are off for this language. To turn them on, change segue.nextEdit.offInLanguages.",
		"off-in-file": "Suggestions are off for this file. To turn them on, change segue.nextEdit.offInFiles.",
		snoozed: "Suggestions are snoozed. Press Alt+\\ to request one.",
		"several-cursors": "No suggestions while there is more than one cursor.",
	}),
);

/** Returns a sentence for a notice. A reason from another agent is returned unchanged. */
export function noticeText({ kind, text, detail }: Notice): string {
	if (kind !== "no-suggestion") return text;
	const { onPage, sentence } = AGENT_REASONS.get(text) ?? {};
	const known = OWN_REASONS.get(text) ?? onPage;
	return known ?? [sentence ?? text, detail].filter((part) => part !== undefined).join(" ");
}

/** Returns a sentence that describes a suggestion and its keys, for the status bar and screen readers. */
export function suggestionText(shown: DisplayedSuggestion, fileName: string, line: number): string {
	const where = shown.as === "chip" ? `in ${fileName}, line ${line + 1}` : `on line ${line + 1}`;
	const key = shown.as === "chip" ? "Tab goes there" : "Tab accepts";
	const why = shown.why?.replace(/\.$/, "") ?? "next edit";
	return `Suggestion ${where}: ${why}. ${key}, Escape dismisses.`;
}
