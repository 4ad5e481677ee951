import type { Prediction, Silence } from "@segue/predict";

/** A prediction that tells, where nothing came of what a model wrote, what that means and what to do if it happens often. */
export function withNextStep(prediction: Prediction, model: string): Prediction {
	if (!("silence" in prediction) || prediction.detail !== undefined) return prediction;
	const words = NEXT_STEPS[prediction.silence];
	if (words === undefined) return prediction;
	return { ...prediction, detail: words, model: { name: model, failure: undefined, words } };
}

const OTHER_FORMAT = "If that happens often, try another format: segue doctor";

/**
 * Of those reasons that say nothing to somebody who does not know how models are asked, and that are never about what a rule
 * found.
 */
const NEXT_STEPS: Readonly<Partial<Record<Silence, string>>> = {
	"unreadable-answer": `What the model wrote is not in the format that it was asked in. ${OTHER_FORMAT}`,
	"cut-off": `The model had to stop in the middle of its answer, which may have been more than was asked for. ${OTHER_FORMAT}`,
	"special-token": `The model wrote a token of its prompts into the text. ${OTHER_FORMAT}`,
	"special-token-in-text":
		"The text around the cursor holds a token of the model's prompts, and is not shown to it. It is asked again elsewhere; a format with other tokens can be tried, too: segue doctor",
	"no-edit":
		"The model says that there is nothing to change here. If it always says so, try another format: segue doctor",
};
