import { Summary, type Text } from "@segue/text";

// The words in a text, updated incrementally. Most words that are searched for occur in few documents and few
// positions; the rest of the text is never read.

/**
 * The words in a node of a text's tree. A node is a piece or has two child nodes. A word consists of ASCII letters,
 * digits, _ and $.
 */
export interface Words {
	readonly length: number;
	/** A Bloom filter of the word hashes. A word whose bit is not set does not occur. */
	readonly bits: readonly number[];
	/** The words at the start and end, which may continue in adjacent nodes. */
	readonly first: Fragment;
	readonly last: Fragment;
	/** The text of a piece; undefined if there are two halves. */
	readonly text: string | undefined;
	readonly halves: readonly [Words, Words] | undefined;
}

interface Fragment {
	readonly length: number;
	readonly hash: number;
}

/** A word to search for. */
export interface WordQuery {
	readonly word: string;
	readonly hash: number;
	readonly bit: number;
}

export function wordQueryOf(word: string): WordQuery {
	let hash = 0;
	for (let at = 0; at < word.length; at++) hash = hashed(hash, word.charCodeAt(at));
	return { word, hash, bit: bitOf(hash) };
}

export function wordsOfText(text: Text): Words {
	return WORDS.of(text);
}

/** Whether the word may occur. */
export function mayHave(words: Words, { bit }: WordQuery): boolean {
	return hasBit(words, bit);
}

function hasBit({ bits }: Words, bit: number): boolean {
	return ((bits[bit >> 5] as number) & (1 << (bit & 31))) !== 0;
}

/** Receives an offset or a hash. Returns whether to continue. */
type Visit = (found: number) => boolean;

/**
 * Visits all offsets of a whole word, in ascending order. May repeat offsets and include false positives. Returns
 * whether all were visited.
 */
export function visitPlaces(words: Words, wanted: WordQuery, visit: Visit): boolean {
	return visitIn(words, wanted, 0, 0, visit);
}

/** Visits the offsets in a node that begins at `from`. The text before it ends with a word of length `run`. */
function visitIn(words: Words, wanted: WordQuery, from: number, run: number, visit: Visit): boolean {
	const { word } = wanted;
	if (run > 0 && run + words.first.length === word.length && !visit(from - run)) return false;
	if (!mayHave(words, wanted)) return true;
	const { text = "", halves } = words;
	if (halves !== undefined) {
		const [left, right] = halves;
		if (!visitIn(left, wanted, from, run, visit)) return false;
		const between = left.last.length === left.length ? run + left.length : left.last.length;
		return visitIn(right, wanted, from + left.length, between, visit);
	}
	for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
		if (!visit(from + at)) return false;
	}
	return true;
}

/** The hashes of all words in a text. */
export function hashesIn(source: string): Set<number> {
	const hashes = new Set<number>();
	visitHashes(source, 0, source.length, (hash) => hashes.add(hash).size > 0);
	return hashes;
}

/** Visits the hashes of the words in a range. Returns whether all were visited. */
function visitHashes(source: string, from: number, to: number, visit: Visit): boolean {
	let hash = 0;
	let start = from;
	for (let at = from; at <= to; at++) {
		const code = at < to ? source.charCodeAt(at) : -1;
		if (isIndexedCode(code)) {
			hash = hashed(hash, code);
			continue;
		}
		if (at > start && !visit(hash)) return false;
		start = at + 1;
		hash = 0;
	}
	return true;
}

/** Whether a text contains a word with this hash. */
export function hasHash(words: Words, hash: number): boolean {
	const { last } = words;
	return endsIn(words, NO_FRAGMENT, hash) || (last.length > 0 && last.hash === hash);
}

const NO_FRAGMENT: Fragment = { length: 0, hash: 0 };

/** Whether a word that ends inside a node has this hash. The text before the node ends with the fragment `before`. */
function endsIn(words: Words, before: Fragment, hash: number): boolean {
	const { length, first, last, text = "", halves } = words;
	if (first.length === length) return false;
	const beginning = joinFragments(before, first);
	if (beginning.length > 0 && beginning.hash === hash) return true;
	if (!hasBit(words, bitOf(hash))) return false;
	if (halves === undefined) return !visitHashes(text, first.length, length - last.length, (one) => one !== hash);
	const [left, right] = halves;
	const between = left.first.length === left.length ? beginning : left.last;
	return endsIn(left, before, hash) || endsIn(right, between, hash);
}

// False positive rate: 5% for a piece with a hundred words, 40% for a file of a hundred pieces with a thousand words.
// False positives are ruled out in the halves.
const BITS = 2048;
const NO_BITS: readonly number[] = Array.from({ length: BITS / 32 }, () => 0);

const WORDS = new Summary<Words>(readWords, joinWords);

function readWords(text: string): Words {
	const bits = NO_BITS.slice();
	let first: Fragment | undefined;
	let start = 0;
	let hash = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (isIndexedCode(code)) {
			hash = hashed(hash, code);
			continue;
		}
		first ??= { length: at, hash };
		if (at > start) setBit(bits, hash);
		start = at + 1;
		hash = 0;
	}
	const last = { length: text.length - start, hash };
	if (last.length > 0) setBit(bits, hash);
	return { length: text.length, bits, first: first ?? last, last, text, halves: undefined };
}

function joinWords(left: Words, right: Words): Words {
	const bits = left.bits.slice();
	for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) | (right.bits[i] as number);
	const across = joinFragments(left.last, right.first);
	if (across.length > 0) setBit(bits, across.hash);
	return {
		length: left.length + right.length,
		bits,
		first: left.first.length === left.length ? across : left.first,
		last: right.last.length === right.length ? across : right.last,
		text: undefined,
		halves: [left, right],
	};
}

/** Joins two fragments of a word. The hash is the same as when hashing the whole word. */
function joinFragments(left: Fragment, right: Fragment): Fragment {
	let { hash } = left;
	for (let i = 0; i < right.length; i++) hash = Math.imul(hash, FACTOR);
	return { length: left.length + right.length, hash: (hash + right.hash) | 0 };
}

export function isIndexedCode(code: number): boolean {
	return (
		(code >= 97 && code <= 122) ||
		(code >= 65 && code <= 90) ||
		(code >= 48 && code <= 57) ||
		code === 95 ||
		code === 36
	);
}

const FACTOR = 31;

function hashed(hash: number, code: number): number {
	return (Math.imul(hash, FACTOR) + code) | 0;
}

function setBit(bits: number[], hash: number): void {
	const bit = bitOf(hash);
	bits[bit >> 5] = (bits[bit >> 5] as number) | (1 << (bit & 31));
}

const UNUSED = 32 - Math.log2(BITS);

/** Fibonacci hashing: the upper bits of the product depend on all bits of the hash. */
function bitOf(hash: number): number {
	return Math.imul(hash, 0x9e3779b1) >>> UNUSED;
}
