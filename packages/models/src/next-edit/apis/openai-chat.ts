import { chatReplyDecoder } from "../../chat/chat-model.js";
import { THOUGHT_TOKENS_MAX } from "../../chat/request.js";
import { versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type ApiRequest, type EditApi, postRequest, stopField } from "./api.js";
import { choicesDecoder } from "./text-reader.js";

/**
 * Creates a request to OpenAI-compatible chat completions. Thinking is disabled because it would delay suggestions too
 * much. Servers differ in how to disable it and may reject unknown fields.
 */
export function openAiChat(
	{ system, user, tokensMax, temperature }: Extract<ModelPrompt, { kind: "chat" }>,
	settings: EditModelSettings,
	url: string,
	thinking: object = {},
): ApiRequest {
	const messages = [
		{ role: "system", content: system },
		{ role: "user", content: user },
	];
	const usual = { model: settings.model, messages, stream: true, ...thinking };
	const bounds = boundsOf(settings, tokensMax, temperature);
	return {
		request: postRequest(url, settings, { ...usual, ...bounds }),
		decoder: chatReplyDecoder("openai-compatible"),
	};
}

function boundsOf({ model, baseUrl }: EditModelSettings, tokensMax: number, temperature: number): object {
	const isOpenAi = new URL(baseUrl).hostname === "api.openai.com";
	const isOpen = /\bgpt-oss\b/.test(model);
	if (!isOpen && !ALWAYS_THINKS.test(model)) {
		return { [isOpenAi ? "max_completion_tokens" : "max_tokens"]: tokensMax, temperature };
	}
	// For these models, thoughts count as output. OpenAI's own models use another name for the limit and accept no
	// temperature.
	const room = tokensMax + THOUGHT_TOKENS_MAX;
	const effort = { reasoning_effort: "low" };
	return isOpen ? { max_tokens: room, temperature, ...effort } : { max_completion_tokens: room, ...effort };
}

const ALWAYS_THINKS = /(?:^|\/)(?:o\d|gpt-5(?!.*chat))/;

// OpenAI's limit on stop sequences; other servers accept at least as many. The reader handles any beyond the limit.
const STOPS_MAX = 4;

/** OpenAI's API, also implemented by LM Studio, vLLM, OpenRouter and many others. */
export const openAi: EditApi = (ask, settings) => {
	switch (ask.kind) {
		case "completion":
		case "fill": {
			const { tokensMax, temperature } = ask;
			const text = ask.kind === "fill" ? { prompt: ask.prefix, suffix: ask.suffix } : { prompt: ask.prompt };
			const bounds = { max_tokens: tokensMax, temperature, ...stopField(ask.stop.slice(0, STOPS_MAX)) };
			const body = { model: settings.model, ...text, ...bounds, stream: true };
			return {
				request: postRequest(versionedUrl(settings, "/completions"), settings, body),
				decoder: choicesDecoder(),
			};
		}
		case "chat":
			return openAiChat(ask, settings, versionedUrl(settings, "/chat/completions"));
		default:
			return undefined;
	}
};
