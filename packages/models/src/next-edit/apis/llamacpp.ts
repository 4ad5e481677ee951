import { type ChatEnd, EventBuffer } from "../../events.js";
import type { ReplyDecoder } from "../../framing.js";
import { rootUrl } from "../../http-request.js";
import { EventReader } from "../../sse.js";
import type { ModelPrompt } from "../format.js";
import { type EditApi, postRequest, stopField } from "./api.js";
import { openAiChat } from "./openai-chat.js";
import { requiredText, type TextPiece, TextReader } from "./text-reader.js";

/** The server of llama.cpp: its own endpoints, and its chat completions. One that stands before several models needs the name. */
export const llamaCpp: EditApi = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
		case "fill": {
			const { tokensMax, temperature } = ask;
			const bounds = { n_predict: tokensMax, temperature, ...stopField(ask.stop) };
			// The server reuses the common beginning of this prompt and the one before.
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

// As the server's own editor plugins ask it. The sampler `infill` weighs ending the text against going on.
const INFILL = {
	samplers: ["top_k", "top_p", "infill"],
	top_k: 40,
	top_p: 0.99,
	// A completion at the cursor that takes longer comes too late.
	t_max_prompt_ms: 500,
	t_max_predict_ms: 1000,
};

/** The typed part of the cursor's line goes behind the tokens as the begin of the answer. The answer ends at a line with less indentation. */
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
	const gathering = new EventBuffer();
	return { framing: new EventReader(), reader: new TextReader<Content>(gathering, pieceOf), events: gathering };
}

function pieceOf(data: Content | null): TextPiece {
	// Older servers have a flag for each way to end.
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
