import { noticeSentence } from "@segue/editor";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type * as acp from "@segue/protocol/acp";
import { ASK_KEY, UNDO_KEY } from "../widgets/modifier-key.js";
import type { Workbench } from "../workbench/workbench.js";

const REASONS = new Map<string, ReasonText>(Object.entries(NO_SUGGESTION_TEXTS));

// After an undo, these reasons describe other candidates of the same series, which the user has not asked about.
const EXPECTED_AFTER_UNDO: ReadonlySet<string> = new Set(["nothing-found", "reverts-user", "rejected-before"]);

/** Returns the sentence for a reason, given the user's last change. Words in double brackets are keys. */
export function reasonText(reason: string, lastChange: Workbench["lastChange"]["value"]): string {
	// The user probably wanted to accept a suggestion.
	if (lastChange?.isIndent && !isQuiet(reason)) {
		return `Tab indented the code, because there is no suggestion. Press [[${UNDO_KEY}]] to undo it.`;
	}
	// The user has accepted the last edit of a series.
	if (reason === "nothing-found" && lastChange?.isSuggestion) return "Done. No more edits to suggest.";
	if (EXPECTED_AFTER_UNDO.has(reason) && lastChange?.cause === "undo") {
		return "Change undone. Keep editing to get suggestions.";
	}
	const sentence = noticeSentence({ kind: "no-suggestion", text: reason }, NO_SUGGESTION_TEXTS);
	return sentence.replaceAll("Alt+\\", `[[${ASK_KEY}]]`);
}

/** Whether the page's text for a reason makes the agent's detail redundant. */
export function isQuiet(reason: string): boolean {
	return REASONS.get(reason)?.onPage !== undefined;
}

const PASSING: ReadonlySet<string> = new Set<keyof typeof NO_SUGGESTION_TEXTS>([
	"stale",
	"superseded",
	"no-history",
	"nothing-found",
	"no-op",
	"whitespace-only",
	"reverts-user",
	"too-large",
	"deletes-most",
	"repeats-next-lines",
	"equal-lines",
	"breaks-syntax",
	"name-taken",
	"doubtful",
	"unfinished-call",
	"already-visited",
	"below-threshold",
	"no-edit",
]);

/** Whether a reason is about the latest change only, and not about the file, a setting or a key that the user pressed. */
export function isPassing(reason: string): boolean {
	return PASSING.has(reason);
}

// The page has its own controls for these.
const OTHER_OPTIONS: ReadonlySet<string> = new Set(["nes_enabled", "nes_eagerness", "nes_model"]);

/** Options for a next-edit session that reduce the number of suggestions. */
export function quietOptions(options: readonly acp.ConfigOption[]): readonly acp.ConfigOption[] {
	return options.filter(({ id }) => id.startsWith("nes_") && !OTHER_OPTIONS.has(id));
}
