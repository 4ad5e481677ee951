import { type Document, sameUri, uriKey } from "@segue/text";
import type { History } from "./history.js";
import type { Outline } from "./languages/outline.js";
import type { WordIndexSnapshot } from "./search/word-index.js";
import type { WordQuery } from "./search/words.js";

/** Everything a predictor may look at for one request. Every place is a UTF-16 offset. */
export interface Scene {
	readonly document: Document;
	readonly cursor: number;
	/** Empty, at the cursor, where nothing is selected. */
	readonly selection: { readonly anchor: number; readonly head: number };
	readonly history: History;
	/** Other documents, most recently used first. */
	readonly neighbours: readonly Document[];
	/** What a parser saw in the documents, by `uriKey`: in some, and perhaps in a version that is a moment old. */
	readonly outlines: ReadonlyMap<string, Outline>;
	/** Checks the syntax of what is about to be shown. Without it, brackets, strings and comments are checked instead. */
	readonly parse?: Parse | undefined;
	/** Finds syntax nodes. Without it, models are shown lines around the cursor whatever the code between them is. */
	readonly nodesAround?: NodesAround | undefined;
	/** Says which of the documents have a word. Without it they are looked at one by one, which only takes longer. */
	readonly wordIndex?: WordIndexSnapshot | undefined;
	/** The files of the workspace that are not open. Only rules that know what a name means in another file look into them. */
	readonly folder?: Folder | undefined;
	/** By `uriKey`, the documents that a project leaves out of its repository: no model is shown them or writes in them. */
	readonly ignored?: ReadonlySet<string> | undefined;
	readonly diagnostics: readonly Diagnostic[];
	/** What the editor has open or the user has looked at, most recent first; also files whose text is not known. */
	readonly views: readonly View[];
	/** Parts of other files that the editor found to be related, in its order. */
	readonly excerpts: readonly Excerpt[];
	/** What the user did, newest last. */
	readonly actions: readonly Action[];
	readonly workspace: Workspace;
	readonly trigger: Trigger;
	/** What may be offered besides edits. */
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
	readonly eagerness: Eagerness;
}

/**
 * Parses a document synchronously and counts its syntax errors. Returns undefined if it cannot: there is no grammar for the
 * language, the grammar is not loaded yet, or the text takes too long to parse.
 */
export type Parse = (document: Document, range: Range) => SyntaxErrors | undefined;

/** How many syntax errors a document has, and how many of them touch a range. */
export interface SyntaxErrors {
	readonly total: number;
	readonly inRange: number;
}

/**
 * The syntax nodes around an offset of a document, innermost first; nodes of a single line may be missing. Parses synchronously and
 * returns undefined if it cannot, as `Parse` does.
 */
export type NodesAround = (document: Document, at: number) => readonly Range[] | undefined;

interface Range {
	readonly from: number;
	readonly to: number;
}

/** Files that are not open, found by the words in them. Nothing is written there before the user has been taken there. */
export interface Folder {
	/** The files that have a word, nearest first; a few may not have it. Only those whose text is at hand. */
	having(word: WordQuery): readonly Document[];
	/** Whether these are all files of the workspace that have the word and are not open. */
	hasAll(word: WordQuery): boolean;
	/** A file that was found. */
	find(uri: string): Document | undefined;
	/** A file by its name, if its text is at hand. "missing" if there is none; undefined while that is not known. */
	fileAt(uri: string): Document | "missing" | undefined;
}

export type ProposalKind = "edit" | "jump" | "rename" | "searchAndReplace";

/** Why there is a request: the user paused, a diagnostic came or went, or the user asked. */
export type Trigger = "automatic" | "diagnostic" | "manual";

/** How sure the engine must be before it shows something: the more eager, the less. */
export type Eagerness = "low" | "medium" | "high";

export interface Diagnostic {
	readonly uri: string;
	readonly from: number;
	readonly to: number;
	readonly severity: "error" | "warning" | "info" | "hint";
	readonly message: string;
}

/** What is seen of a file. Places are known only where the file's text is. */
export interface View {
	readonly uri: string;
	readonly languageId: string | undefined;
	readonly cursor: number | undefined;
	/** What the editor shows of it. */
	readonly visible: { readonly from: number; readonly to: number } | undefined;
	readonly focusedAtMs: number | undefined;
}

/** Some lines of a file, whose text need not be known otherwise. */
export interface Excerpt {
	readonly uri: string;
	/** The lines that it shows, both included, counted from 0. */
	readonly first: number;
	readonly last: number;
	/** Without the last line's end. */
	readonly text: string;
}

/** Something that the user did, in the editor's own words: `insertChar`, `cursorMovement`. */
export interface Action {
	readonly what: string;
	readonly uri: string;
	/** Known where the file's text is: a place in its present text. */
	readonly at: number | undefined;
	readonly atMs: number;
}

/** What the editor has said of the workspace when the session began. No address in it has credentials. */
export interface Workspace {
	readonly uri: string | undefined;
	readonly folders: readonly { readonly uri: string; readonly name: string }[];
	/** Undefined where it is no repository. */
	readonly repository: { readonly name: string; readonly owner: string; readonly remoteUrl: string } | undefined;
}

/** A scene of which nothing else is known, for an editor that can only edit. What is known besides takes the place of that. */
export function sceneOf(document: Document, history: History, cursor: number): Scene {
	return {
		document,
		cursor,
		selection: { anchor: cursor, head: cursor },
		history,
		neighbours: [],
		outlines: new Map(),
		diagnostics: [],
		views: [],
		excerpts: [],
		actions: [],
		workspace: { uri: undefined, folders: [], repository: undefined },
		trigger: "automatic",
		kinds: new Set(),
		eagerness: "medium",
	};
}

/** The scene's own document or neighbour of that name, or a file that was found in its folder. */
export function documentOf({ document, neighbours, folder }: Scene, uri: string): Document | undefined {
	if (sameUri(document.uri, uri)) return document;
	const rank = rankOf(neighbours, uriKey(uri));
	return rank === undefined ? folder?.find(uri) : neighbours[rank];
}

/** Whether the user has a document of the scene open. */
export function isOpen({ document, neighbours }: Scene, { uri }: Document): boolean {
	return sameUri(document.uri, uri) || rankOf(neighbours, uriKey(uri)) !== undefined;
}

// While the user types in one document, its neighbours are the same from one request to the next.
const RANKS = new WeakMap<readonly Document[], ReadonlyMap<string, number>>();

/** Which of some documents has a key. */
export function rankOf(documents: readonly Document[], key: string): number | undefined {
	let ranks = RANKS.get(documents);
	if (ranks === undefined) {
		// Of two with one name, the first is meant.
		ranks = new Map(documents.map(({ uri }, rank) => [uriKey(uri), rank] as const).reverse());
		RANKS.set(documents, ranks);
	}
	return ranks.get(key);
}

/** What a parser saw in a document, as far as that holds for its present text. */
export function outlineOf(scene: Scene, { uri, text }: Document): Outline | undefined {
	return scene.outlines.get(uriKey(uri))?.for(text);
}
