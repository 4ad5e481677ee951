import { EventBuffer } from "../../events.js";
import { textOf, WholeReader } from "../../framing.js";
import { type HttpRequest, versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type ApiRequest, type EditApi, postRequest } from "./api.js";
import { fillInMiddle } from "./mistral.js";
import { openAiChat } from "./openai-chat.js";
import { type CompletionChoices, choicePieceOf, requiredText, TextReader } from "./text-reader.js";

/** Inception's API, which has its own endpoint for edits. */
export const inception: EditApi = (ask, settings) => {
	switch (ask.kind) {
		case "edit":
			return edit(ask, settings);
		case "fill":
			return fillInMiddle(ask, settings);
		case "chat":
			return openAiChat(ask, settings, versionedUrl(settings, "/chat/completions"));
		default:
			return undefined;
	}
};

/** Not streamed: a diffusion model revises the whole text until it is done. */
function edit({ user, tokensMax }: Extract<ModelPrompt, { kind: "edit" }>, settings: EditModelSettings): ApiRequest {
	const messages = [{ role: "user", content: user }];
	const body = { model: settings.model, messages, stream: false, max_tokens: tokensMax };
	const buffer = new EventBuffer();
	let id: string | undefined;
	const reader = new TextReader<CompletionChoices>(buffer, (data) => {
		id = textOf(data?.id) || undefined;
		const piece = choicePieceOf(data);
		return piece.error != null ? piece : { ...piece, text: requiredText(piece.text) };
	});
	const request = postRequest(versionedUrl(settings, "/edit/completions"), settings, body);
	return { request, decoder: { framing: new WholeReader(), reader, events: buffer }, id: () => id };
}

/** The outcome of a suggestion. */
export type ModelFeedback = "accepted" | "rejected" | "ignored";

/**
 * Creates a request with only the fields that Inception asks for. No key is sent, because the feedback host differs
 * from the host of the base URL. If the base URL is not Inception's own, feedback goes to its host instead.
 */
export function feedbackRequest({ baseUrl }: EditModelSettings, id: string, verdict: ModelFeedback): HttpRequest {
	const { protocol, host } = new URL(baseUrl);
	const feedbackHost = host === "api.inceptionlabs.ai" ? "api-feedback.inceptionlabs.ai" : host;
	const action = { accepted: "accept", rejected: "reject", ignored: "ignore" }[verdict];
	return {
		url: `${protocol}//${feedbackHost}/feedback`,
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			request_id: id,
			provider_name: "segue",
			user_action: action,
			provider_version: MODELS_VERSION,
		}),
	};
}

/** Sent to providers. Keep in sync with the version in package.json, which is not part of the compilation. */
const MODELS_VERSION = "0.1.0";
