import type { ReplyDecoder } from "../../framing.js";
import { bearerOf, type HttpRequest, headersFor } from "../../http-request.js";
import type { EditModelSettings } from "../../settings.js";
import type { ModelPrompt } from "../format.js";

/** How one API is asked. Undefined is what it has nothing for. */
export type EditApi = (ask: ModelPrompt, settings: EditModelSettings) => ApiRequest | undefined;

/** A request that is ready to be sent, and how its answer is read. */
export interface ApiRequest {
	readonly request: HttpRequest;
	readonly decoder: ReplyDecoder;
	/** The provider's name for the answer, once that has come; for those who can be told what became of it. */
	readonly id?: () => string | undefined;
}

/** A request in JSON, with the key where most servers want it. What a person configured as headers comes first. */
export function postRequest(url: string, settings: EditModelSettings, body: object): HttpRequest {
	const headers = headersFor(settings, { "content-type": "application/json", ...bearerOf(settings) });
	return { url, headers, body: JSON.stringify(body) };
}

/** An empty list of stops is refused by some servers. */
export function stopField(stop: readonly string[]): { readonly stop?: readonly string[] } {
	return stop.length === 0 ? {} : { stop };
}
