import type { Document, Text } from "@segue/text";
import { readabilityOf } from "../languages/reading.js";
import { rankOf, type Scene } from "../scene.js";
import type { Search } from "./search.js";
import { hasHash, type WordQuery, wordsOfText } from "./words.js";

// A word that is in more documents than this is not the user's own, and what was changed is done by hand in far fewer.
const DOCUMENTS_MAX = 100;

/**
 * The documents of a scene in which one of some texts may be found, its own first and then the neighbours in their order,
 * as far as anybody would follow. With a word index, the others are not even looked at; without one, it takes longer and
 * gives the same.
 */
export function documentsWith(scene: Scene, ...searches: readonly Search[]): readonly Document[] {
	let known = FOUND.get(scene);
	if (known === undefined) {
		known = new Map();
		FOUND.set(scene, known);
	}
	// No word has a space in it.
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

/** The same with those files that are not open, after the others. */
export function filesWith(scene: Scene, search: Search): readonly Document[] {
	const open = documentsWith(scene, search);
	const others = search.query.word === "" ? [] : (scene.folder?.having(search.query) ?? []);
	const readable = others.filter((one) => search.mayBeIn(one.text) && readabilityOf(one) === "ok");
	return readable.length === 0 ? open : [...open, ...readable];
}

// Several rules of a request look for one word, and so does who counts the names that come and go.
const FOUND = new WeakMap<Scene, Map<string, readonly Document[]>>();

function findDocuments(scene: Scene, searches: readonly Search[]): Document[] {
	const { document, neighbours, wordIndex } = scene;
	const mayHave = ({ text }: Document) => searches.some((search) => search.mayBeIn(text));
	const own = mayHave(document) ? [document] : [];
	const hasWord = ({ text }: Document) => searches.some(({ query: wanted }) => isIn(wanted, text));
	const lists = searches.map(({ query: wanted }) => (wanted.word === "" ? undefined : wordIndex?.having(wanted)));
	if (wordIndex === undefined || lists.includes(undefined)) {
		// It takes longer to be sure, and makes a difference only where some are left out.
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

/** Whether a text has a word, as a word index would say. Where there is no word to look for, it may. */
function isIn({ word, hash }: WordQuery, text: Text): boolean {
	return word === "" || hasHash(wordsOfText(text), hash);
}
