import type { ChatEnd } from "../../event.js";
import { Gathering } from "../../gathering.js";
import type { Incoming } from "../../reading.js";
import { EventReader } from "../../sse.js";
import { rootUrl } from "../../wire-request.js";
import { chat } from "./chat.js";
import { type TextPiece, TextReading, textIn } from "./text-reading.js";
import { post, stopsOf, type Wire } from "./wire.js";

/** The server of llama.cpp: its own endpoints, and its chat completions. One that stands before several models needs the name. */
export const llamaCpp: Wire = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
		case "fill": {
			const { tokensMax, temperature } = ask;
			const bounds = { n_predict: tokensMax, temperature, ...stopsOf(ask.stop) };
			// What was read for the request before is not read again as far as the prompts are alike.
			const usual = { model: settings.model, ...bounds, stream: true, cache_prompt: true };
			const [path, body] =
				ask.kind === "fill"
					? [
							"/infill",
							{
								input_prefix: ask.prefix,
								input_suffix: ask.suffix,
								input_extra: ask.extra.map(({ path: filename, text }) => ({ filename, text })),
								...usual,
							},
						]
					: ["/completion", { prompt: ask.prompt, ...usual }];
			return { request: post(rootUrl(settings, path), settings, body), incoming: incomingContent() };
		}
		case "chat": {
			const thinking = { chat_template_kwargs: { enable_thinking: false }, cache_prompt: true };
			return chat(ask, settings, rootUrl(settings, "/v1/chat/completions"), thinking);
		}
		default:
			return undefined;
	}
};

function incomingContent(): Incoming {
	const gathering = new Gathering();
	return { framing: new EventReader(), reading: new TextReading<Content>(gathering, pieceOf), gathering };
}

function pieceOf(data: Content | null): TextPiece {
	// Older servers have a flag for each way to end.
	const isCut = data?.stop_type === "limit" || data?.stopped_limit === true;
	const end: ChatEnd = isCut ? "length" : "done";
	if (data?.error != null) return { text: "", end: undefined, error: data.error };
	return { text: textIn(data?.content), end: data?.stop === true ? end : undefined, error: undefined };
}

interface Content {
	readonly content?: unknown;
	readonly stop?: unknown;
	readonly stop_type?: unknown;
	readonly stopped_limit?: unknown;
	readonly error?: unknown;
}
