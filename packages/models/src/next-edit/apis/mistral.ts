import { versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type ApiRequest, type EditApi, postRequest, stopField } from "./api.js";
import { openAiChat } from "./openai-chat.js";
import { choicesDecoder } from "./text-reader.js";

export const mistral: EditApi = (ask, settings) => {
	if (ask.kind === "fill") return fillInMiddle(ask, settings);
	return ask.kind === "chat" ? openAiChat(ask, settings, versionedUrl(settings, "/chat/completions")) : undefined;
};

/** Mistral's fill-in-the-middle endpoint, also supported by Inception. */
export function fillInMiddle(
	{ prefix, suffix, stop, tokensMax, temperature }: Extract<ModelPrompt, { kind: "fill" }>,
	settings: EditModelSettings,
): ApiRequest {
	const bounds = { max_tokens: tokensMax, temperature, ...stopField(stop) };
	const body = { model: settings.model, prompt: prefix, suffix, ...bounds, stream: true };
	return {
		request: postRequest(versionedUrl(settings, "/fim/completions"), settings, body),
		decoder: choicesDecoder(),
	};
}
