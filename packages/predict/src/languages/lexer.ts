import type { LexerState } from "./lexer-state.js";
import { LineReader } from "./line-reader.js";
import { MarkupReader } from "./markup.js";
import type { Syntax } from "./syntax.js";

// Tells the tokens of a program line by line, without parsing it. What a line is read with is a small value, the state that
// the line above it ended in, and so a line can be read by itself and what lies below it need not be read again.

export type TokenKind = "comment" | "string" | "identifier" | "keyword" | "number" | "punctuation" | "space";

export interface SyntaxToken {
	readonly from: number;
	readonly to: number;
	readonly kind: TokenKind;
	/** The comment or string that it belongs to is still open at its end. */
	readonly isOpen: boolean;
}

/** Told of every token in turn, or only of the brackets in code. */
export interface TokenListener {
	token?(from: number, to: number, kind: TokenKind, isOpen: boolean): void;
	bracket?(at: number, code: number): void;
}

/** Where the line that begins at an offset ends, its line end included, or -1 if it has none. */
export function lineEndAfter(source: string, from: number): number {
	LINE.lastIndex = from;
	return LINE.test(source) ? LINE.lastIndex : -1;
}

const LINE = /\r\n|\n|\r/g;

/** Reads a line, from its start to its end after the line end. Returns the state that the next line is read with. */
export function lexLine(
	source: string,
	from: number,
	to: number,
	syntax: Syntax,
	state: LexerState,
	listener: TokenListener,
): LexerState {
	const Reader = syntax.attributes === undefined ? LineReader : MarkupReader;
	return new Reader(source, from, to, syntax, state, listener).read();
}
