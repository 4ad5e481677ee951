import type { ChatModel } from "@segue/models";
import type { Clock } from "@segue/text";

/** A model did not respond in time. The message is for the user. */
export class ModelTimeout extends Error {}

// By then, users have written the completion or comment themselves.
const ANSWER_MS_MAX = 30_000;

export interface WritingPrompt {
	readonly system: string;
	readonly text: string;
	/** Whether the answer so far is long enough to stop. */
	isEnough(answer: string): boolean;
}

/**
 * Returns a model's answer to a prompt. On failure, closes the connection to the model and throws a `ModelFailure`, a
 * `ModelTimeout` or the signal's reason.
 */
export async function completePrompt(
	model: ChatModel,
	{ system, text, isEnough }: WritingPrompt,
	clock: Clock,
	signal: AbortSignal,
): Promise<string> {
	const late = new AbortController();
	const seconds = ANSWER_MS_MAX / 1000;
	const cancelTimer = clock.after(ANSWER_MS_MAX, () => {
		late.abort(
			new ModelTimeout(`${model.name} did not respond within ${seconds} seconds. Try again, or choose another model.`),
		);
	});
	try {
		let answer = "";
		const request = {
			system,
			messages: [{ role: "user", parts: [{ type: "text", text }] }],
			tools: [],
			effort: undefined,
		} as const;
		for await (const event of model.stream(request, AbortSignal.any([signal, late.signal]))) {
			if (event.type !== "text") continue;
			answer += event.text;
			if (isEnough(answer)) break;
		}
		return answer;
	} finally {
		cancelTimer();
	}
}
