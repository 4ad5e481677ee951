/**
 * Returns the first `length` code units of the text. Never splits a surrogate pair, because model servers reject half
 * of one.
 */
export function truncateHead(text: string, length: number): string {
	return text.slice(0, splitsCharacter(text, length) ? length - 1 : length);
}

/** Returns the last `length` code units of the text. Never splits a surrogate pair. */
export function truncateTail(text: string, length: number): string {
	const from = text.length - length;
	return from <= 0 ? text : text.slice(splitsCharacter(text, from) ? from + 1 : from);
}

function splitsCharacter(text: string, at: number): boolean {
	return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

// The start of a command's output shows what it does, and the end shows how it went. Together, they have about 8,000
// tokens.
const HEAD_CHARACTERS = 8000;
const TAIL_CHARACTERS = 24_000;

/** Keeps the start and the end of text of any length that arrives in pieces. */
export class HeadAndTail {
	private head = "";
	private tail = "";
	/** The length of everything added, including the part that was dropped. */
	length = 0;

	add(text: string): void {
		const room = HEAD_CHARACTERS - this.head.length;
		this.head += text.slice(0, room);
		this.tail += text.slice(room);
		this.length += text.length;
		// Trimming after each piece would copy the tail every time. The extra code unit shows whether a pair is split.
		if (this.tail.length > 2 * TAIL_CHARACTERS) this.tail = this.tail.slice(-TAIL_CHARACTERS - 1);
	}

	toString(): string {
		const left = this.length - HEAD_CHARACTERS - TAIL_CHARACTERS;
		if (left <= 0) return this.head + this.tail;
		const head = this.head.replace(/[\ud800-\udbff]$/, "");
		return `${head}\n… (${left} characters omitted) …\n${truncateTail(this.tail, TAIL_CHARACTERS)}`;
	}
}

/** Truncates text and appends a note about the omitted part. */
export function cutTo(text: string, charsMax: number): string {
	if (text.length <= charsMax) return text;
	const start = truncateHead(text, charsMax);
	return `${start}\n(truncated: ${text.length - start.length} of ${text.length} characters omitted)`;
}
