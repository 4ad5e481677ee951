import { MODEL_CLOCK, type ModelClock } from "../clock.js";
import { type ChatEvent, EventBuffer } from "../events.js";
import { findSettingsFailure, ModelFailure, TemporaryFailure } from "../failure.js";
import type { ReplyDecoder } from "../framing.js";
import { ReplyStream } from "../reply-stream.js";
import type { ModelSettings } from "../settings.js";
import { EventReader } from "../sse.js";
import { AnthropicReader } from "./anthropic-reader.js";
import type { ChatModel, ChatRequest } from "./messages.js";
import { OpenAiReader } from "./openai-reader.js";
import { writeChatRequest } from "./request.js";

/** A model that is asked over HTTP. Nothing is loaded and nobody is called before the first request. */
export function chatModel(settings: ModelSettings, clock: ModelClock = MODEL_CLOCK): ChatModel {
	const { name, windowTokens, takesImages } = settings;
	return {
		name,
		windowTokens,
		takesImages,
		stream: (request, signal) => streamReply(settings, request, clock, signal),
	};
}

async function* streamReply(
	settings: ModelSettings,
	request: ChatRequest,
	clock: ModelClock,
	signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, undefined> {
	signal.throwIfAborted();
	const failure = findSettingsFailure(settings);
	if (failure !== undefined) throw failure;
	const written = writeChatRequest(settings, request);
	for (let tries = 1; ; tries++) {
		const answer = new ReplyStream(settings, written, chatReplyDecoder(settings.type), clock, signal);
		try {
			// Events that came in one read are one batch, so that a chunk costs no more promises than it must.
			for (let batch = await answer.next(); batch !== undefined; batch = await answer.next()) {
				for (const event of batch) yield event;
			}
			return;
		} catch (error) {
			// Only a failure before the first event passes; those after it are of another kind.
			if (!(error instanceof TemporaryFailure)) throw error;
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

/** An answer to a conversation. */
export function chatReplyDecoder(type: ModelSettings["type"]): ReplyDecoder {
	const gathering = new EventBuffer();
	const reading = type === "anthropic" ? new AnthropicReader(gathering) : new OpenAiReader(gathering);
	return { framing: new EventReader(), reader: reading, events: gathering };
}

/** Providers recover within seconds or not for long: after about half a minute a person would rather know. */
export const TRIES_MAX = 5;

/** The first wait, which doubles with every try. */
const BACK_OFF_MS = 1000;

/** A provider that wants more than this is not waited for: the person is told how long it asks for. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * How long to wait before the next try, or undefined if there should be none. Without a word of the provider it is between half
 * and all of the doubling time, so that many who were refused at once do not come back at once.
 */
export function backOff(failure: TemporaryFailure, tries: number, random: number): number | undefined {
	if (tries >= TRIES_MAX) return undefined;
	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= RETRY_AFTER_MS_MAX ? failure.retryAfterMs : undefined;
	}
	const doubled = BACK_OFF_MS * 2 ** (tries - 1);
	return Math.round((doubled * (1 + random)) / 2);
}

/** Waits, unless the signal is aborted: then it throws the signal's reason at once. */
export function pause(delayMs: number, clock: ModelClock, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		function abort() {
			callOff();
			reject(signal.reason);
		}
		const callOff = clock.after(delayMs, () => {
			signal.removeEventListener("abort", abort);
			resolve();
		});
		if (signal.aborted) abort();
		else signal.addEventListener("abort", abort, { once: true });
	});
}
