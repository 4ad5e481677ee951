import { unwritableRequest } from "../failure.js";
import type { HttpRequest } from "../http-request.js";
import type { ModelSettings } from "../settings.js";
import { anthropicRequest } from "./anthropic-request.js";
import type { ChatRequest, OutputLimits } from "./messages.js";
import { openAiRequest } from "./openai-request.js";

/** Extra tokens for a model that always thinks, even when asked for little effort. */
export const THOUGHT_TOKENS_MAX = 2_048;

/** Creates a request for the provider's API. Throws a `ModelFailure` if the API does not accept some of the content. */
export function writeChatRequest(
	settings: ModelSettings,
	request: ChatRequest,
	limits?: OutputLimits,
): HttpRequest & { readonly body: string } {
	const write = settings.type === "anthropic" ? anthropicRequest : openAiRequest;
	const thoughts = request.effort === undefined ? 0 : THOUGHT_TOKENS_MAX;
	const bounded = limits && { ...limits, tokensMax: limits.tokensMax + thoughts };
	try {
		const { url, headers, body } = write(settings, request, bounded);
		return { url, headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== "")), body };
	} catch (error) {
		throw unwritableRequest(settings, error);
	}
}
