import { Change, type Document, type Text, uriKey } from "@segue/text";
import { readabilityOf } from "../languages/reading.js";
import { hasHash, hashesIn, isIndexedCode, type WordQuery, wordsOfText } from "./words.js";

// So many changes between two requests are looked at one by one; a burst of more is looked at as a whole.
const CHANGES_MAX = 16;

/**
 * Says which of many documents have a word, without a look at any of them. It is kept by whoever has the documents, and
 * told of everything that happens to them. What is asked of it after a change costs what was changed, whatever the size
 * of the document.
 *
 * It takes a few bytes for each different word of a document, and nothing for one that is closed. What is not understood
 * has no entry, because nothing is looked for in it.
 */
export class WordIndex {
	/** By `uriKey`. */
	private readonly entries = new Map<string, Entry>();
	/** The same entries by their numbers. Those of closed documents are given away again. */
	private readonly numbered: (Entry | undefined)[] = [];
	private readonly free: number[] = [];
	/** For the hash of each word, the numbers of the documents that have it; one alone is not put into a list. */
	private readonly numbers = new Map<number, number | number[]>();
	/** What was changed, and nobody has asked for since: a burst of changes is read once. */
	private readonly unread = new Set<Entry>();
	private revision = 0;
	/** Forgotten when a document comes or goes. */
	private unindexed = new WeakMap<readonly Document[], readonly number[]>();

	/** How many words it has entries for. */
	get size(): number {
		this.readAll();
		return this.numbers.size;
	}

	/** A document was opened, or its text was replaced as a whole. */
	open(document: Document): void {
		this.close(document.uri);
		const key = uriKey(document.uri);
		const number = this.free.pop() ?? this.numbered.length;
		const entry = { key, number, document, indexed: undefined, changes: [] };
		this.unindexed = new WeakMap();
		this.entries.set(key, entry);
		this.numbered[number] = entry;
		this.unread.add(entry);
		// Reading many takes long, and nobody should wait for it in a request. One alone waits until it is asked for: many
		// sessions have one document that nobody edits.
		if (this.entries.size > 1) this.readAll();
	}

	/** A change led from the text that is known of a document to another. */
	change(after: Document, change: Change): void {
		const entry = this.entries.get(uriKey(after.uri));
		if (entry === undefined) throw new RangeError(`${after.uri} is not open`);
		this.revision++;
		if (entry.changes.length <= CHANGES_MAX) entry.changes.push({ change, after: after.text });
		entry.document = after;
		this.unread.add(entry);
	}

	/** A document was closed, or its text is no longer known. */
	close(uri: string): void {
		this.revision++;
		const entry = this.entries.get(uriKey(uri));
		if (entry === undefined) return;
		const { key, number, indexed } = entry;
		if (indexed !== undefined) for (const hash of hashesIn(indexed.toString())) this.remove(hash, number);
		this.unread.delete(entry);
		this.unindexed = new WeakMap();
		this.entries.delete(key);
		this.numbered[number] = undefined;
		this.free.push(number);
	}

	/** What it says of the documents as they are now. */
	snapshot(): WordIndexSnapshot {
		this.readAll();
		const { revision } = this;
		return {
			having: ({ hash }) => (revision === this.revision ? this.keysOf(hash) : undefined),
			unindexedIn: (documents) => this.strangersIn(documents),
		};
	}

	private readAll(): void {
		for (const entry of this.unread) this.read(entry);
		this.unread.clear();
	}

	private read(entry: Entry): void {
		const { indexed, document, number } = entry;
		const text = readabilityOf(document) === "ok" ? document.text : undefined;
		if (indexed !== undefined && text !== undefined) this.update(entry, indexed, text);
		else if (indexed !== undefined) for (const hash of hashesIn(indexed.toString())) this.remove(hash, number);
		else if (text !== undefined) for (const hash of hashesIn(text.toString())) this.add(hash, number);
		entry.indexed = text;
		entry.changes = [];
	}

	/** What was changed, and only that, is looked at. */
	private update({ number, changes }: Entry, before: Text, after: Text): void {
		const words = new Map<number, boolean>();
		if (changes.length > CHANGES_MAX) exchange(changeBetween(before, after), before, after, words);
		else {
			let text = before;
			for (const one of changes) {
				exchange(one.change, text, one.after, words);
				text = one.after;
			}
		}
		const present = wordsOfText(after);
		for (const [hash, isThere] of words) {
			if (isThere || hasHash(present, hash)) this.add(hash, number);
			else this.remove(hash, number);
		}
	}

	private keysOf(hash: number): readonly string[] {
		const found = this.numbers.get(hash) ?? [];
		const numbers = typeof found === "number" ? [found] : found;
		return numbers.map((number) => (this.numbered[number] as Entry).key);
	}

	private strangersIn(documents: readonly Document[]): readonly number[] {
		let strangers = this.unindexed.get(documents);
		if (strangers === undefined) {
			strangers = [...documents.keys()].filter((rank) => !this.entries.has(uriKey(documents[rank]?.uri ?? "")));
			this.unindexed.set(documents, strangers);
		}
		return strangers;
	}

	private add(hash: number, number: number): void {
		const known = this.numbers.get(hash);
		if (known === undefined) this.numbers.set(hash, number);
		else if (typeof known !== "number") {
			if (!known.includes(number)) known.push(number);
		} else if (known !== number) this.numbers.set(hash, [known, number]);
	}

	private remove(hash: number, number: number): void {
		const known = this.numbers.get(hash);
		if (known === undefined) return;
		const left = typeof known === "number" ? [] : known.filter((one) => one !== number);
		if (left.length > 1) this.numbers.set(hash, left);
		else if (left[0] !== undefined) this.numbers.set(hash, left[0]);
		else if (known === number || typeof known !== "number") this.numbers.delete(hash);
	}
}

/** A word index as it was at one moment. When a document has changed since, it has nothing more to say. */
export interface WordIndexSnapshot {
	/** The keys of the documents that have a word, and perhaps of a few others; undefined where that is no more known. */
	having(word: WordQuery): readonly string[] | undefined;
	/** Which of some documents it does not speak of: those that only came with a request. */
	unindexedIn(documents: readonly Document[]): readonly number[];
}

interface Entry {
	readonly key: string;
	readonly number: number;
	document: Document;
	/** The text whose words are in the word index; undefined while none are. */
	indexed: Text | undefined;
	/** What led from that text to the document's; no more than so many, and then they are not all of them. */
	changes: { readonly change: Change; readonly after: Text }[];
}

/** One edit for everything that is different between two texts. */
function changeBetween(before: Text, after: Text): Change {
	const { head, tail } = before.common(after);
	const insert = after.slice(head, after.length - tail);
	return Change.of([{ from: head, to: before.length - tail, insert }], before.length);
}

/**
 * Adds the words that were at the places of a change, and those that are there after it, by their hashes; and whether they
 * are there. Those that are not may be elsewhere in the text, where it takes long to look for them.
 */
function exchange(change: Change, before: Text, after: Text, words: Map<number, boolean>): void {
	let shift = 0;
	let start = -1;
	let startShift = 0;
	let end = -1;
	const came = new Set<number>();
	const close = () => {
		if (start === -1) return;
		for (const hash of hashesIn(before.slice(start, end))) words.set(hash, false);
		for (const hash of hashesIn(after.slice(start + startShift, end + shift))) came.add(hash);
	};
	for (const { from, to, insert } of change.edits) {
		const first = wordStart(before, from);
		// Two edits of one word are looked at together.
		if (first > end) {
			close();
			start = first;
			startShift = shift;
		}
		end = wordEnd(before, to);
		shift += insert.length - (to - from);
	}
	close();
	// A word that goes at one place of a change may come at another.
	for (const hash of came) words.set(hash, true);
}

function wordStart(text: Text, offset: number): number {
	let start = offset;
	while (start > 0 && isIndexedCode(text.codeAt(start - 1))) start--;
	return start;
}

function wordEnd(text: Text, offset: number): number {
	let end = offset;
	while (isIndexedCode(text.codeAt(end))) end++;
	return end;
}
