import type { LexerState } from "./lexer-state.js";
import { LineReader } from "./line-reader.js";
import { MarkupReader } from "./markup.js";
import type { Syntax } from "./syntax.js";
import type { TokenListener } from "./token.js";

// Tells the tokens of a program line by line, without parsing it. What a line is read with is a small value, the state that
// the line above it ended in, and so a line can be read by itself and what lies below it need not be read again.

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
