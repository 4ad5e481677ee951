/**
 * A prompt of a completion endpoint, taken apart. A format's `write` puts these parts into its frame, and its `decode` takes the same
 * parts out of a prompt, also out of prompts that other programs wrote. All texts have \n at the end of each line.
 */
export interface PromptParts {
	/** The path of the document. Undefined where the prompt does not name it. */
	readonly path: string | undefined;
	/** Parts of other files. */
	readonly files: readonly PromptFile[];
	/** Recent edits, oldest first. */
	readonly edits: readonly PromptEdit[];
	/** The document up to the region, as far as the prompt shows it. */
	readonly before: string;
	/** The text that an answer may replace, without marks. */
	readonly region: string;
	/** The offset of the cursor in the region. Undefined where the prompt does not mark it. */
	readonly cursor: number | undefined;
	/** The document after the region, as far as the prompt shows it. */
	readonly after: string;
}

export interface PromptFile {
	readonly path: string;
	readonly text: string;
}

/** An edit as a prompt shows it: as a unified diff without file headers, or as the lines before and after. */
export type PromptEdit =
	| {
			readonly path: string;
			/** Differs from `path` if the file was renamed. */
			readonly oldPath: string;
			/** The user accepted it as a suggestion. */
			readonly isAccepted: boolean;
			readonly diff: string;
	  }
	| {
			readonly path: string;
			readonly old: string;
			readonly now: string;
			/** The lines of the old text in the file, both included, counted from 1. Undefined where the prompt has no numbers. */
			readonly span: { readonly first: number; readonly last: number } | undefined;
	  };

/** A replacement in a region, in UTF-16 offsets of the region. */
export interface RegionEdit {
	readonly from: number;
	readonly to: number;
	readonly insert: string;
}

/** An answer to a prompt, in the format's own marks. */
export interface PromptAnswer {
	readonly text: string;
	/** The mark that closes the answer. A client that names it as a stop gets the text without it. */
	readonly end: string;
}

/** One of the prompt formats that can be decoded. `encode(decode(prompt))` is the prompt, byte for byte. */
export interface PromptFormat<Parts extends PromptParts = PromptParts> {
	readonly name: string;
	/** Whether an answer replaces the region, or is inserted at the cursor, where the region is empty. */
	readonly answers: "region" | "insertion";
	/** The marks of its prompts. A text that has one of them itself is not told apart for certain. */
	readonly marks: readonly string[];
	/** Takes linear time. Undefined where the text is not a prompt of this format. */
	decode(prompt: string): Parts | undefined;
	encode(parts: Parts): string;
	/** The answer that makes these edits, which are in order and apart; without any, the format's way to say "no edit". */
	answer(parts: Parts, edits: readonly RegionEdit[]): PromptAnswer;
}

/** A text with edits applied. */
export function withEdits(text: string, edits: readonly RegionEdit[]): string {
	let at = 0;
	const pieces = edits.map(({ from, to, insert }) => {
		const kept = text.slice(at, from);
		at = to;
		return kept + insert;
	});
	return pieces.join("") + text.slice(at);
}

/** A text without the first of a mark, and the offset at which that was. */
export function takeMark(text: string, mark: string): { readonly text: string; readonly at: number | undefined } {
	const at = text.indexOf(mark);
	return at < 0 ? { text, at: undefined } : { text: text.slice(0, at) + text.slice(at + mark.length), at };
}

/** A text with a mark at an offset, if there is one. */
export function putMark(text: string, mark: string, at: number | undefined): string {
	return at === undefined ? text : text.slice(0, at) + mark + text.slice(at);
}
