import type { Incoming } from "../../incoming.js";
import type { WireRequest } from "../../request.js";
import type { EditModelSettings } from "../../settings.js";
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

/** The key where most servers want it. */
export function bearerOf({ apiKey }: Pick<EditModelSettings, "apiKey">): Record<string, string> {
	return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Headers of a request. What a person configured takes the place of ours, however the name is written. */
export function headersFor(
	{ headers }: Pick<EditModelSettings, "headers">,
	usual: Readonly<Record<string, string>>,
): Record<string, string> {
	const all = new Headers(usual);
	for (const [name, value] of Object.entries(headers)) all.set(name, value);
	return Object.fromEntries(all);
}

/**
 * The address of what has a version. Only an address without any path lacks the version: those that providers give out
 * have it, each in its own place.
 */
export function versionedUrl({ baseUrl }: Pick<EditModelSettings, "baseUrl">, path: string): string {
	const base = withoutSlash(baseUrl);
	return `${new URL(base).pathname === "/" ? `${base}/v1` : base}${path}`;
}

/** The address of what a server has beside its versions. */
export function rootUrl({ baseUrl }: Pick<EditModelSettings, "baseUrl">, path: string): string {
	return `${withoutSlash(baseUrl).replace(/\/(?:v1|api|backend)$/, "")}${path}`;
}

function withoutSlash(url: string): string {
	return url.replace(/\/+$/, "");
}

/** An empty list of stops is refused by some servers. */
export function stopsOf(stop: readonly string[]): { readonly stop?: readonly string[] } {
	return stop.length === 0 ? {} : { stop };
}
