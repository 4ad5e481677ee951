import {
	documentOf,
	type Folder,
	type History,
	type Memory,
	type Prediction,
	type Scene,
	type Suggestion,
	type WordQuery,
} from "@segue/predict";
import { type Document, languageOf, Text, uriKey } from "@segue/text";
import type { FileQuery, FilesWithWord, FolderFiles } from "./folder-files.js";
import { andThen, type Predict, type PredictCall } from "./models.js";

// Enough for the five names that one request may search for. Each entry stores a file's text and outline.
const DOCUMENTS_MAX = 128;
// Twice the limit for one index search.
const CHARACTERS_MAX = 8 * 2 ** 20;
// The number of search results, by name, that a session caches.
const WORDS_MAX = 256;
// Other programs can change files too, so older results are refreshed.
const WORD_MS_MAX = 5_000;

// Files that are not open in an editor have no version.
const UNKNOWN_VERSION = Number.NaN;

/** A session's cache of unopened files in its folders: those that contain the words that rules search for. */
export class FolderSearch {
	/** Keyed by hash, least recently requested first. */
	private readonly words = new Map<number, FilesWithWord & { readonly foundAtMs: number }>();
	/** Keyed by `uriKey`, least recently read first. */
	private readonly documents = new Map<string, ReadDocument>();
	/** The total length of all documents. */
	private characters = 0;
	/** The times at which files were found to be missing, keyed by `uriKey`, oldest first. */
	private readonly missing = new Map<string, number>();

	constructor(
		private readonly files: FolderFiles,
		private readonly now: () => number,
		/** The files that the editor has open. */
		private readonly open: { has(uri: string): boolean; uris(): readonly string[] },
		/** Parses the files that were read. */
		private readonly outlines: { update(document: Document): void; forget(uri: string): void } | undefined,
	) {}

	/** The number of indexed files. */
	get size(): number {
		return this.files.state.files;
	}

	/** Creates the view for one request. Excludes files that are attached to the request. */
	view(history: History, isAttached: (uri: string) => boolean): FolderView {
		const isOpen = (uri: string) => this.open.has(uri) || isAttached(uri);
		return new FolderView({
			look: ({ hash }) => this.words.get(hash),
			isOpen,
			isMissing: (uri) => this.isMissing(uri),
			read: (uri) => (isOpen(uri) ? undefined : settled(this.documents.get(uriKey(uri))?.document, history)),
		});
	}

	/**
	 * Returns the query that must run before a prediction may be shown, or undefined if none is needed. The query
	 * searches for words without a recent result and rereads the files that the suggestions change. `checked` contains
	 * the words and files already queried for this request.
	 */
	queryFor(
		view: FolderView,
		suggestions: readonly Suggestion[],
		near: string,
		checked: QueryHistory,
	): FileQuery | undefined {
		// The folder is empty, remote, or not indexed yet.
		if (this.size === 0) return undefined;
		const now = this.now();
		const hashes = [...view.asked].filter((hash) => {
			const { foundAtMs = Number.NEGATIVE_INFINITY, uris: found = [] } = this.words.get(hash) ?? {};
			// The text of a file may have been evicted.
			const isAtHand = (uri: string) => this.documents.has(uriKey(uri)) || view.isOpen(uri);
			return !checked.hashes.has(hash) && (now - foundAtMs > WORD_MS_MAX || !found.every(isAtHand));
		});
		const found = suggestions.flatMap(({ uri }) => (view.found.has(uriKey(uri)) ? [uri] : []));
		const uris = [...new Set([...found, ...view.unread])].filter((uri) => !checked.keys.has(uriKey(uri)));
		if (hashes.length === 0 && uris.length === 0) return undefined;
		const known = new Map([...this.documents.values()].map(({ document, stamp }) => [document.uri, stamp] as const));
		return { hashes, near, uris, known, open: new Set(this.open.uris()) };
	}

	/** Queries the index. Returns whether the result changes the view. */
	async query(question: FileQuery, { unsure }: FolderView, checked: QueryHistory): Promise<boolean> {
		const { words, files, missing } = await this.files.find(question);
		for (const hash of question.hashes) checked.hashes.add(hash);
		const found = new Map(files.map((file) => [uriKey(file.uri), file]));
		let isOther = false;
		for (const key of [...question.uris, ...words.flatMap(({ uris }) => uris)].map(uriKey)) {
			checked.keys.add(key);
			const file = found.get(key);
			const known = this.documents.get(key);
			// It may have been opened during the query.
			if (file !== undefined && this.open.has(file.uri)) continue;
			if (file === undefined) {
				if (known !== undefined) this.forget(key, known);
				isOther ||= known !== undefined;
			} else if (file.text !== undefined) {
				this.keep(key, file.uri, file.text, file.stamp);
				isOther = true;
			} else if (known !== undefined) {
				this.documents.delete(key);
				this.documents.set(key, known);
			}
		}
		const foundAtMs = this.now();
		for (const uri of missing) {
			isOther ||= !this.isMissing(uri);
			this.missing.set(uriKey(uri), foundAtMs);
		}
		for (const [key] of [...this.missing].slice(0, -WORDS_MAX)) this.missing.delete(key);
		for (const word of words) {
			const { isAll = false, uris = [] } = this.words.get(word.hash) ?? {};
			// Drop unreadable files, so that they are not requested again.
			const now = word.uris.filter((uri) => found.has(uriKey(uri)));
			isOther ||= (isAll !== word.isAll && unsure.has(word.hash)) || uris.join() !== now.join();
			this.words.delete(word.hash);
			this.words.set(word.hash, { ...word, uris: now, foundAtMs });
			const [oldest] = this.words.keys();
			if (this.words.size > WORDS_MAX && oldest !== undefined) this.words.delete(oldest);
		}
		return isOther;
	}

	/** Must be called when the editor has opened a file, because the editor sends its text from then on. */
	opened(uri: string): void {
		const key = uriKey(uri);
		this.characters -= this.documents.get(key)?.document.text.length ?? 0;
		this.documents.delete(key);
	}

	/** Must be called when a file has been saved, closed, created or deleted. */
	changed(uri: string): void {
		this.files.changed([uri]);
		// The words in the new content are not known here.
		this.words.clear();
		this.missing.clear();
	}

	/** Pauses indexing during a request. The returned function resumes it. */
	pause(): () => void {
		return this.files.pause();
	}

	close(): void {
		this.files.release();
		this.words.clear();
		this.missing.clear();
		for (const entry of [...this.documents]) this.forget(...entry);
	}

	private isMissing(uri: string): boolean {
		const foundAtMs = this.missing.get(uriKey(uri));
		return foundAtMs !== undefined && this.now() - foundAtMs <= WORD_MS_MAX;
	}

	private keep(key: string, uri: string, text: string, stamp: string): void {
		const document = { uri, languageId: languageOf(uri), version: UNKNOWN_VERSION, text: Text.of(text) };
		const old = this.documents.get(key);
		if (old !== undefined) this.characters -= old.document.text.length;
		this.documents.delete(key);
		this.documents.set(key, { document, stamp });
		this.characters += text.length;
		this.missing.delete(key);
		this.outlines?.update(document);
		for (const oldest of this.documents) {
			if (this.documents.size <= DOCUMENTS_MAX && this.characters <= CHARACTERS_MAX) break;
			this.forget(...oldest);
		}
	}

	private forget(key: string, { document }: ReadDocument): void {
		this.documents.delete(key);
		this.characters -= document.text.length;
		this.outlines?.forget(document.uri);
	}
}

/** The words and files that were queried for one request. */
export class QueryHistory {
	readonly hashes = new Set<number>();
	/** Files, by `uriKey`. */
	readonly keys = new Set<string>();
}

/** One request's view of the unopened files. Records the words that rules search for and the files that they find. */
class FolderView implements Folder {
	/** The hashes of the words that were searched for. */
	readonly asked = new Set<number>();
	/** The hashes of words for which a rule needs all files. */
	readonly unsure = new Set<number>();
	/** Keyed by `uriKey`. */
	readonly found = new Map<string, Document>();
	/** The URIs of files that a rule needs but that are not known to exist. */
	readonly unread = new Set<string>();

	constructor(private readonly known: KnownFiles) {}

	/** Whether a file is open in the editor. */
	isOpen(uri: string): boolean {
		return this.known.isOpen(uri);
	}

	having(word: WordQuery): readonly Document[] {
		this.asked.add(word.hash);
		return (this.known.look(word)?.uris ?? []).flatMap((uri) => this.documentAt(uri) ?? []);
	}

	hasAll(word: WordQuery): boolean {
		this.asked.add(word.hash);
		this.unsure.add(word.hash);
		const { isAll = false, uris = [] } = this.known.look(word) ?? {};
		return isAll && uris.every((uri) => this.known.isOpen(uri) || this.documentAt(uri) !== undefined);
	}

	find(uri: string): Document | undefined {
		return this.found.get(uriKey(uri));
	}

	fileAt(uri: string): Document | "missing" | undefined {
		const document = this.documentAt(uri);
		if (document !== undefined) return document;
		if (this.known.isMissing(uri)) return "missing";
		this.unread.add(uri);
		return undefined;
	}

	/** Returns the same object for repeated calls. */
	private documentAt(uri: string): Document | undefined {
		const key = uriKey(uri);
		const known = this.found.get(key);
		if (known !== undefined) return known;
		const document = this.known.read(uri);
		if (document !== undefined) this.found.set(key, document);
		return document;
	}
}

/** The cached results of a session. */
interface KnownFiles {
	look(word: WordQuery): FilesWithWord | undefined;
	isOpen(uri: string): boolean;
	isMissing(uri: string): boolean;
	read(uri: string): Document | undefined;
}

interface ReadDocument {
	readonly document: Document;
	readonly stamp: string;
}

/** Returns the document with the history's text object. Undefined if the file's text differs from the history's. */
function settled(document: Document | undefined, history: History): Document | undefined {
	const { now: text = document?.text } = (document && history.fileOf(document.uri)) ?? {};
	if (document === undefined || text === undefined || text === document.text) return document;
	return text.equals(document.text) ? { ...document, text } : undefined;
}

// Two or three rounds are usual: one for the words that rules search for, one for words that depend on those results,
// and one to reread suggested files.
const ROUNDS_MAX = 6;

/** A prediction and its scene. */
export interface ScenePrediction {
	readonly prediction: Prediction;
	readonly scene: Scene;
}

/**
 * Predicts in rounds: after each round, reads the files that rules searched for, until no rule needs more files. The
 * returned scene includes these files.
 */
export function predictInFolder(
	scene: Scene,
	search: FolderSearch,
	predictor: { readonly predict: Predict },
	memory: Memory,
	call: PredictCall,
): ScenePrediction | Promise<ScenePrediction> {
	const { uri } = scene.document;
	const isAttached = (other: string) => documentOf(scene, other) !== undefined;
	const checked = new QueryHistory();
	const attempt = (round: number): ScenePrediction | Promise<ScenePrediction> => {
		const folder = search.view(scene.history, isAttached);
		const seen = { ...scene, folder };
		return andThen(predictor.predict(seen, memory, call), (prediction) => {
			const suggestions = "suggestions" in prediction ? prediction.suggestions : [];
			const question = search.queryFor(folder, suggestions, uri, checked);
			if (question === undefined) return { prediction, scene: seen };
			if (round === ROUNDS_MAX) {
				const isRead = (suggestion: Suggestion) => !question.uris.includes(suggestion.uri);
				return { prediction: onlySuggesting(prediction, isRead), scene: seen };
			}
			return search.query(question, folder, checked).then((isOther) => {
				return isOther ? attempt(round + 1) : { prediction, scene: seen };
			});
		});
	};
	return attempt(1);
}

function onlySuggesting(prediction: Prediction, isShown: (suggestion: Suggestion) => boolean): Prediction {
	if ("silence" in prediction) return prediction;
	const [first, ...others] = prediction.suggestions.filter(isShown);
	return first === undefined ? { silence: "nothing-found" } : { ...prediction, suggestions: [first, ...others] };
}
