import type { Text } from "./text.js";

/** One version of a document. It never changes: an edit makes another value, so this one is a snapshot for free. */
export interface Document {
	/** As its owner wrote it; compare with `sameUri`. */
	readonly uri: string;
	readonly languageId: string;
	readonly version: number;
	readonly text: Text;
}
