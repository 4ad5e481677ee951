import { chatReplyDecoder } from "../../chat/chat-model.js";
import { thinksByBudget, writeChatRequest } from "../../chat/request.js";
import { versionedUrl } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";
import type { ApiRequest, EditApi } from "./api.js";

/** Anthropic's messages. */
export const anthropic: EditApi = (ask, settings) => (ask.kind === "chat" ? messages(ask, settings) : undefined);

/** Written by the provider's package, which knows the models that take no temperature. */
async function messages(ask: Extract<ModelPrompt, { kind: "chat" }>, settings: EditModelSettings): Promise<ApiRequest> {
	const { model } = settings;
	const isTold = /claude/.test(model) && !thinksByBudget(model);
	const request = await writeChatRequest(
		{ ...settings, type: "anthropic", baseUrl: versionedUrl(settings, ""), takesImages: false },
		{
			system: ask.system,
			messages: [{ role: "user", parts: [{ type: "text", text: ask.user }] }],
			tools: [],
			effort: isTold ? "low" : undefined,
		},
		ask,
	);
	return { request, decoder: chatReplyDecoder("anthropic") };
}
