import { isName } from "../languages/identifiers.js";

// Substitutions between lines that differ only in names, such as `this.name = name` and `this.age = age`.

/** Maps words to their replacements. Both are whole words. */
export type Substitutions = ReadonlyMap<string, string>;

/**
 * Returns the substitutions that turn one string into another. Undefined if more than names and numbers differ, or if
 * a word has two replacements.
 */
export function substitutionsBetween(from: string, to: string): Substitutions | undefined {
	const before = tokensOf(from);
	const after = tokensOf(to);
	if (before.length !== after.length) return undefined;
	const swaps = new Map<string, string>();
	for (const [i, old] of before.entries()) {
		const now = after[i] as string;
		const known = swaps.get(old);
		if (known !== undefined && known !== now) return undefined;
		if (old !== now && !(isWord(old) && isWord(now))) return undefined;
		if (known === undefined) swaps.set(old, now);
	}
	for (const [old, now] of swaps) if (old === now) swaps.delete(old);
	return swaps;
}

/** Whether two lines differ only in names, numbers and indent. */
export function isAlike(a: string, b: string): boolean {
	return substitutionsBetween(a.trim(), b.trim()) !== undefined;
}

/** Replaces words in a string, including those that are parts of compound words: `setName`, `NAME_MAX`, `$name`. */
export function substitute(text: string, swaps: Substitutions): string {
	if (swaps.size === 0) return text;
	return text.replace(/[\p{L}\p{N}\p{M}_$]+/gu, (word) => {
		const sigil = word.length > 1 && word.startsWith("$") && !swaps.has(word) ? "$" : "";
		const name = word.slice(sigil.length);
		return sigil + (swaps.get(name) ?? inParts(name, swaps));
	});
}

/** Splits a string into words, runs of whitespace and single characters. */
export function tokensOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}\p{M}_$]+|\s+|./gsu) ?? [];
}

/** Whether a token can be substituted: a name or a number. */
export function isWord(token: string): boolean {
	return isName(token) || /^\p{N}+$/u.test(token);
}

// Shorter parts occur in many words by chance.
const PART_MIN = 3;

/** Replaces a name inside a compound word. */
function inParts(word: string, swaps: Substitutions): string {
	const parts = partsOf(word);
	if (parts.length < 2) return styled(word, swaps);
	for (const [old, now] of swaps) {
		const wanted = partsOf(old).map(lower);
		if (old.length < PART_MIN || !isName(old) || !isName(now)) continue;
		const at = parts.findIndex((_, i) => wanted.every((part, j) => parts[i + j]?.toLowerCase() === part));
		if (at === -1 || wanted.length === parts.length) continue;
		const between = word.includes("_") ? "_" : "";
		const matched = parts.slice(at, at + wanted.length);
		const fresh = partsOf(now).map((part, i) => inStyle(part, matched[i] ?? matched.at(-1) ?? "", i, between));
		const joined = fresh.join(between);
		const start = offsetOfPart(word, parts, at);
		const end = offsetOfPart(word, parts, at + wanted.length - 1) + (matched.at(-1) as string).length;
		return word.slice(0, start) + joined + word.slice(end);
	}
	return styled(word, swaps);
}

/** Replaces a name in another case, such as `Name` for `name`. */
function styled(word: string, swaps: Substitutions): string {
	for (const [old, now] of swaps) {
		if (old.length < PART_MIN || old.toLowerCase() !== word.toLowerCase() || !isName(now)) continue;
		const between = now.includes("_") ? "_" : "";
		return partsOf(now)
			.map((part, i) => inStyle(part, word, i, between))
			.join(between);
	}
	return word;
}

/** Splits a word at underscores and at the humps of camel case. */
function partsOf(word: string): string[] {
	return word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{N}\p{M}]+|\p{Lu}|\p{Lo}+/gu) ?? [];
}

function offsetOfPart(word: string, parts: readonly string[], index: number): number {
	let at = 0;
	for (const [i, part] of parts.entries()) {
		at = word.indexOf(part, at);
		if (i === index) return at;
		at += part.length;
	}
	return at;
}

/** Converts a part to the case of another: lowercase, capitalized or uppercase. */
function inStyle(part: string, model: string, index: number, between: string): string {
	const small = part.toLowerCase();
	if (model.length > 1 && model === model.toUpperCase()) return small.toUpperCase();
	const isCapital = /^\p{Lu}/u.test(model) || (index > 0 && between === "");
	return isCapital ? small.charAt(0).toUpperCase() + small.slice(1) : small;
}

function lower(part: string): string {
	return part.toLowerCase();
}
