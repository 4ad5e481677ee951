import { truncateHead } from "./truncate.js";

/** A range of a file's lines, small enough to send to a model. */
export interface FileExcerpt {
	readonly lines: readonly string[];
	/** The number of the last line that was read, or the total number of lines if the excerpt reaches the end. */
	readonly seen: number;
	/** Whether more lines follow the excerpt. */
	readonly hasMore: boolean;
	/** Whether any line was truncated. */
	readonly hasCutLine: boolean;
}

// Models read hundreds of lines more carefully than thousands, and they can request the rest.
export const LINES_MAX = 2000;
// About 20,000 tokens: a tenth of a typical context window.
const CHARACTERS_MAX = 80_000;
// Longer lines are usually generated, and one line of a minified file could fill the whole excerpt.
const LINE_CHARACTERS_MAX = 2000;

/**
 * Reads a range of lines. Lines end with \n or \r\n, and the last line need not have a line ending. `first` is 1-based.
 */
export async function excerptOf(
	chunks: AsyncIterable<string> | Iterable<string>,
	first: number,
	count: number,
): Promise<FileExcerpt> {
	const lines: string[] = [];
	let characters = 0;
	let seen = 0;
	let hasCutLine = false;
	const line = new Line();
	/** Finishes the current line. Returns false once the excerpt is complete. */
	const end = () => {
		const isCut = line.isTooLong;
		const text = line.take();
		if (++seen < first) return true;
		if (lines.length === count || (lines.length > 0 && characters + text.length > CHARACTERS_MAX)) return false;
		characters += text.length;
		hasCutLine ||= isCut;
		lines.push(text);
		return true;
	};
	let isStart = true;
	for await (const chunk of chunks) {
		let from = isStart && chunk.startsWith("\ufeff") ? 1 : 0;
		isStart &&= chunk === "";
		for (let to = chunk.indexOf("\n"); to !== -1; to = chunk.indexOf("\n", from)) {
			line.add(chunk, from, to);
			if (!end()) return { lines, seen: seen - 1, hasMore: true, hasCutLine };
			from = to + 1;
		}
		line.add(chunk, from, chunk.length);
	}
	if (!line.isEmpty && !end()) return { lines, seen: seen - 1, hasMore: true, hasCutLine };
	return { lines, seen, hasMore: false, hasCutLine };
}

/** Collects a line from chunks, keeping only the start of a long one. */
class Line {
	private start = "";
	private length = 0;
	private hasReturn = false;

	get isEmpty(): boolean {
		return this.length === 0;
	}

	get isTooLong(): boolean {
		return this.size > LINE_CHARACTERS_MAX;
	}

	add(chunk: string, from: number, to: number): void {
		if (from === to) return;
		// Keep one more character than is shown, because the last character may be a carriage return.
		const room = LINE_CHARACTERS_MAX + 1 - this.start.length;
		if (room > 0) this.start += chunk.slice(from, Math.min(to, from + room));
		this.length += to - from;
		this.hasReturn = chunk[to - 1] === "\r";
	}

	take(): string {
		const { size } = this;
		const text = this.isTooLong
			? `${truncateHead(this.start, LINE_CHARACTERS_MAX)}… (${size - LINE_CHARACTERS_MAX} more characters in this line)`
			: this.start.slice(0, size);
		this.start = "";
		this.length = 0;
		this.hasReturn = false;
		return text;
	}

	/** The length without the line ending. */
	private get size(): number {
		return this.length - (this.hasReturn ? 1 : 0);
	}
}
