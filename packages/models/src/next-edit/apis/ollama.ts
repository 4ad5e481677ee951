import { THOUGHT_TOKENS_MAX } from "../../chat/request.js";
import { type ChatEnd, EventBuffer } from "../../events.js";
import { JsonLineReader, type ReplyDecoder } from "../../framing.js";
import { rootUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type EditApi, postRequest, stopField } from "./api.js";
import { requiredText, type TextPiece, TextReader } from "./text-reader.js";

/**
 * Ollama's default on machines with little memory. Requesting another size would make Ollama reload the model for other
 * clients.
 */
const WINDOW_TOKENS = 4_096;

/**
 * The size of the longest prompt and reply in any format. Ollama allocates memory for the whole window, so a larger one
 * would be wasteful.
 */
const WINDOW_TOKENS_MAX = 16_384;

/**
 * Returns the context window to request. It is always the same for a model, because Ollama reloads the model if the
 * size changes. It is always explicit, because Ollama silently drops the start of a prompt that is too long.
 */
export function ollamaWindow({ windowTokens }: Pick<EditModelSettings, "windowTokens">): number {
	return Math.min(windowTokens ?? WINDOW_TOKENS, WINDOW_TOKENS_MAX);
}

/** Ollama's own API. Its OpenAI-compatible endpoint does not accept a context size. */
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
	// Thinking cannot be disabled for this model, and it counts as output.
	const alwaysThinks = /\bgpt-oss\b/.test(settings.model);
	const thoughts = alwaysThinks ? THOUGHT_TOKENS_MAX : 0;
	const options = { num_predict: tokensMax + thoughts, temperature, num_ctx: ollamaWindow(settings) + thoughts };
	const think = alwaysThinks ? "low" : false;
	const body = { model: settings.model, messages, stream: true, think, options };
	const decoder = incomingLines((data) => data?.message?.content);
	return { request: postRequest(rootUrl(settings, "/api/chat"), settings, body), decoder };
}

function incomingLines(textOf: (data: Line | null) => unknown): ReplyDecoder {
	const buffer = new EventBuffer();
	const pieceOf = (data: Line | null): TextPiece => {
		const end: ChatEnd = data?.done_reason === "length" ? "length" : "done";
		if (data?.error != null) return { text: "", end: undefined, error: data.error };
		return { text: requiredText(textOf(data)), end: data?.done === true ? end : undefined, error: undefined };
	};
	return { framing: new JsonLineReader(), reader: new TextReader<Line>(buffer, pieceOf), events: buffer };
}

interface Line {
	readonly response?: unknown;
	readonly message?: { readonly content?: unknown } | null;
	readonly done?: unknown;
	readonly done_reason?: unknown;
	readonly error?: unknown;
}
