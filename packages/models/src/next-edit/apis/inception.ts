import { EventBuffer } from "../../events.js";
import { textOf, WholeReader } from "../../framing.js";
import { type HttpRequest, versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import { type ApiRequest, type EditApi, postRequest } from "./api.js";
import { fillInMiddle } from "./mistral.js";
import { openAiChat } from "./openai-chat.js";
import { type CompletionChoices, choicePieceOf, requiredText, TextReader } from "./text-reader.js";

/** Inception's API, with an endpoint for edits that other providers do not have. */
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

/** It does not stream: what it writes is changed everywhere at once until it is done. */
function edit({ user, tokensMax }: Extract<ModelPrompt, { kind: "edit" }>, settings: EditModelSettings): ApiRequest {
	const messages = [{ role: "user", content: user }];
	const body = { model: settings.model, messages, stream: false, max_tokens: tokensMax };
	const gathering = new EventBuffer();
	let id: string | undefined;
	const reading = new TextReader<CompletionChoices>(gathering, (data) => {
		id = textOf(data?.id) || undefined;
		const piece = choicePieceOf(data);
		return piece.error != null ? piece : { ...piece, text: requiredText(piece.text) };
	});
	const request = postRequest(versionedUrl(settings, "/edit/completions"), settings, body);
	return { request, decoder: { framing: new WholeReader(), reader: reading, events: gathering }, id: () => id };
}

/** What became of an answer. */
export type ModelFeedback = "accepted" | "rejected" | "ignored";

/**
 * What Inception wants to know of an answer, and not a word more: no key goes with it, since its host is another than that of
 * the base URL. Behind another address than Inception's own, it is told at that one.
 */
export function feedbackRequest({ baseUrl }: EditModelSettings, id: string, verdict: ModelFeedback): HttpRequest {
	const { protocol, host } = new URL(baseUrl);
	const asked = host === "api.inceptionlabs.ai" ? "api-feedback.inceptionlabs.ai" : host;
	const action = { accepted: "accept", rejected: "reject", ignored: "ignore" }[verdict];
	return {
		url: `${protocol}//${asked}/feedback`,
		headers: { "content-type": "application/json" },
		body: JSON.stringify({
			request_id: id,
			provider_name: "segue",
			user_action: action,
			provider_version: MODELS_VERSION,
		}),
	};
}

/** What providers are told who want to know. It is that of this package, whose manifest lies outside of what is compiled. */
const MODELS_VERSION = "0.1.0";
