import type { Edit } from "@segue/text";

/** A stretch of text as it will be. */
export interface Piece {
	readonly text: string;
	readonly isNew: boolean;
}

/** The whole lines that edits touch, as they will be, and where the first of them begins in the text as it is. */
export function besideOf(edits: readonly Edit[], text: string): { from: number; pieces: readonly Piece[] } {
	const first = Math.min(...edits.map(({ from }) => from));
	const last = Math.max(...edits.map(({ to }) => to));
	const from = text.slice(0, first).lastIndexOf("\n") + 1;
	const lineEnd = text.indexOf("\n", last);
	const to = lineEnd < 0 ? text.length : lineEnd;
	const pieces: Piece[] = [];
	let at = from;
	for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
		pieces.push({ text: text.slice(at, edit.from), isNew: false }, { text: edit.insert, isNew: true });
		at = edit.to;
	}
	pieces.push({ text: text.slice(at, to), isNew: false });
	return { from, pieces: pieces.filter((piece) => piece.text !== "") };
}
