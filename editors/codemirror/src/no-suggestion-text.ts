import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";

/** Reasons that Segue's agent sends. */
const AGENT_REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** Reasons from the editor library and this plugin, which agents do not send. */
const EDITOR_REASONS = new Map(
	Object.entries({
		"no-agent": "Not connected to the agent yet.",
		opening: "Checking whether this file is private.",
		rejected: "Suggestion dismissed.",
		ignored: "The suggestion no longer applies.",
		quiet: "You dismissed a suggestion here a moment ago. Press Alt+\\ to request one.",
		"several-cursors": "No suggestions while several cursors are active.",
		"read-only": "No suggestions, because this editor is read-only.",
	}),
);

/** Returns a sentence for the user. A reason from another agent is returned unchanged. */
export function noSuggestionText(reason: string): string {
	const { onPage, sentence } = AGENT_REASONS.get(reason) ?? {};
	return onPage ?? EDITOR_REASONS.get(reason) ?? sentence ?? reason;
}
