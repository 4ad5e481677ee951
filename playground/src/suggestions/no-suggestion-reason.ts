import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type * as acp from "@segue/protocol/acp";

/** Reasons that Segue's agent sends. */
const AGENT_REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** Whether the page's text for a reason makes the agent's detail redundant. */
export function isQuiet(reason: string): boolean {
	return AGENT_REASONS.get(reason)?.onPage !== undefined;
}

// The page has its own controls for these.
const OTHER_OPTIONS: ReadonlySet<string> = new Set(["nes_enabled", "nes_eagerness", "nes_model"]);

/** Options for a next-edit session that reduce the number of suggestions. */
export function quietOptions(options: readonly acp.ConfigOption[]): readonly acp.ConfigOption[] {
	return options.filter(({ id }) => id.startsWith("nes_") && !OTHER_OPTIONS.has(id));
}

/** Reasons from the editor library, which agents do not send. */
const EDITOR_REASONS = new Map(
	Object.entries({
		"no-agent": "Not connected to the agent yet.",
		opening: "Checking whether this file is private.",
		rejected: "Suggestion dismissed.",
		ignored: "The suggestion no longer applies.",
		quiet: "You dismissed a suggestion here a moment ago. Press Alt+\\ to request one.",
	}),
);

/** Returns a sentence for the user. A reason from another agent is returned unchanged. */
export function wordsFor(reason: string): string {
	const { onPage, sentence } = AGENT_REASONS.get(reason) ?? {};
	return onPage ?? EDITOR_REASONS.get(reason) ?? sentence ?? reason;
}
