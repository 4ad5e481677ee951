import type { AnySettings } from "./settings.js";

/** A shorter key is a word that local servers are given because they want something, and its beginning says nothing. */
const KEY_CHARS_MIN = 12;

/** By how many of its first characters a key is known, where a provider tells only some of it. */
const KEY_BEGINNING_CHARS = 6;

/**
 * Takes the key out of a foreign text, and what is left of one where a provider shows only its beginning, and the values of
 * headers that a person configured, and the password of an address.
 */
export function maskSecrets(text: string, { apiKey, headers }: AnySettings): string {
	let masked = text.replace(/\/\/[^\s/@]*@/g, `//${MASK}@`);
	const secrets = [apiKey ?? "", ...Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, "")])];
	for (const secret of secrets) {
		if (secret === "") continue;
		masked = masked.replaceAll(secret, MASK);
		if (secret.length < KEY_CHARS_MIN) continue;
		const beginning = secret.slice(0, KEY_BEGINNING_CHARS).replace(/\W/g, "\\$&");
		masked = masked.replace(new RegExp(`${beginning}\\S*`, "g"), MASK);
	}
	return masked;
}

const MASK = "•••";
