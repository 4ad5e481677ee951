import { truncateHead } from "./truncate.js";

/** Some lines of a text, as much as a model should be told at once. */
export interface FileExcerpt {
	readonly lines: readonly string[];
	/** How many lines were passed before it ended: all of the text's, where it ended with the text. */
	readonly seen: number;
	/** Whether the text goes on behind it. */
	readonly hasMore: boolean;
	/** Whether some line is so long that only its start is in it. */
	readonly hasCutLine: boolean;
}

// A model reads some hundred lines with more care than thousands, and can ask for the next.
export const LINES_MAX = 2000;
// About 20,000 tokens: a tenth of what a window holds.
const CHARACTERS_MAX = 80_000;
// Nobody wrote a longer line by hand, and one of a minified file could fill the whole excerpt.
const LINE_CHARACTERS_MAX = 2000;

/** Lines end with \n or \r\n, and the last of a text may end with nothing. `first` counts from 1. */
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
	/** False where no more of the text is needed. */
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

/** A line that comes in pieces, of which only the start is kept where it is long. */
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
		// One more than is shown, in case that the last is a carriage return.
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

	/** Without the end. */
	private get size(): number {
		return this.length - (this.hasReturn ? 1 : 0);
	}
}
