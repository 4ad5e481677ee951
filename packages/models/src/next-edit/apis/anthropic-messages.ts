import { thinksByBudget } from "../../chat/anthropic-request.js";
import { chatReplyDecoder } from "../../chat/chat-model.js";
import { writeChatRequest } from "../../chat/request.js";
import { versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import type { ApiRequest, EditApi } from "./api.js";

/** Anthropic's Messages API. */
export const anthropic: EditApi = (ask, settings) => (ask.kind === "chat" ? messages(ask, settings) : undefined);

/** Uses the chat request, which omits the temperature for models that don't accept it. */
function messages(ask: Extract<ModelPrompt, { kind: "chat" }>, settings: EditModelSettings): ApiRequest {
	const { model } = settings;
	const takesEffort = /claude/.test(model) && !thinksByBudget(model);
	const request = writeChatRequest(
		{ ...settings, type: "anthropic", baseUrl: versionedUrl(settings, ""), takesImages: false },
		{
			system: ask.system,
			messages: [{ role: "user", parts: [{ type: "text", text: ask.user }] }],
			tools: [],
			effort: takesEffort ? "low" : undefined,
		},
		ask,
	);
	return { request, decoder: chatReplyDecoder("anthropic") };
}
