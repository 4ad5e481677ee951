import { BRACE_CLOSE, BRACE_OPEN, isClosing } from "./characters.js";

// Which brackets of a program belong together. Braces are stronger than the others: one that closes a block closes whatever
// was left open in it, and the others find their partners only within their block, each kind by itself. So a bracket that
// is missing while the user types does no harm outside of its block, and the brackets of a text can be told from those of
// its parts, wherever it is cut.

/** A bracket of code, by its sign's code. */
export interface Bracket {
	readonly at: number;
	readonly code: number;
}

// Programs are not nested as deep as this; what is outside of so many is not known.
const OPEN_MAX = 200;

/** The brackets of a stretch of text that have no partner in it, in offsets from its start. */
export class Brackets {
	static readonly none = new Brackets([], []);

	private constructor(
		readonly closing: readonly Bracket[],
		/** Outermost first. */
		readonly opening: readonly Bracket[],
	) {}

	/** The same for this stretch and another that begins `by` characters after its start. */
	join({ closing, opening }: Brackets, by: number): Brackets {
		if (closing.length === 0 && opening.length === 0) return this;
		const reader = new BracketReader(this);
		for (const { at, code } of closing) reader.read(at + by, code);
		for (const { at, code } of opening) reader.read(at + by, code);
		return reader.brackets();
	}

	/** Made by `BracketReader`. */
	static of(closing: readonly Bracket[], opening: readonly Bracket[]): Brackets {
		if (closing.length === 0 && opening.length === 0) return Brackets.none;
		return new Brackets(closing.slice(0, OPEN_MAX), opening.slice(-OPEN_MAX));
	}
}

/** Reads brackets in their order. */
export class BracketReader {
	private readonly closing: Bracket[];
	private readonly opening: Bracket[];

	constructor(before: Brackets) {
		this.closing = before.closing.slice();
		this.opening = before.opening.slice();
	}

	/** Reads a bracket. Returns where the one begins that it closes, if it closes one. */
	read(at: number, code: number): number | undefined {
		const { opening } = this;
		if (!isClosing(code)) {
			opening.push({ at, code });
			return undefined;
		}
		for (let i = opening.length - 1; i >= 0; i--) {
			const open = opening[i] as Bracket;
			if (partnerOf(open.code) === code) {
				opening.splice(i, code === BRACE_CLOSE ? opening.length - i : 1);
				return open.at;
			}
			if (open.code === BRACE_OPEN) return undefined;
		}
		// Its partner lies before the stretch, and so does the block that the others would have to be closed in.
		if (code === BRACE_CLOSE) opening.length = 0;
		this.closing.push({ at, code });
		return undefined;
	}

	/** Whether a bracket that was read is still open. */
	isOpen(at: number): boolean {
		return this.opening.some((open) => open.at === at);
	}

	brackets(): Brackets {
		return Brackets.of(this.closing, this.opening);
	}
}

export const PARENTHESIS_OPEN = 40;
export { BRACE_OPEN };

function partnerOf(code: number): number {
	return code === PARENTHESIS_OPEN ? code + 1 : code + 2;
}
