import { uriKey } from "@segue/text";

/**
 * The names on the way from a folder to what lies below it; none for the folder itself, undefined for what lies
 * elsewhere. Whoever trusts them asks first whether the uri is misleading.
 */
export function namesBelow(folder: string, uri: string): readonly string[] | undefined {
	const top = uriKey(folder).replace(/\/$/, "");
	const key = uriKey(uri);
	if (!key.startsWith(top) || (key.length > top.length && key[top.length] !== "/")) return undefined;
	const names = key.slice(top.length).split("/");
	return names.filter((name) => name !== "").map(decode);
}

/** The uri of what lies below a folder. */
export function uriBelow(folder: string, names: readonly string[]): string {
	return [folder.replace(/\/$/, ""), ...names.map(encodeURIComponent)].join("/");
}

/** Whether another reader could take a uri for a path somewhere else. */
export function isMisleading(uri: string): boolean {
	return MISLEADING.test(uriKey(uri));
}

// Names of nothing but dots, behind a slash of either kind, go up or nowhere; an escaped slash is a slash to those who
// decode first; a query or a fragment is no part of a path; browsers drop control characters before they look, and half
// a character has no bytes.
const MISLEADING = /[\\/]\.[. ]*(?:[\\/]|$)|%2F|[?#]|\p{Cc}|\p{Cs}/u;

function decode(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name; // bytes that are no UTF-8
	}
}
