import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type * as acp from "@segue/protocol/acp";

/** The reasons of our agent. */
const AGENT_REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** Whether the words for a reason say all that the agent's own detail says. */
export function isQuiet(reason: string): boolean {
	return AGENT_REASONS.get(reason)?.onPage !== undefined;
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

/** A sentence for the user. A reason of another agent is shown as it is. */
export function wordsFor(reason: string): string {
	const { onPage, sentence } = AGENT_REASONS.get(reason) ?? {};
	return onPage ?? EDITOR_REASONS.get(reason) ?? sentence ?? reason;
}
