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

/** The scene's own document or neighbour of that name. */
export function documentOf(scene: Scene, uri: string): Document | undefined {
	return [scene.document, ...scene.neighbours].find((document) => sameUri(document.uri, uri));
}
