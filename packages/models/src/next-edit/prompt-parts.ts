/**
 * The parts of a prompt for a completion endpoint. A format's `write` puts them into its frame, and `decode` extracts
 * them from a prompt, including prompts written by other programs. All strings use \n as the line break.
 */
export interface PromptParts {
	/** Path of the document, if the prompt contains it. */
	readonly path: string | undefined;
	/** Snippets from other files. */
	readonly files: readonly PromptFile[];
	/** Recent edits, oldest first. */
	readonly edits: readonly PromptEdit[];
	/** The document before the region, if shown. */
	readonly before: string;
	/** The text that a reply may replace, with marks removed. */
	readonly region: string;
	/** Offset of the cursor in the region, if the prompt marks it. */
	readonly cursor: number | undefined;
	/** The document after the region, if shown. */
	readonly after: string;
}

export interface PromptFile {
	readonly path: string;
	readonly text: string;
}

/** An edit in a prompt: either a unified diff without file headers, or the lines before and after the edit. */
export type PromptEdit =
	| {
			readonly path: string;
			/** Differs from `path` if the file was renamed. */
			readonly oldPath: string;
			/** Whether the edit was a suggestion that the user accepted. */
			readonly isAccepted: boolean;
			readonly diff: string;
	  }
	| {
			readonly path: string;
			readonly old: string;
			readonly now: string;
			/** Line numbers of the old text in the file, inclusive, one-based. Undefined if the prompt has no line numbers. */
			readonly span: { readonly first: number; readonly last: number } | undefined;
	  };

/** A replacement in a region, in UTF-16 offsets of the region. */
export interface RegionEdit {
	readonly from: number;
	readonly to: number;
	readonly insert: string;
}

/** A reply to a prompt, with the format's marks. */
export interface PromptAnswer {
	readonly text: string;
	/** The mark that ends the reply. A client that uses it as a stop sequence gets the text without it. */
	readonly end: string;
}

/** A prompt format that can be decoded. `encode(decode(prompt))` is the prompt, byte for byte. */
export interface PromptFormat<Parts extends PromptParts = PromptParts> {
	readonly name: string;
	/** Whether a reply replaces the region or is inserted at the cursor. For insertions, the region is empty. */
	readonly answers: "region" | "insertion";
	/** The marks used in prompts. If a document contains one of them, decoding is ambiguous. */
	readonly marks: readonly string[];
	/** Runs in linear time. Returns undefined if the text is not a prompt in this format. */
	decode(prompt: string): Parts | undefined;
	encode(parts: Parts): string;
	/**
	 * Creates a reply that makes these edits, which must be sorted and disjoint. Without edits, uses the format's way to
	 * say "no edit".
	 */
	answer(parts: Parts, edits: readonly RegionEdit[]): PromptAnswer;
}

/** Applies edits to a region. */
export function withEdits(text: string, edits: readonly RegionEdit[]): string {
	let at = 0;
	const pieces = edits.map(({ from, to, insert }) => {
		const kept = text.slice(at, from);
		at = to;
		return kept + insert;
	});
	return pieces.join("") + text.slice(at);
}

/** Removes the first occurrence of a mark and returns its offset. */
export function takeMark(text: string, mark: string): { readonly text: string; readonly at: number | undefined } {
	const at = text.indexOf(mark);
	return at < 0 ? { text, at: undefined } : { text: text.slice(0, at) + text.slice(at + mark.length), at };
}

/** Inserts a mark at the offset, if an offset is given. */
export function putMark(text: string, mark: string, at: number | undefined): string {
	return at === undefined ? text : text.slice(0, at) + mark + text.slice(at);
}
