import { type Document, sameUri } from "@segue/text";
import type { History } from "./history.js";

/** Everything a predictor may look at for one request. Every place is a UTF-16 offset. */
export interface Scene {
	readonly document: Document;
	readonly cursor: number;
	/** Empty, at the cursor, where nothing is selected. */
	readonly selection: { readonly anchor: number; readonly head: number };
	readonly history: History;
	/** Other documents, most recently used first. */
	readonly neighbours: readonly Document[];
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
	readonly kinds: ReadonlySet<Exclude<Kind, "edit">>;
	readonly eagerness: Eagerness;
}

export type Kind = "edit" | "jump" | "rename" | "searchAndReplace";

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

/** The scene's own document or neighbour of that name. */
export function documentOf(scene: Scene, uri: string): Document | undefined {
	return [scene.document, ...scene.neighbours].find((document) => sameUri(document.uri, uri));
}
