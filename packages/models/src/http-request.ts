import type { AnySettings, EditModelSettings } from "./settings.js";

export interface HttpRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Returns the headers for a request. Configured headers override the default ones. Names are case-insensitive. */
export function headersFor({ headers }: AnySettings, usual: Readonly<Record<string, string>>): Record<string, string> {
	const all = new Headers(usual);
	for (const [name, value] of Object.entries(headers)) all.set(name, value);
	return Object.fromEntries(all);
}

/** The authorization header that most servers expect. */
export function bearerOf({ apiKey }: AnySettings): Record<string, string> {
	return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/**
 * Returns the URL of a versioned path. Adds `/v1` only to a base URL without a path. The URLs that providers document
 * already include a version, but not always in the same position.
 */
export function versionedUrl({ baseUrl }: Pick<EditModelSettings, "baseUrl">, path: string): string {
	const base = withoutSlash(baseUrl);
	return `${new URL(base).pathname === "/" ? `${base}/v1` : base}${path}`;
}

/** Returns the URL of an unversioned path. */
export function rootUrl({ baseUrl }: Pick<EditModelSettings, "baseUrl">, path: string): string {
	return `${withoutSlash(baseUrl).replace(/\/(?:v1|api|backend)$/, "")}${path}`;
}

function withoutSlash(url: string): string {
	return url.replace(/\/+$/, "");
}
