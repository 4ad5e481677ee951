import { type Document, sameUri, uriKey } from "@segue/text";
import type { History } from "./history.js";
import type { Outline } from "./languages/outline.js";
import type { WordIndexSnapshot } from "./search/word-index.js";
import type { WordQuery } from "./search/words.js";

/** Everything a predictor may use for one request. All offsets are in UTF-16 code units. */
export interface Scene {
	readonly document: Document;
	readonly cursor: number;
	/** Empty and at the cursor if nothing is selected. */
	readonly selection: { readonly anchor: number; readonly head: number };
	readonly history: History;
	/** Other documents, most recently used first. */
	readonly neighbours: readonly Document[];
	/** Outlines for some of the documents, by `uriKey`. An outline may describe a slightly older version. */
	readonly outlines: ReadonlyMap<string, Outline>;
	/**
	 * Checks the syntax of a suggestion before it is shown. Without it, only brackets, strings and comments are checked.
	 */
	readonly parse?: Parse | undefined;
	/** Finds syntax nodes. Without it, a model's window is a fixed number of lines around the cursor. */
	readonly nodesAround?: NodesAround | undefined;
	/** Finds the documents that contain a word. Without it they are scanned one by one, which is slower. */
	readonly wordIndex?: WordIndexSnapshot | undefined;
	/** Workspace files that are not open. Only rules that can resolve a name in another file search them. */
	readonly folder?: Folder | undefined;
	/** Documents that the project's repository ignores, by `uriKey`. Models do not see or edit them. */
	readonly ignored?: ReadonlySet<string> | undefined;
	readonly diagnostics: readonly Diagnostic[];
	/** Files that are open or were viewed, most recent first. The text of some may be unknown. */
	readonly views: readonly View[];
	/** Related parts of other files, in the editor's order. */
	readonly excerpts: readonly Excerpt[];
	/** The user's recent actions, newest last. */
	readonly actions: readonly Action[];
	readonly workspace: Workspace;
	readonly trigger: Trigger;
	/** Suggestion kinds that the editor supports in addition to edits. */
	readonly kinds: ReadonlySet<Exclude<ProposalKind, "edit">>;
	readonly eagerness: Eagerness;
}

/**
 * Parses a document synchronously and counts its syntax errors. Returns undefined if it cannot: there is no grammar for
 * the language, the grammar is not loaded yet, or the text takes too long to parse.
 */
export type Parse = (document: Document, range: Range) => SyntaxErrors | undefined;

/** The number of syntax errors in a document, and of those that touch a range. */
export interface SyntaxErrors {
	readonly total: number;
	readonly inRange: number;
}

/**
 * The syntax nodes around an offset of a document, innermost first; nodes of a single line may be missing. Parses
 * synchronously and returns undefined if it cannot, as `Parse` does.
 */
export type NodesAround = (document: Document, at: number) => readonly Range[] | undefined;

interface Range {
	readonly from: number;
	readonly to: number;
}

/** Files that are not open, searchable by word. They are edited only after the user jumps to them. */
export interface Folder {
	/** Loaded files that contain a word, nearest first. May include false positives. */
	having(word: WordQuery): readonly Document[];
	/** Whether `having` returns every unopened file in the workspace that contains the word. */
	hasAll(word: WordQuery): boolean;
	/** A file that `having` returned. */
	find(uri: string): Document | undefined;
	/** Returns the file at a URI if it is loaded, "missing" if it does not exist, or undefined if that is unknown. */
	fileAt(uri: string): Document | "missing" | undefined;
}

export type ProposalKind = "edit" | "jump" | "rename" | "searchAndReplace";

/** The cause of a request: the user paused, the diagnostics changed, or the user requested a suggestion. */
export type Trigger = "automatic" | "diagnostic" | "manual";

/** How eagerly suggestions are shown. Higher eagerness requires less confidence. */
export type Eagerness = "low" | "medium" | "high";

export interface Diagnostic {
	readonly uri: string;
	readonly from: number;
	readonly to: number;
	readonly severity: "error" | "warning" | "info" | "hint";
	readonly message: string;
}

/** A file in the editor. Its offsets are undefined if its text is unknown. */
export interface View {
	readonly uri: string;
	readonly languageId: string | undefined;
	readonly cursor: number | undefined;
	/** The range visible in the editor. */
	readonly visible: { readonly from: number; readonly to: number } | undefined;
	readonly focusedAtMs: number | undefined;
}

/** Some lines of a file. The rest of its text may be unknown. */
export interface Excerpt {
	readonly uri: string;
	/** The first and last line, inclusive, counted from 0. */
	readonly first: number;
	readonly last: number;
	/** Without the final line break. */
	readonly text: string;
}

/** A user action, with the editor's name for it: `insertChar`, `cursorMovement`. */
export interface Action {
	readonly what: string;
	readonly uri: string;
	/** An offset in the current text; undefined if the text is unknown. */
	readonly at: number | undefined;
	readonly atMs: number;
}

/** The workspace as the editor described it at the start of the session. URLs contain no credentials. */
export interface Workspace {
	readonly uri: string | undefined;
	readonly folders: readonly { readonly uri: string; readonly name: string }[];
	/** Undefined if the workspace is not a repository. */
	readonly repository: { readonly name: string; readonly owner: string; readonly remoteUrl: string } | undefined;
}

/** Creates a minimal scene for an editor that supports only edits. Spread it and override what is known. */
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

/** Returns the document at a URI: the scene's own, a neighbour, or a file in its folder. */
export function documentOf({ document, neighbours, folder }: Scene, uri: string): Document | undefined {
	if (sameUri(document.uri, uri)) return document;
	const rank = rankOf(neighbours, uriKey(uri));
	return rank === undefined ? folder?.find(uri) : neighbours[rank];
}

/** Whether the user has a document of the scene open. */
export function isOpen({ document, neighbours }: Scene, { uri }: Document): boolean {
	return sameUri(document.uri, uri) || rankOf(neighbours, uriKey(uri)) !== undefined;
}

// While the user types in one document, its neighbours don't change between requests.
const RANKS = new WeakMap<readonly Document[], ReadonlyMap<string, number>>();

/** The index of the document with this `uriKey`. */
export function rankOf(documents: readonly Document[], key: string): number | undefined {
	let ranks = RANKS.get(documents);
	if (ranks === undefined) {
		// Reversed, so the first of two equal keys wins.
		ranks = new Map(documents.map(({ uri }, rank) => [uriKey(uri), rank] as const).reverse());
		RANKS.set(documents, ranks);
	}
	return ranks.get(key);
}

/** Returns the outline of a document, adjusted to its current text; undefined if there is none or it is too old. */
export function outlineOf(scene: Scene, { uri, text }: Document): Outline | undefined {
	return scene.outlines.get(uriKey(uri))?.for(text);
}
