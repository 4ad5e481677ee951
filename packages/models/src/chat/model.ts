import { Answer } from "../answer.js";
import { CLOCK, type Clock } from "../clock.js";
import type { ChatEvent } from "../event.js";
import { ModelFailure, PassingFailure } from "../failure.js";
import { findSettingsFailure } from "../failure-of.js";
import type { ModelSettings } from "../settings.js";
import type { ChatModel, ChatRequest } from "./chat.js";
import { incomingChat } from "./incoming.js";
import { writeRequest } from "./request.js";
import { backOff, pause, TRIES_MAX } from "./retry.js";

/** A model that is asked over HTTP. Nothing is loaded and nobody is called before the first request. */
export function chatModel(settings: ModelSettings, clock: Clock = CLOCK): ChatModel {
	const { name, windowTokens, takesImages } = settings;
	return {
		name,
		windowTokens,
		takesImages,
		stream: (request, signal) => streamAnswer(settings, request, clock, signal),
	};
}

async function* streamAnswer(
	settings: ModelSettings,
	request: ChatRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, undefined> {
	signal.throwIfAborted();
	const failure = findSettingsFailure(settings);
	if (failure !== undefined) throw failure;
	const written = await writeRequest(settings, request);
	for (let tries = 1; ; tries++) {
		const answer = new Answer(settings, written, incomingChat(settings.type), clock, signal);
		try {
			// Events that came in one read are one batch, so that a chunk costs no more promises than it must.
			for (let batch = await answer.next(); batch !== undefined; batch = await answer.next()) {
				for (const event of batch) yield event;
			}
			return;
		} catch (error) {
			// Only a failure before the first event passes; those after it are of another kind.
			if (!(error instanceof PassingFailure)) throw error;
			const afterMs = backOff(error, tries, clock.random());
			if (afterMs === undefined) throw new ModelFailure(error.kind, `${error.message} ${adviceAfter(tries)}`);
			yield { type: "retrying", afterMs, why: error.message };
			await pause(afterMs, clock, signal);
		} finally {
			answer.close();
		}
	}
}

function adviceAfter(tries: number): string {
	return tries < TRIES_MAX
		? "Ask again later, or choose another model."
		: `It was tried ${tries} times. Ask again in a while, or choose another model.`;
}
