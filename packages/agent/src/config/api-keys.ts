import { inspect } from "node:util";
import { MASK } from "@segue/text";
import * as z from "zod";
import { readPrivateText, writePrivately } from "./file.js";
import { readJson } from "./json.js";
import type { SettingOrigin } from "./key-row.js";
import { UserError } from "./user-error.js";

/** A key that stays hidden when an object that contains it is printed. */
export class ApiKey {
	readonly #secret: string;

	constructor(
		secret: string,
		readonly origin: SettingOrigin,
	) {
		this.#secret = secret;
	}

	/** The reason why the key is invalid. Never quotes the key. */
	get objection(): string | undefined {
		return keyObjection(this.#secret);
	}

	/** Only for sending to the provider. */
	reveal(): string {
		return this.#secret;
	}

	[inspect.custom](): string {
		return `Key ${MASK}`;
	}
}

/** Keys that contain a certificate are a few thousand characters long. */
const KEY_LENGTH_MAX = 16_384;

/** Characters that need no escaping in a header. */
const KEY = new RegExp(`^[!-~]{1,${KEY_LENGTH_MAX}}$`);

/** Returns the reason why a string is not a valid key, without quoting the string. */
export function keyObjection(key: string): string | undefined {
	if (key === "") return "The key is empty.";
	return KEY.test(key) ? undefined : `A key is one line of at most ${KEY_LENGTH_MAX} ASCII characters without spaces.`;
}

const keysFile = z.record(
	z.string(),
	z.string({ error: "must be a key in double quotes" }).regex(KEY, { error: "is not a valid key: log in again" }),
	{ error: "must be an object that maps provider names to keys" },
);

/** Reads the keys stored by `segue login`, by provider. Throws a `UserError` if the file cannot be used. */
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

/** Returns whether a key was stored. */
export function forgetKey(file: string, provider: string): boolean {
	const keys = new Map(readKeys(file));
	if (!keys.delete(provider)) return false;
	writeKeys(file, keys);
	return true;
}

function writeKeys(file: string, keys: ReadonlyMap<string, string>): void {
	writePrivately(file, `${JSON.stringify(Object.fromEntries(keys), undefined, 2)}\n`);
}
