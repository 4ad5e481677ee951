import { syntaxOf } from "./languages.js";
import { type LexerState, startStateOf } from "./lexer-state.js";
import { LineReader } from "./line-reader.js";
import { MarkupReader } from "./markup.js";
import type { Syntax, SyntaxToken, TokenListener } from "./syntax.js";

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

// `@segue/predict/lexer` is this file, for pages that colour code without the engine. It loads the syntaxes and flags of all
// languages; their imports and built-in names are left out of a bundle, because only `imports.ts` asks for them.
export type { LexerState } from "./lexer-state.js";
export type { SyntaxToken, TokenKind } from "./syntax.js";

/** The tokens of one line, in offsets of it, and the state that the next line is read with. */
interface TokenizedLine {
	readonly tokens: readonly SyntaxToken[];
	readonly state: LexerState;
}

/**
 * Reads one line of a document in the state that the line above it ended in; the first line has none. The line end belongs to
 * the line, because an escaped one continues a string. The tokens cover the whole line. In an unknown language, nothing is a
 * comment, a string or a keyword.
 */
export function tokenizeLine(line: string, languageId: string, state?: LexerState): TokenizedLine {
	const syntax = syntaxOf(languageId);
	const tokens: SyntaxToken[] = [];
	const next = lexLine(line, 0, line.length, syntax, state ?? startStateOf(syntax), {
		token: (from, to, kind, isOpen) => {
			tokens.push({ from, to, kind, isOpen });
		},
	});
	return { tokens, state: next };
}
