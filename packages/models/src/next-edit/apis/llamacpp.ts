import { type ChatEnd, EventBuffer } from "../../events.js";
import type { ReplyDecoder } from "../../framing.js";
import { rootUrl } from "../../http-request.js";
import { EventReader } from "../../sse.js";
import type { ModelPrompt } from "../format.js";
import { type EditApi, postRequest, stopField } from "./api.js";
import { openAiChat } from "./openai-chat.js";
import { requiredText, type TextPiece, TextReader } from "./text-reader.js";

/**
 * The llama.cpp server: its own endpoints and its chat completions. A router in front of several models needs the
 * model's name.
 */
export const llamaCpp: EditApi = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
		case "fill": {
			const { tokensMax, temperature } = ask;
			const bounds = { n_predict: tokensMax, temperature, ...stopField(ask.stop) };
			// Reuse the common prefix with the previous prompt.
			const usual = { model: settings.model, ...bounds, stream: true, cache_prompt: true };
			const [path, body] =
				ask.kind === "fill"
					? ["/infill", { ...usual, ...infillOf(ask) }]
					: ["/completion", { prompt: ask.prompt, ...usual }];
			return { request: postRequest(rootUrl(settings, path), settings, body), decoder: incomingContent() };
		}
		case "chat": {
			const thinking = { chat_template_kwargs: { enable_thinking: false }, cache_prompt: true };
			return openAiChat(ask, settings, rootUrl(settings, "/v1/chat/completions"), thinking);
		}
		default:
			return undefined;
	}
};

// The same values as in llama.cpp's own editor plugins. The `infill` sampler weighs ending the text against continuing
// it.
const INFILL = {
	samplers: ["top_k", "top_p", "infill"],
	top_k: 40,
	top_p: 0.99,
	// A completion that arrives later is useless.
	t_max_prompt_ms: 500,
	t_max_predict_ms: 1000,
};

/**
 * Sends the typed part of the cursor's line after the tokens, as the start of the reply. The server ends the reply at a
 * line with less indentation.
 */
function infillOf({ prefix, suffix, extra }: Extract<ModelPrompt, { kind: "fill" }>): Record<string, unknown> {
	const typed = prefix.slice(prefix.lastIndexOf("\n") + 1);
	return {
		...INFILL,
		input_prefix: prefix.slice(0, prefix.length - typed.length),
		input_suffix: suffix,
		input_extra: extra.map(({ path: filename, text }) => ({ filename, text })),
		prompt: typed,
		n_indent: typed.trim() === "" ? 0 : typed.length - typed.trimStart().length,
	};
}

function incomingContent(): ReplyDecoder {
	const buffer = new EventBuffer();
	return { framing: new EventReader(), reader: new TextReader<Content>(buffer, pieceOf), events: buffer };
}

function pieceOf(data: Content | null): TextPiece {
	// Older servers send a separate flag for each way in which a reply can end.
	const isCut = data?.stop_type === "limit" || data?.stopped_limit === true;
	const end: ChatEnd = isCut ? "length" : "done";
	if (data?.error != null) return { text: "", end: undefined, error: data.error };
	return { text: requiredText(data?.content), end: data?.stop === true ? end : undefined, error: undefined };
}

interface Content {
	readonly content?: unknown;
	readonly stop?: unknown;
	readonly stop_type?: unknown;
	readonly stopped_limit?: unknown;
	readonly error?: unknown;
}
