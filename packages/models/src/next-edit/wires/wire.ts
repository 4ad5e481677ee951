import type { Incoming } from "../../reading.js";
import type { EditModelSettings } from "../../settings.js";
import { bearerOf, headersFor, type WireRequest } from "../../wire-request.js";
import type { Ask } from "../format.js";

/** How one API is asked. Undefined is what it has nothing for. */
export type Wire = (ask: Ask, settings: EditModelSettings) => Asking | Promise<Asking> | undefined;

/** A request that is ready to be sent, and how its answer is read. */
export interface Asking {
	readonly request: WireRequest;
	readonly incoming: Incoming;
	/** The provider's name for the answer, once that has come; for those who can be told what became of it. */
	readonly id?: () => string | undefined;
}

/** A request in JSON, with the key where most servers want it. What a person configured as headers comes first. */
export function post(url: string, settings: EditModelSettings, body: object): WireRequest {
	const headers = headersFor(settings, { "content-type": "application/json", ...bearerOf(settings) });
	return { url, headers, body: JSON.stringify(body) };
}

/** An empty list of stops is refused by some servers. */
export function stopsOf(stop: readonly string[]): { readonly stop?: readonly string[] } {
	return stop.length === 0 ? {} : { stop };
}
