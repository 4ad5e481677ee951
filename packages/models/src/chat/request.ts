import { unwritableRequest } from "../failure.js";
import type { HttpRequest } from "../http-request.js";
import type { ModelSettings } from "../settings.js";
import { anthropicRequest } from "./anthropic-request.js";
import type { ChatRequest, OutputLimits } from "./messages.js";
import { openAiRequest } from "./openai-request.js";

/** Room for the thoughts of a model that cannot answer without any, and is told to keep them short. */
export const THOUGHT_TOKENS_MAX = 2_048;

/** Writes a request for the API that a provider has. Throws a `ModelFailure` for what cannot be written. */
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
