import type { Text } from "@segue/text";

type LineEnd = "\n" | "\r\n" | "\r";

// Nearly every text has one kind of line end. Where others have crept in, this many tell which kind it was written in.
const LOOKED_AT_MAX = 16;

/** What most of the first lines of a text end with, or the first of them in case of doubt; `\n` where there is one line. */
export function lineEndOf(text: Text): LineEnd {
	const counts = new Map<string, number>();
	for (let line = 0; line < Math.min(text.lineCount - 1, LOOKED_AT_MAX); line++) {
		const lineEnd = text.slice(text.lineEnd(line), text.lineStart(line + 1));
		counts.set(lineEnd, (counts.get(lineEnd) ?? 0) + 1);
	}
	const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
	return (most?.[0] ?? "\n") as LineEnd;
}

/** What an agent wrote, in the line ends of the document that it goes into. */
export function withLineEnds(insert: string, lineEnd: LineEnd): string {
	return insert.replace(/\r\n|\n|\r/g, lineEnd);
}
