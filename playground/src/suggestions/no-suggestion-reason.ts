import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
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

/** The reasons of the editor library, which no agent sends. */
const EDITOR_REASONS = new Map(
	Object.entries({
		"no-agent": "The agent is not connected yet.",
		opening: "The file is looked at: it may be one that agents are not told of.",
		rejected: "You did not want what was offered.",
		ignored: "What was offered does not fit any more.",
		quiet: "You rejected something here a moment ago.",
	}),
);

/** The reasons of our agent. */
const AGENT_REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** A sentence for the user. A reason of another agent is shown as it is. */
export function wordsFor(reason: string): string {
	return QUIET.get(reason) ?? EDITOR_REASONS.get(reason) ?? AGENT_REASONS.get(reason)?.sentence ?? reason;
}
