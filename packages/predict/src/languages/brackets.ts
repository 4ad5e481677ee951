import { BRACE_CLOSE, BRACE_OPEN, isClosing } from "./characters.js";

// Bracket matching. Braces take precedence: a closing brace closes everything left open in its block, and other
// brackets match only within their block, each kind separately. So a missing bracket has no effect outside its block,
// and the brackets of a text can be computed from those of its pieces, wherever it is split.

/** A bracket in code, with its character code. */
export interface Bracket {
	readonly at: number;
	readonly code: number;
}

// Real programs are not nested more deeply than this. Brackets beyond the limit are dropped.
const OPEN_MAX = 200;

/** The unmatched brackets in a range of text, as offsets from its start. */
export class Brackets {
	static readonly none = new Brackets([], []);

	private constructor(
		readonly closing: readonly Bracket[],
		/** Outermost first. */
		readonly opening: readonly Bracket[],
	) {}

	/** Combines this range with one that begins `by` characters after its start. */
	join({ closing, opening }: Brackets, by: number): Brackets {
		if (closing.length === 0 && opening.length === 0) return this;
		const reader = new BracketReader(this);
		for (const { at, code } of closing) reader.read(at + by, code);
		for (const { at, code } of opening) reader.read(at + by, code);
		return reader.brackets();
	}

	/** Called by `BracketReader`. */
	static of(closing: readonly Bracket[], opening: readonly Bracket[]): Brackets {
		if (closing.length === 0 && opening.length === 0) return Brackets.none;
		return new Brackets(closing.slice(0, OPEN_MAX), opening.slice(-OPEN_MAX));
	}
}

/** Matches brackets, read in order. */
export class BracketReader {
	private readonly closing: Bracket[];
	private readonly opening: Bracket[];

	constructor(before: Brackets) {
		this.closing = before.closing.slice();
		this.opening = before.opening.slice();
	}

	/** Reads a bracket. Returns the offset of the bracket that it closes, if any. */
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
		// Its partner is before the range, so whatever is still open belongs to the block that ends here.
		if (code === BRACE_CLOSE) opening.length = 0;
		this.closing.push({ at, code });
		return undefined;
	}

	/** Whether a bracket that was already read is still open. */
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
