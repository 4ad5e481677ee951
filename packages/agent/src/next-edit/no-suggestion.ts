import type { NoSuggestionReason } from "@segue/predict";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type { QuietReason } from "./quiet.js";
import type { Obstacle } from "./scene.js";

/**
 * The reason why a response has no suggestion: the document is unknown, a setting suppresses it, nothing was found, or
 * the client cannot apply it.
 */
export type NoSuggestion = Obstacle | QuietReason | NoSuggestionReason | "unfit";

// Type-checks that every reason has a row in the table.
const TEXTS: Readonly<Record<NoSuggestion, ReasonText>> = NO_SUGGESTION_TEXTS;

/** The reasons as clauses, for logs and the command line. */
export const NO_SUGGESTION_REASONS = Object.fromEntries(
	Object.entries(TEXTS).map(([reason, { why }]) => [reason, why]),
) as Readonly<Record<NoSuggestion, string>>;

/** Returns a sentence for the user that gives the reason, then the next step. */
export function sentenceFor(reason: NoSuggestion): string {
	return TEXTS[reason].sentence;
}
