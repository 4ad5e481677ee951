import type { Text } from "@segue/text";

type LineEnd = "\n" | "\r\n" | "\r";

// Nearly every document has one kind of line ending. If the endings are mixed, this many lines are enough to find the
// intended one.
const LOOKED_AT_MAX = 16;

/**
 * Returns the most common line ending in the first lines. In a tie, the first one wins. Returns `\n` for a single line.
 */
export function lineEndOf(text: Text): LineEnd {
	const counts = new Map<string, number>();
	for (let line = 0; line < Math.min(text.lineCount - 1, LOOKED_AT_MAX); line++) {
		const lineEnd = text.slice(text.lineEnd(line), text.lineStart(line + 1));
		counts.set(lineEnd, (counts.get(lineEnd) ?? 0) + 1);
	}
	const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
	return (most?.[0] ?? "\n") as LineEnd;
}

/** Converts an agent's text to the line endings of the document. */
export function withLineEnds(insert: string, lineEnd: LineEnd): string {
	return insert.replace(/\r\n|\n|\r/g, lineEnd);
}
