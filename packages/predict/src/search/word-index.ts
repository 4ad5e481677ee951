import { Change, type Document, type Text, uriKey } from "@segue/text";
import { readabilityOf } from "../languages/reading.js";
import { hasHash, hashesIn, isIndexedCode, type WordQuery, wordsOfText } from "./words.js";

// Up to this many changes between two requests are applied one by one; more are treated as a single change.
const CHANGES_MAX = 16;

/**
 * Finds the documents that contain a word, without reading them. The owner of the documents reports all their changes
 * to it. The cost of an update is proportional to the change, not to the size of the document. The index takes a few
 * bytes per distinct word in an open document. Unreadable documents have no entries, because they are not searched.
 */
export class WordIndex {
	/** By `uriKey`. */
	private readonly entries = new Map<string, Entry>();
	/** Entries by number. Numbers of closed documents are reused. */
	private readonly numbered: (Entry | undefined)[] = [];
	private readonly free: number[] = [];
	/** Document numbers by word hash. A single number is stored without a list. */
	private readonly numbers = new Map<number, number | number[]>();
	/** Entries changed since the last query. A burst of changes is processed once. */
	private readonly unread = new Set<Entry>();
	private revision = 0;
	/** Reset when a document is opened or closed. */
	private unindexed = new WeakMap<readonly Document[], readonly number[]>();

	/** The number of indexed words. */
	get size(): number {
		this.readAll();
		return this.numbers.size;
	}

	/** Adds a document, or replaces its entire text. */
	open(document: Document): void {
		this.close(document.uri);
		const key = uriKey(document.uri);
		const number = this.free.pop() ?? this.numbered.length;
		const entry = { key, number, document, indexed: undefined, changes: [] };
		this.unindexed = new WeakMap();
		this.entries.set(key, entry);
		this.numbered[number] = entry;
		this.unread.add(entry);
		// Indexing many documents is slow and should not delay a request. A single document is indexed on demand,
		// because many sessions have just one document, which is never edited.
		if (this.entries.size > 1) this.readAll();
	}

	/** Applies a change to an open document. `after` is the version after it. */
	change(after: Document, change: Change): void {
		const entry = this.entries.get(uriKey(after.uri));
		if (entry === undefined) throw new RangeError(`${after.uri} is not open`);
		this.revision++;
		if (entry.changes.length <= CHANGES_MAX) entry.changes.push({ change, after: after.text });
		entry.document = after;
		this.unread.add(entry);
	}

	/** Removes a document. */
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

	/** A snapshot of the current index. */
	snapshot(): WordIndexSnapshot {
		this.readAll();
		const { revision } = this;
		return {
			having: ({ hash }) => (revision === this.revision ? this.keysOf(hash) : undefined),
			unindexedIn: (documents) => this.missingIn(documents),
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

	/** Updates the words in the changed parts. */
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

	private missingIn(documents: readonly Document[]): readonly number[] {
		let missing = this.unindexed.get(documents);
		if (missing === undefined) {
			missing = [...documents.keys()].filter((rank) => !this.entries.has(uriKey(documents[rank]?.uri ?? "")));
			this.unindexed.set(documents, missing);
		}
		return missing;
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

/** A word index at one point in time. It becomes stale when a document changes. */
export interface WordIndexSnapshot {
	/** The keys of the documents that contain a word, possibly with false positives; undefined if stale. */
	having(word: WordQuery): readonly string[] | undefined;
	/** The indices of the documents that are not in the index, such as those attached to a request. */
	unindexedIn(documents: readonly Document[]): readonly number[];
}

interface Entry {
	readonly key: string;
	readonly number: number;
	document: Document;
	/** The indexed text; undefined if not indexed yet. */
	indexed: Text | undefined;
	/** The changes since `indexed`. Incomplete if there are more than `CHANGES_MAX` of them. */
	changes: { readonly change: Change; readonly after: Text }[];
}

/** A single edit that covers all differences between two texts. */
function changeBetween(before: Text, after: Text): Change {
	const { head, tail } = before.common(after);
	const insert = after.slice(head, after.length - tail);
	return Change.of([{ from: head, to: before.length - tail, insert }], before.length);
}

/**
 * Collects the hashes of the words touched by a change: true for words in the new text, false for words that were
 * removed. A removed word may still occur elsewhere in the text; the caller checks that, because it is slow.
 */
function exchange(change: Change, before: Text, after: Text, words: Map<number, boolean>): void {
	let shift = 0;
	let start = -1;
	let startShift = 0;
	let end = -1;
	const added = new Set<number>();
	const close = () => {
		if (start === -1) return;
		for (const hash of hashesIn(before.slice(start, end))) words.set(hash, false);
		for (const hash of hashesIn(after.slice(start + startShift, end + shift))) added.add(hash);
	};
	for (const { from, to, insert } of change.edits) {
		const first = wordStart(before, from);
		// Combines two edits to the same word.
		if (first > end) {
			close();
			start = first;
			startShift = shift;
		}
		end = wordEnd(before, to);
		shift += insert.length - (to - from);
	}
	close();
	// A word removed by one edit may be added by another one.
	for (const hash of added) words.set(hash, true);
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
