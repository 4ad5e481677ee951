import type { ChatEnd } from "../../chat.js";
import { LineReader } from "../../framing.js";
import { Gathering } from "../../gathering.js";
import type { Incoming } from "../../incoming.js";
import type { EditModelSettings } from "../../settings.js";
import type { Ask } from "../format.js";
import { chat } from "./chat.js";
import { type TextPiece, TextReading, textIn } from "./text-reading.js";
import { post, rootUrl, stopsOf, type Wire } from "./wire.js";

/** Ollama's own API, and its chat completions. */
export const ollama: Wire = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
			return generate(ask, settings, { prompt: ask.prompt, raw: true });
		case "fill":
			return generate(ask, settings, { prompt: ask.prefix, suffix: ask.suffix });
		case "chat": {
			const thinking = /\bgpt-oss\b/.test(settings.model) ? {} : { reasoning_effort: "none" };
			return chat(ask, settings, rootUrl(settings, "/v1/chat/completions"), thinking);
		}
		default:
			return undefined;
	}
};

function generate(
	{ tokensMax, temperature, stop }: Extract<Ask, { kind: "completion" | "fill" }>,
	settings: EditModelSettings,
	text: object,
) {
	const options = {
		num_predict: tokensMax,
		temperature,
		...stopsOf(stop),
		// Of a prompt that is longer than its window, Ollama drops the beginning without a word.
		...(settings.windowTokens !== undefined && { num_ctx: settings.windowTokens }),
	};
	const body = { model: settings.model, ...text, stream: true, options };
	return { request: post(rootUrl(settings, "/api/generate"), settings, body), incoming: incomingLines() };
}

function incomingLines(): Incoming {
	const gathering = new Gathering();
	return { framing: new LineReader(), reading: new TextReading<Generated>(gathering, pieceOf), gathering };
}

function pieceOf(data: Generated | null): TextPiece {
	const end: ChatEnd = data?.done_reason === "length" ? "length" : "done";
	if (data?.error != null) return { text: "", end: undefined, error: data.error };
	return { text: textIn(data?.response), end: data?.done === true ? end : undefined, error: undefined };
}

interface Generated {
	readonly response?: unknown;
	readonly done?: unknown;
	readonly done_reason?: unknown;
	readonly error?: unknown;
}
