/** The start of a text, not longer than that, and with no character cut in half, which models' servers refuse. */
export function truncateHead(text: string, length: number): string {
	return text.slice(0, splitsCharacter(text, length) ? length - 1 : length);
}

/** The end of a text, in the same way. */
export function truncateTail(text: string, length: number): string {
	const from = text.length - length;
	return from <= 0 ? text : text.slice(splitsCharacter(text, from) ? from + 1 : from);
}

function splitsCharacter(text: string, at: number): boolean {
	return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

// How a command begins tells what it does, how it ends what came of it. Together about 8,000 tokens.
const HEAD_CHARACTERS = 8000;
const TAIL_CHARACTERS = 24_000;

/** The start and the end of a text that comes in pieces and may have any length. */
export class HeadAndTail {
	private head = "";
	private tail = "";
	/** Of all that was added. */
	length = 0;

	add(text: string): void {
		const room = HEAD_CHARACTERS - this.head.length;
		this.head += text.slice(0, room);
		this.tail += text.slice(room);
		this.length += text.length;
		// Not with each piece, which would copy the tail for every few letters. One more is kept to see what is cut.
		if (this.tail.length > 2 * TAIL_CHARACTERS) this.tail = this.tail.slice(-TAIL_CHARACTERS - 1);
	}

	toString(): string {
		const left = this.length - HEAD_CHARACTERS - TAIL_CHARACTERS;
		if (left <= 0) return this.head + this.tail;
		const head = this.head.replace(/[\ud800-\udbff]$/, "");
		return `${head}\n… (${left} characters left out) …\n${truncateTail(this.tail, TAIL_CHARACTERS)}`;
	}
}

/** The beginning of a text that is too long, saying so. */
export function cutTo(text: string, charsMax: number): string {
	if (text.length <= charsMax) return text;
	const start = truncateHead(text, charsMax);
	return `${start}\n(cut here: ${text.length - start.length} of ${text.length} characters are left out)`;
}
