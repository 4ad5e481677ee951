import type { Text } from "@segue/text";
import { stepTo, VersionCache, type VersionStep } from "../version-cache.js";
import { mayHave, visitPlaces, type WordQuery, wordQueryOf, wordsOfText } from "./words.js";

const WORD = /[\p{L}\p{N}\p{M}_$]/u;

// A search with more results than this is not specific enough, and examining each result takes time.
const FOUND_MAX = 1000;

// Each rule searches every document on every keystroke. All predictors together have about a hundred rules at a time;
// with a smaller cache, the searches of one request would evict each other.
const SEARCHES_MAX = 256;

/** Cached results. */
const FOUND = new VersionCache<Map<string, readonly number[] | undefined>>();

/** The cached lines of the results, because several rules search for the same word. */
const LINES = new WeakMap<readonly number[], readonly number[]>();

/** A string to search for in many documents. Matches whole words only. */
export class Search {
	/** The longest word in the string, used to find it. */
	readonly query: WordQuery;
	/** The offset of the longest word in the string. */
	private readonly before: number;

	constructor(readonly text: string) {
		const word = longestWord(text);
		this.query = wordQueryOf(word);
		this.before = text.indexOf(word);
	}

	/** Whether the string may occur in a text. Faster than `in`. */
	mayBeIn(text: Text): boolean {
		return this.query.word === "" || mayHave(wordsOfText(text), this.query);
	}

	/** Returns the offsets of all occurrences; undefined if there are too many. */
	in(text: Text): readonly number[] | undefined {
		if (!this.mayBeIn(text)) return NOWHERE;
		let found = FOUND.get(text);
		if (found === undefined) {
			found = new Map();
			FOUND.set(text, found);
		}
		if (!found.has(this.text)) {
			if (found.size >= SEARCHES_MAX) found.clear();
			const step = stepTo(text);
			const old = step && this.knownIn(step.before);
			const isCarried = step !== undefined && old !== undefined && !endsAsItBegins(this.text);
			found.set(this.text, isCarried ? this.carry(text, step, old) : this.search(text));
		}
		return found.get(this.text);
	}

	/** Returns the lines of all occurrences, without duplicates; empty if there are too many. */
	linesIn(text: Text): readonly number[] {
		const found = this.in(text) ?? NOWHERE;
		let lines = LINES.get(found);
		if (lines === undefined) {
			lines = [...new Set(found.map((at) => text.lineAt(at)))];
			LINES.set(found, lines);
		}
		return lines;
	}

	/** The cached result for a text. */
	private knownIn(text: Text): readonly number[] | undefined {
		return this.mayBeIn(text) ? FOUND.get(text)?.get(this.text) : NOWHERE;
	}

	/** Updates the result for the previous version. Searches only around the change. */
	private carry(
		text: Text,
		{ before, head, tail }: VersionStep,
		old: readonly number[],
	): readonly number[] | undefined {
		const { length } = this.text;
		const shift = text.length - before.length;
		// Whether a match is a whole word depends on the adjacent characters, each of up to two code units.
		const isAbove = (at: number) => at + length + 2 <= head;
		const isBelow = (at: number) => at - 2 >= text.length - tail;
		const above = old.filter(isAbove);
		const below = old.map((at) => at + shift).filter(isBelow);
		const start = Math.max(head - length - 1, 0);
		const window = text.slice(start, Math.min(text.length - tail + 1 + length, text.length));
		const fresh: number[] = [];
		visitAll(window, this.text, (place) => {
			const at = start + place;
			if (!isAbove(at) && !isBelow(at) && isWholeAt(text, at, this.text)) fresh.push(at);
			return fresh.length <= FOUND_MAX;
		});
		const found = [...above, ...fresh, ...below];
		return found.length > FOUND_MAX ? undefined : found;
	}

	private search(text: Text): readonly number[] | undefined {
		const found: number[] = [];
		let end = 0;
		const visit = (place: number) => {
			const at = place - this.before;
			if (at < end || !isWholeAt(text, at, this.text)) return true;
			found.push(at);
			end = at + this.text.length;
			return found.length <= FOUND_MAX;
		};
		const isAll =
			this.query.word === ""
				? visitAll(text.toString(), this.text, visit)
				: visitPlaces(wordsOfText(text), this.query, visit);
		return isAll ? found : undefined;
	}
}

/** Whether two occurrences of a string can overlap. */
function endsAsItBegins(text: string): boolean {
	for (let length = 1; length < text.length; length++) {
		if (text.endsWith(text.slice(0, length))) return true;
	}
	return false;
}

const NOWHERE: readonly number[] = [];

function longestWord(text: string): string {
	const words = text.match(/[\w$]+/g) ?? [];
	return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function visitAll(source: string, wanted: string, visit: (at: number) => boolean): boolean {
	for (let at = source.indexOf(wanted); at !== -1; at = source.indexOf(wanted, at + 1)) {
		if (!visit(at)) return false;
	}
	return true;
}

/** Whether a string occurs at an offset of a text as whole words. */
function isWholeAt(text: Text, at: number, wanted: string): boolean {
	const to = at + wanted.length;
	if (at < 0 || to > text.length) return false;
	// Includes one character on each side, each of up to two code units.
	const start = Math.max(at - 2, 0);
	const source = text.slice(start, Math.min(to + 2, text.length));
	return source.startsWith(wanted, at - start) && isWhole(source, at - start, to - start);
}

/** Whether a range starts and ends at word boundaries. */
export function isWhole(source: string, from: number, to: number): boolean {
	return (
		!(isWordBefore(source, from) && isWordAfter(source, from)) && !(isWordBefore(source, to) && isWordAfter(source, to))
	);
}

function isWordAfter(source: string, offset: number): boolean {
	return WORD.test(String.fromCodePoint(source.codePointAt(offset) ?? 0));
}

function isWordBefore(source: string, offset: number): boolean {
	const isLow = (source.charCodeAt(offset - 1) & 0xfc00) === 0xdc00;
	return isWordAfter(source, Math.max(offset - (isLow ? 2 : 1), 0)) && offset > 0;
}
