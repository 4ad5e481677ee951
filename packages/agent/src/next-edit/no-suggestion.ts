import type { NoSuggestionReason } from "@segue/predict";
import { NO_SUGGESTION_TEXTS, type ReasonText } from "@segue/predict/no-suggestion";
import type { QuietReason } from "./quiet.js";
import type { Obstacle } from "./scene.js";

/**
 * Why an answer has no suggestion: the document is not known, a setting keeps the request quiet, nothing was found, or the client
 * cannot apply it.
 */
export type NoSuggestion = Obstacle | QuietReason | NoSuggestionReason | "unfit";

// A reason without a row in the table does not compile.
const TEXTS: Readonly<Record<NoSuggestion, ReasonText>> = NO_SUGGESTION_TEXTS;

/** Why there is no suggestion, as a clause for logs and the command line. */
export const NO_SUGGESTION_REASONS = Object.fromEntries(
	Object.entries(TEXTS).map(([reason, { why }]) => [reason, why]),
) as Readonly<Record<NoSuggestion, string>>;

/** The same as a sentence for the user: the reason, then the next step. */
export function sentenceFor(reason: NoSuggestion): string {
	return TEXTS[reason].sentence;
}
