import type { ReplyDecoder } from "../../framing.js";
import { bearerOf, type HttpRequest, headersFor } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";

/** Creates the request for a prompt. Returns undefined if the API does not support this kind of prompt. */
export type EditApi = (ask: ModelPrompt, settings: EditModelSettings) => ApiRequest | undefined;

/** A request, and the decoder for its reply. */
export interface ApiRequest {
	readonly request: HttpRequest;
	readonly decoder: ReplyDecoder;
	/**
	 * Returns the provider's id for the reply, or undefined before it has arrived. Only for APIs that accept feedback.
	 */
	readonly id?: () => string | undefined;
}

/** Creates a JSON request with a bearer token. Configured headers take precedence. */
export function postRequest(url: string, settings: EditModelSettings, body: object): HttpRequest {
	const headers = headersFor(settings, { "content-type": "application/json", ...bearerOf(settings) });
	return { url, headers, body: JSON.stringify(body) };
}

/** Omits an empty list, which some servers reject. */
export function stopField(stop: readonly string[]): { readonly stop?: readonly string[] } {
	return stop.length === 0 ? {} : { stop };
}
