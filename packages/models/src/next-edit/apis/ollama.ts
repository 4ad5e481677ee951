import { THOUGHT_TOKENS_MAX } from "../../chat/request.js";
import { type ChatEnd, EventBuffer } from "../../events.js";
import { JsonLineReader, type ReplyDecoder } from "../../framing.js";
import { rootUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type EditApi, postRequest, stopField } from "./api.js";
import { requiredText, type TextPiece, TextReader } from "./text-reader.js";

/** What Ollama looks at by itself where there is little memory, so that other requests for the model have the same. */
const WINDOW_TOKENS = 4_096;

/** The longest that any format asks and hears. More would only cost memory, which Ollama takes for all of a window at once. */
const WINDOW_TOKENS_MAX = 16_384;

/**
 * How many tokens a model of Ollama's looks at. It is the same for all its requests, since Ollama loads a model anew for another
 * window; and it is always said, since of a prompt that is longer than the window, Ollama drops the beginning without a word.
 */
export function ollamaWindow({ windowTokens }: Pick<EditModelSettings, "windowTokens">): number {
	return Math.min(windowTokens ?? WINDOW_TOKENS, WINDOW_TOKENS_MAX);
}

/** Ollama's own API. Its chat completions as OpenAI has them cannot be told how much to look at. */
export const ollama: EditApi = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
			return generate(ask, settings, { prompt: ask.prompt, raw: true });
		case "fill":
			return generate(ask, settings, { prompt: ask.prefix, suffix: ask.suffix });
		case "chat":
			return chat(ask, settings);
		default:
			return undefined;
	}
};

function generate(
	{ tokensMax, temperature, stop }: Extract<ModelPrompt, { kind: "completion" | "fill" }>,
	settings: EditModelSettings,
	text: object,
) {
	const options = { num_predict: tokensMax, temperature, ...stopField(stop), num_ctx: ollamaWindow(settings) };
	const body = { model: settings.model, ...text, stream: true, options };
	const decoder = incomingLines((data) => data?.response);
	return { request: postRequest(rootUrl(settings, "/api/generate"), settings, body), decoder };
}

function chat(
	{ system, user, tokensMax, temperature }: Extract<ModelPrompt, { kind: "chat" }>,
	settings: EditModelSettings,
) {
	const messages = [
		{ role: "system", content: system },
		{ role: "user", content: user },
	];
	// This one cannot be kept from thinking, and its thoughts are counted.
	const alwaysThinks = /\bgpt-oss\b/.test(settings.model);
	const thoughts = alwaysThinks ? THOUGHT_TOKENS_MAX : 0;
	const options = { num_predict: tokensMax + thoughts, temperature, num_ctx: ollamaWindow(settings) + thoughts };
	const think = alwaysThinks ? "low" : false;
	const body = { model: settings.model, messages, stream: true, think, options };
	const decoder = incomingLines((data) => data?.message?.content);
	return { request: postRequest(rootUrl(settings, "/api/chat"), settings, body), decoder };
}

function incomingLines(textOf: (data: Line | null) => unknown): ReplyDecoder {
	const gathering = new EventBuffer();
	const pieceOf = (data: Line | null): TextPiece => {
		const end: ChatEnd = data?.done_reason === "length" ? "length" : "done";
		if (data?.error != null) return { text: "", end: undefined, error: data.error };
		return { text: requiredText(textOf(data)), end: data?.done === true ? end : undefined, error: undefined };
	};
	return { framing: new JsonLineReader(), reader: new TextReader<Line>(gathering, pieceOf), events: gathering };
}

interface Line {
	readonly response?: unknown;
	readonly message?: { readonly content?: unknown } | null;
	readonly done?: unknown;
	readonly done_reason?: unknown;
	readonly error?: unknown;
}
