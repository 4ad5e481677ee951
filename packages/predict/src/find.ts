import type { Text } from "@segue/text";

const WORD = /[\p{L}\p{N}\p{M}_$]/u;

// A search that finds more than this has not found what is meant, and each place found is looked at.
const FOUND_MAX = 1000;

/** What is known of a text, and was found in it: a rule is looked for in every document on every keystroke. */
interface Index {
	readonly pieces: readonly Words[];
	readonly found: Map<string, readonly number[] | undefined>;
}

const INDEXES = new WeakMap<Text, Index>();
const SEARCHES_MAX = 16;

/** Where a text occurs as a whole, not as part of a longer word; undefined if that is nearly everywhere. */
export function findWhole(text: Text, wanted: string): readonly number[] | undefined {
	const index = INDEXES.get(text) ?? { pieces: text.pieces().map(wordsIn), found: new Map() };
	INDEXES.set(text, index);
	const { found } = index;
	if (!found.has(wanted)) {
		if (found.size >= SEARCHES_MAX) found.clear();
		found.set(wanted, search(text, index, wanted));
	}
	return found.get(wanted);
}

function search(text: Text, index: Index, wanted: string): readonly number[] | undefined {
	const word = longestWord(wanted);
	const before = wanted.indexOf(word);
	const found: number[] = [];
	let end = 0;
	for (const place of word === "" ? placesOf(text.toString(), wanted) : placesOfWord(index, word)) {
		const at = place - before;
		if (at < end || !isWholeAt(text, at, wanted)) continue;
		found.push(at);
		if (found.length > FOUND_MAX) return undefined;
		end = at + wanted.length;
	}
	return found;
}

function longestWord(text: string): string {
	const words = text.match(/[\w$]+/g) ?? [];
	return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function* placesOf(source: string, wanted: string): Generator<number> {
	for (let at = source.indexOf(wanted); at !== -1; at = source.indexOf(wanted, at + 1)) yield at;
}

/**
 * Where a word of ASCII letters, digits, _ and $ may stand by itself, in ascending order. Most pieces of a text are
 * known not to have it, and are not looked at.
 */
function* placesOfWord({ pieces }: Index, word: string): Generator<number> {
	const bit = bitOf(hashOf(word));
	let from = 0;
	let run = 0; // the length of the word that the pieces before end with
	for (const { text, bits, first, last } of pieces) {
		const { length } = text;
		if (run + first === word.length) yield from - run;
		if (((bits[bit >> 5] as number) & (1 << (bit & 31))) !== 0) {
			for (const at of placesOf(text, word)) yield from + at;
		}
		run = first === length ? run + length : last;
		from += length;
	}
	if (run === word.length) yield from - run;
}

/** What is known of the words of a piece. */
interface Words {
	readonly text: string;
	/** The bits of the hashes of all words. A word whose bit is not set is not there. */
	readonly bits: Int32Array;
	/** How long the words are that it begins and ends with, which may go on in the pieces next to it. */
	readonly first: number;
	readonly last: number;
}

// Of a hundred words in a piece, one in twenty others has a bit that is set.
const BITS = 2048;
const WORDS = new WeakMap<object, Words>();

function wordsIn(piece: { readonly text: string }): Words {
	let words = WORDS.get(piece);
	if (words === undefined) {
		words = readWords(piece.text);
		WORDS.set(piece, words);
	}
	return words;
}

function readWords(text: string): Words {
	const bits = new Int32Array(BITS / 32);
	let first = -1;
	let start = 0;
	let hash = 0;
	for (let at = 0; at <= text.length; at++) {
		const code = at < text.length ? text.charCodeAt(at) : 0;
		if (isWordCode(code)) {
			hash = hashed(hash, code);
			continue;
		}
		if (first < 0) first = at;
		const bit = bitOf(hash);
		if (at > start) bits[bit >> 5] = (bits[bit >> 5] as number) | (1 << (bit & 31));
		if (at < text.length) start = at + 1;
		hash = 0;
	}
	return { text, bits, first, last: text.length - start };
}

function isWordCode(code: number): boolean {
	return (
		(code >= 97 && code <= 122) ||
		(code >= 65 && code <= 90) ||
		(code >= 48 && code <= 57) ||
		code === 95 ||
		code === 36
	);
}

function hashOf(word: string): number {
	let hash = 0;
	for (let at = 0; at < word.length; at++) hash = hashed(hash, word.charCodeAt(at));
	return hash;
}

function hashed(hash: number, code: number): number {
	return (Math.imul(hash, 31) + code) | 0;
}

function bitOf(hash: number): number {
	return Math.imul(hash, 0x9e3779b1) >>> (32 - Math.log2(BITS));
}

/** Whether a text stands at an offset, and is cut off at both ends from longer words. */
function isWholeAt(text: Text, at: number, wanted: string): boolean {
	const to = at + wanted.length;
	if (at < 0 || to > text.length) return false;
	// A character on either side is enough, and takes up to two code units.
	const start = Math.max(at - 2, 0);
	const source = text.slice(start, Math.min(to + 2, text.length));
	return source.startsWith(wanted, at - start) && isWhole(source, at - start, to - start);
}

/** Whether what stands from one offset to another is cut off at both ends, and not part of a longer word. */
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
