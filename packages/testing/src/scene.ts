import type { History, Scene } from "@segue/predict";
import type { Document } from "@segue/text";

/** A scene of which nothing else is known, for an editor that can only edit. */
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
