import type { ChatModel } from "@segue/models";
import type { Clock } from "@segue/text";

/** A model did not answer for as long as anybody waits. The message is a sentence for a person. */
export class ModelTimeout extends Error {}

// Who waits for a word at the cursor, or for a comment, has written it by then.
const ANSWER_MS_MAX = 30_000;

export interface WritingPrompt {
	readonly system: string;
	readonly text: string;
	/** Whether what was said so far is all that is wanted. */
	isEnough(said: string): boolean;
}

/**
 * What a model says to one question. Throws a `ModelFailure` where it cannot, a `ModelTimeout`, or the signal's reason; the request
 * is closed on the wire then.
 */
export async function completePrompt(
	model: ChatModel,
	{ system, text, isEnough }: WritingPrompt,
	clock: Clock,
	signal: AbortSignal,
): Promise<string> {
	const late = new AbortController();
	const seconds = ANSWER_MS_MAX / 1000;
	const callOff = clock.after(ANSWER_MS_MAX, () => {
		late.abort(
			new ModelTimeout(`${model.name} did not answer within ${seconds} seconds. Try again, or choose another model.`),
		);
	});
	try {
		let said = "";
		const request = {
			system,
			messages: [{ role: "user", parts: [{ type: "text", text }] }],
			tools: [],
			effort: undefined,
		} as const;
		for await (const event of model.stream(request, AbortSignal.any([signal, late.signal]))) {
			if (event.type !== "text") continue;
			said += event.text;
			if (isEnough(said)) break;
		}
		return said;
	} finally {
		callOff();
	}
}
