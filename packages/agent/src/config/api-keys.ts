import { inspect } from "node:util";
import { MASK } from "@segue/text";
import * as z from "zod";
import { readPrivateText, writePrivately } from "./file.js";
import { readJson } from "./json.js";
import type { SettingOrigin } from "./key-row.js";
import { UserError } from "./user-error.js";

/** A key that does not show when what holds it is printed. */
export class ApiKey {
	readonly #secret: string;

	constructor(
		secret: string,
		readonly origin: SettingOrigin,
	) {
		this.#secret = secret;
	}

	/** Why it cannot be one, without the key. */
	get objection(): string | undefined {
		return keyObjection(this.#secret);
	}

	/** For the wire, and for nothing else. */
	reveal(): string {
		return this.#secret;
	}

	[inspect.custom](): string {
		return `Key ${MASK}`;
	}
}

/** Those that carry a whole certificate in them have a few thousand characters. */
const KEY_LENGTH_MAX = 16_384;

/** What goes into a header as it is. */
const KEY = new RegExp(`^[!-~]{1,${KEY_LENGTH_MAX}}$`);

/** Why a text is no key, without the text. */
export function keyObjection(key: string): string | undefined {
	if (key === "") return "There is no key in it.";
	return KEY.test(key)
		? undefined
		: `A key is one line of at most ${KEY_LENGTH_MAX} characters of ASCII without spaces.`;
}

const keysFile = z.record(
	z.string(),
	z.string({ error: "must be a key in double quotes" }).regex(KEY, { error: "is no key: log in again" }),
	{ error: "must be an object with a provider's name for each key" },
);

/** The keys that `segue login` has stored, by provider. Throws a `UserError` where they cannot be used. */
export function readKeys(file: string): ReadonlyMap<string, string> {
	const text = readPrivateText(file);
	if (text === undefined) return new Map();
	const { value, problems } = readJson(file, text, keysFile);
	if (problems !== undefined) throw new UserError(problems.join("\n"));
	return new Map(Object.entries(value));
}

export function storeKey(file: string, provider: string, key: string): void {
	writeKeys(file, new Map(readKeys(file)).set(provider, key));
}

/** Whether there was one. */
export function forgetKey(file: string, provider: string): boolean {
	const keys = new Map(readKeys(file));
	if (!keys.delete(provider)) return false;
	writeKeys(file, keys);
	return true;
}

function writeKeys(file: string, keys: ReadonlyMap<string, string>): void {
	writePrivately(file, `${JSON.stringify(Object.fromEntries(keys), undefined, 2)}\n`);
}
