import type { Document, Text } from "@segue/text";
import { readabilityOf } from "../languages/reading.js";
import { rankOf, type Scene } from "../scene.js";
import type { Search } from "./search.js";
import { hasHash, type WordQuery, wordsOfText } from "./words.js";

// A word that occurs in more documents than this is too common. Users edit far fewer documents by hand.
const DOCUMENTS_MAX = 100;

/**
 * Returns the documents in a scene that may contain one of the given strings: the scene's own first, then the
 * neighbours in order, up to a limit. With a word index, only these documents are read. Without one, the result is the
 * same, but all documents are searched.
 */
export function documentsWith(scene: Scene, ...searches: readonly Search[]): readonly Document[] {
	let known = FOUND.get(scene);
	if (known === undefined) {
		known = new Map();
		FOUND.set(scene, known);
	}
	// Words contain no spaces.
	const key =
		searches.length === 1
			? (searches[0] as Search).query.word
			: searches.map(({ query: wanted }) => wanted.word).join(" ");
	let documents = known.get(key);
	if (documents === undefined) {
		documents = findDocuments(scene, searches);
		known.set(key, documents);
	}
	return documents;
}

/** Like `documentsWith`, followed by files that are not open. */
export function filesWith(scene: Scene, search: Search): readonly Document[] {
	const open = documentsWith(scene, search);
	const others = search.query.word === "" ? [] : (scene.folder?.having(search.query) ?? []);
	const readable = others.filter((one) => search.mayBeIn(one.text) && readabilityOf(one) === "ok");
	return readable.length === 0 ? open : [...open, ...readable];
}

// Several rules in a request search for the same word.
const FOUND = new WeakMap<Scene, Map<string, readonly Document[]>>();

function findDocuments(scene: Scene, searches: readonly Search[]): Document[] {
	const { document, neighbours, wordIndex } = scene;
	const mayHave = ({ text }: Document) => searches.some((search) => search.mayBeIn(text));
	const own = mayHave(document) ? [document] : [];
	const hasWord = ({ text }: Document) => searches.some(({ query: wanted }) => isIn(wanted, text));
	const lists = searches.map(({ query: wanted }) => (wanted.word === "" ? undefined : wordIndex?.having(wanted)));
	if (wordIndex === undefined || lists.includes(undefined)) {
		// The exact check is slower, and only needed if some documents must be dropped.
		const possible = neighbours.filter(mayHave);
		const chosen = possible.length <= DOCUMENTS_MAX ? possible : possible.filter(hasWord).slice(0, DOCUMENTS_MAX);
		return [...own, ...chosen];
	}
	const ranks = new Set<number>();
	for (const keys of lists) {
		for (const key of keys ?? []) {
			const rank = rankOf(neighbours, key);
			if (rank !== undefined) ranks.add(rank);
		}
	}
	for (const rank of wordIndex.unindexedIn(neighbours)) if (hasWord(neighbours[rank] as Document)) ranks.add(rank);
	const nearest = [...ranks].sort((a, b) => a - b).slice(0, DOCUMENTS_MAX);
	return [...own, ...nearest.map((rank) => neighbours[rank] as Document)];
}

/** Whether a text contains a word, identified by its hash. True if the query has no word. */
function isIn({ word, hash }: WordQuery, text: Text): boolean {
	return word === "" || hasHash(wordsOfText(text), hash);
}
