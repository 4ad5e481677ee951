import { type LexerState, startStateOf } from "./lexer-state.js";
import { LineReader } from "./line-reader.js";
import { MarkupReader } from "./markup.js";
import type { Syntax, SyntaxToken, TokenListener } from "./syntax.js";

// Tokenizes a program line by line, without parsing it. Each line is lexed from the state at the end of the line above,
// which is a small value. So a line can be lexed alone, and the lines below an edit are lexed again only if that state
// has changed.

/** The end of the line that begins at an offset, including its line break; -1 if it has none. */
export function lineEndAfter(source: string, from: number): number {
	LINE.lastIndex = from;
	return LINE.test(source) ? LINE.lastIndex : -1;
}

const LINE = /\r\n|\n|\r/g;

/** Lexes a line, including its line break. Returns the state for the next line. */
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

// This file is also exported as `@segue/predict/lexer`, for pages that highlight code without the engine. It loads no
// languages: a page can start with `@segue/predict/javascript`, and load `@segue/predict/languages`, which has all
// languages, when it needs another one.
export type { LexerState } from "./lexer-state.js";
export type { Syntax, SyntaxToken, TokenKind } from "./syntax.js";

/** The tokens of a line, as offsets from its start, and the state for the next line. */
interface TokenizedLine {
	readonly tokens: readonly SyntaxToken[];
	readonly state: LexerState;
}

/**
 * Tokenizes one line of a document with the state from the line above; omit it for the first line. Include the line
 * break, because an escaped one continues a string. The tokens cover the whole line.
 */
export function tokenizeLine(line: string, syntax: Syntax, state?: LexerState): TokenizedLine {
	const tokens: SyntaxToken[] = [];
	const next = lexLine(line, 0, line.length, syntax, state ?? startStateOf(syntax), {
		token: (from, to, kind, isOpen) => {
			tokens.push({ from, to, kind, isOpen });
		},
	});
	return { tokens, state: next };
}
