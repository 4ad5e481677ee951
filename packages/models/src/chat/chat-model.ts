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

/** Creates a chat model that is accessed over HTTP. Connects on the first request. */
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
			// Awaiting batches instead of single events creates fewer promises, because one read often yields several events.
			for (let batch = await answer.next(); batch !== undefined; batch = await answer.next()) {
				for (const event of batch) yield event;
			}
			return;
		} catch (error) {
			// Failures after the first event are never temporary.
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
		? "Try again later, or choose another model."
		: `Gave up after ${tries} tries. Try again later, or choose another model.`;
}

/** Creates a decoder for a streamed chat reply. */
export function chatReplyDecoder(type: ModelSettings["type"]): ReplyDecoder {
	const buffer = new EventBuffer();
	const reader = type === "anthropic" ? new AnthropicReader(buffer) : new OpenAiReader(buffer);
	return { framing: new EventReader(), reader, events: buffer };
}

/** Providers usually recover within seconds. After about half a minute, it is better to report the failure. */
export const TRIES_MAX = 5;

/** The first delay. It doubles with every try. */
const BACK_OFF_MS = 1000;

/** If the provider asks for a longer wait, the request fails with a message that says how long to wait. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Returns the delay before the next try, or undefined to give up. Without a Retry-After header, the delay is between
 * 50% and 100% of the exponential delay. This jitter keeps clients that failed together from retrying together.
 */
export function backOff(failure: TemporaryFailure, tries: number, random: number): number | undefined {
	if (tries >= TRIES_MAX) return undefined;
	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= RETRY_AFTER_MS_MAX ? failure.retryAfterMs : undefined;
	}
	const doubled = BACK_OFF_MS * 2 ** (tries - 1);
	return Math.round((doubled * (1 + random)) / 2);
}

/** Resolves after the delay. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(delayMs: number, clock: ModelClock, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		function abort() {
			cancel();
			reject(signal.reason);
		}
		const cancel = clock.after(delayMs, () => {
			signal.removeEventListener("abort", abort);
			resolve();
		});
		if (signal.aborted) abort();
		else signal.addEventListener("abort", abort, { once: true });
	});
}
