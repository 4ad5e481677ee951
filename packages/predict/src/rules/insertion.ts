import type { Document } from "@segue/text";
import type { Example } from "../example.js";
import type { EditedFile } from "../history.js";
import { indentOf } from "../languages/identifiers.js";
import type { Site } from "../ranking/site.js";

/** Consecutive lines that the user inserted into a file. */
export interface Insertion {
	readonly file: EditedFile;
	/** The first inserted line in the current text. */
	readonly first: number;
	/** The last inserted line in the current text. */
	readonly last: number;
	/** Without line breaks. */
	readonly lines: readonly string[];
	/** One example per line, from top to bottom. */
	readonly examples: readonly Example[];
	/** Whether all lines are accepted suggestions. */
	readonly isAccepted: boolean;
}

/** The insertions of whole lines, most recent last. */
export function insertionsOf(examples: readonly Example[]): Insertion[] {
	const byFile = new Map<EditedFile, { line: number; example: Example; rank: number }[]>();
	for (const [rank, example] of examples.entries()) {
		const { file, before, after, at } = example;
		if (before !== undefined || after === undefined) continue;
		const own = byFile.get(file) ?? [];
		byFile.set(file, own);
		own.push({ line: file.now.lineAt(at), example, rank });
	}
	const dated: { insertion: Insertion; rank: number }[] = [];
	for (const [file, lines] of byFile) {
		const sorted = lines.toSorted((a, b) => a.line - b.line);
		for (let i = 0; i < sorted.length; ) {
			let end = i + 1;
			while (end < sorted.length && sorted[end]?.line === (sorted[end - 1]?.line ?? 0) + 1) end++;
			const run = sorted.slice(i, end);
			dated.push({ insertion: insertionOf(file, run), rank: Math.max(...run.map(({ rank }) => rank)) });
			i = end;
		}
	}
	return dated.toSorted((a, b) => a.rank - b.rank).map(({ insertion }) => insertion);
}

function insertionOf(file: EditedFile, run: readonly { line: number; example: Example }[]): Insertion {
	const examples = run.map(({ example }) => example);
	return {
		file,
		first: run[0]?.line ?? 0,
		last: run.at(-1)?.line ?? 0,
		lines: examples.map(({ after = "" }) => after),
		examples,
		isAccepted: examples.every(({ isAccepted }) => isAccepted),
	};
}

const IMPORT =
	/^\s*(?:(?:pub\s+)?use|from|import|extern\s+crate|mod|using|#\s*include)\b|\brequire\(|^\s*(?:\w+\s+)?"[^"]*"\s*$/;

/**
 * Whether a line is an import. A file needs the imports that its code uses, so imports are not repeated in other
 * files.
 */
export function isImport(line: string): boolean {
	return IMPORT.test(line);
}

/** The side of a line on which others are inserted. */
export type InsertionSide = "above" | "below";

/** Inserts lines above or below a line of a document, with its indent. */
export function writeBeside(document: Document, line: number, side: InsertionSide, lines: readonly string[]): Site {
	const { text } = document;
	const indent = indentOf(text.line(line));
	const end = text.lineEnd(line);
	const eol = line + 1 < text.lineCount ? text.slice(end, text.lineStart(line + 1)) : "\n";
	const written = lines.map((one) => (one === "" ? "" : indent + one));
	const at = side === "below" ? end : text.lineStart(line);
	const insert = written.map((one) => (side === "below" ? eol + one : one + eol)).join("");
	return { document, line, edits: [{ from: at, to: at, insert }] };
}
