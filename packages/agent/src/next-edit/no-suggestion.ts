import type { NoSuggestionReason } from "@segue/predict";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type { QuietReason } from "./quiet.js";
import type { Obstacle } from "./scene.js";

/**
 * Why a response has no suggestion: the document is unknown, a setting suppresses it, nothing was found, or the client
 * cannot apply it.
 */
export type NoSuggestion = Obstacle | QuietReason | NoSuggestionReason | "unfit";

// Type-checks that every reason has a row in the table.
const TEXTS: Readonly<Record<NoSuggestion, ReasonText>> = NO_SUGGESTION_TEXTS;

/** Why there is no suggestion, as a clause for logs and the command line. */
export const NO_SUGGESTION_REASONS = Object.fromEntries(
	Object.entries(TEXTS).map(([reason, { why }]) => [reason, why]),
) as Readonly<Record<NoSuggestion, string>>;

/** Why there is no suggestion, as a sentence for the user: the reason, then the next step. */
export function sentenceFor(reason: NoSuggestion): string {
	return TEXTS[reason].sentence;
}
