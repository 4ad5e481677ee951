import type { AnySettings, EditModelSettings } from "./settings.js";

/** A request as it goes over the wire. */
export interface HttpRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Headers of a request. What a person configured takes the place of ours, however the name is written. */
export function headersFor({ headers }: AnySettings, usual: Readonly<Record<string, string>>): Record<string, string> {
	const all = new Headers(usual);
	for (const [name, value] of Object.entries(headers)) all.set(name, value);
	return Object.fromEntries(all);
}

/** The key where most servers want it. */
export function bearerOf({ apiKey }: AnySettings): Record<string, string> {
	return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
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
