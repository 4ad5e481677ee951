import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type * as acp from "@segue/protocol/acp";

const REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

/** Whether the page's text for a reason makes the agent's detail redundant. */
export function isQuiet(reason: string): boolean {
	return REASONS.get(reason)?.onPage !== undefined;
}

// The page has its own controls for these.
const OTHER_OPTIONS: ReadonlySet<string> = new Set(["nes_enabled", "nes_eagerness", "nes_model"]);

/** Options for a next-edit session that reduce the number of suggestions. */
export function quietOptions(options: readonly acp.ConfigOption[]): readonly acp.ConfigOption[] {
	return options.filter(({ id }) => id.startsWith("nes_") && !OTHER_OPTIONS.has(id));
}
