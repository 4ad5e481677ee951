import {
	type Candidate,
	type Contribution,
	candidatesOf,
	contributionsOf,
	type ConsideredCandidate as Judged,
	judge,
	type Memory,
	type Prediction,
	type Scene,
	type Suggestion,
} from "@segue/predict";

/** The engine's answer to a request, and all candidates that it considered, most likely first. */
export interface StoryExplanation {
	readonly prediction: Prediction;
	readonly considered: readonly ExplainedCandidate[];
}

/** A candidate with its outcome and the reasons for it. */
export interface ExplainedCandidate extends Judged {
	/** How much the user's feedback on other suggestions from the same rules changed the chance, in log odds. */
	readonly moved: number;
	/** The log odds whose sum is the scorer's chance, largest first. */
	readonly contributions: readonly Contribution[];
}

/** The results of the stories in a file. */
export interface PlayedFile {
	readonly file: string;
	readonly stories: readonly PlayedStory[];
}

export interface PlayedStory {
	readonly title: string;
	/** The `suggests` panes. */
	readonly panes: readonly PlayedPane[];
	/** Why the story could not be played to the end. */
	readonly problem: string | undefined;
}

export interface PlayedPane {
	/** Its position in the story, counted from 1. */
	readonly number: number;
	/** The expected and the actual pane. */
	readonly drawn: string;
	readonly went: string;
	readonly explanation: StoryExplanation;
}

export function explainPrediction(scene: Scene, memory: Memory, prediction: Prediction): StoryExplanation {
	const found = candidatesOf(scene);
	if ("silence" in found) return { prediction, considered: [] };
	const judged = found.candidates.map(({ candidate, document }) => {
		const { confidence, objection, key } = judge(candidate, document, found.scene, memory);
		return { candidate, document, confidence, objection, key, moved: memory.shiftOf(candidate.rules) };
	});
	const suggestions = "suggestions" in prediction ? prediction.suggestions : [];
	const origins = suggestions.map((suggestion) =>
		judged.find((one) => one.key === suggestion.key && isOf(suggestion, one)),
	);
	const rest = judged.filter((one) => !origins.includes(one)).toSorted((a, b) => b.confidence - a.confidence);
	// The suggestion that is shown can be slightly less likely than a more distant one from the same rule.
	const considered = [...origins.flatMap((one) => one ?? []), ...rest].map(({ key: _, ...one }) => ({
		...one,
		suggestion: suggestions[origins.findIndex((origin) => origin?.candidate === one.candidate)],
		contributions: contributionsOf(one.candidate),
	}));
	return { prediction, considered };
}

/**
 * Several candidates can have the same key: edits to equal lines at different locations, or one edit to all of them.
 */
function isOf(
	suggestion: Suggestion,
	{ candidate, confidence }: { candidate: Candidate; confidence: number },
): boolean {
	const { proposal } = candidate;
	if (suggestion.confidence !== confidence || suggestion.kind !== proposal.kind) return false;
	const [made, meant] = [suggestion, proposal].map((one) => (one.kind === "edit" ? JSON.stringify(one.edits) : ""));
	return made === meant;
}
