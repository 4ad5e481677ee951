import type { Document, Text } from "@segue/text";
import { VersionCache } from "../version-cache.js";
import { syntaxOf } from "./languages.js";
import { lexLine } from "./lexer.js";
import { type LexerState, partOfFrame, START, sameState } from "./lexer-state.js";
import { readabilityOf, stateAt } from "./reading.js";
import type { Syntax, SyntaxToken, TokenKind } from "./syntax.js";

export type Part = "code" | "comment" | "string";

/**
 * The part of a document at an offset. The offsets before the opening quote and after the closing one are outside a
 * string, but the end of a line comment is inside. In an unknown language or an unreadable document, everything is
 * code.
 */
export function partAt(document: Document, offset: number): Part {
	const { line, start } = lineAt(document, offset);
	const { tokens, isOpen } = line;
	const index = indexAt(tokens, offset - start);
	const token = tokens[index];
	if (token !== undefined && token.from < offset - start) return partOf(token.kind);
	const before = tokens[index - 1];
	if (before === undefined) return isOpen ?? "code";
	if (!before.isOpen) return "code";
	return before.kind === "comment" ? "comment" : "string";
}

/** The kind of the token at or after an offset; undefined at the end of a document. */
export function kindOf(document: Document, offset: number): TokenKind | undefined {
	return tokenAt(document, offset)?.kind;
}

/** The token at or after an offset. */
export function tokenAt(document: Document, offset: number): SyntaxToken | undefined {
	const { line, start } = lineAt(document, offset);
	const token = line.tokens[indexAt(line.tokens, offset - start)];
	return token && movedBy(token, start);
}

/** The tokens that overlap a range, including whitespace. No token spans lines. Empty for an unreadable document. */
export function tokensIn(document: Document, from: number, to: number): SyntaxToken[] {
	const { text } = document;
	const tokens: SyntaxToken[] = [];
	const last = text.lineAt(to);
	for (let index = text.lineAt(from); index <= last; index++) {
		const { line, start } = lineAt(document, text.lineStart(index));
		for (const token of line.tokens) {
			if (token.from + start < to && token.to + start > from) tokens.push(movedBy(token, start));
		}
	}
	return tokens;
}

/** The code of a line, without comments and with empty strings. */
export function codeOn(document: Document, index: number): string {
	return lineAt(document, document.text.lineStart(index)).line.code;
}

function movedBy({ from, to, kind, isOpen }: SyntaxToken, by: number): SyntaxToken {
	return { from: from + by, to: to + by, kind, isOpen };
}

/** A line, lexed in a given state. */
class Line {
	private written: string | undefined;

	constructor(
		private readonly source: string,
		readonly syntax: Syntax,
		readonly state: LexerState,
		/** As offsets from the start of the line. */
		readonly tokens: readonly SyntaxToken[],
		/** The state for the next line. */
		readonly exit: LexerState,
	) {}

	/** The comment or string that contains the start of the line. */
	get isOpen(): Exclude<Part, "code"> | undefined {
		return partOfFrame(this.state.frame);
	}

	get code(): string {
		this.written ??= this.tokens.map((token) => this.codeOf(token)).join("");
		return this.written;
	}

	private codeOf({ kind, from, to }: SyntaxToken): string {
		if (kind === "comment") return "";
		return kind === "string" ? '""' : this.source.slice(from, to).replace(/[\r\n]+$/, "");
	}
}

// Callers query a line and its neighbours several times before moving elsewhere.
const LINES_MAX = 400;

interface Known {
	readonly syntax: Syntax;
	/** Keyed by start offset. */
	readonly lines: Map<number, Line>;
	/** The states at line starts, for lines whose previous line was lexed. */
	readonly states: Map<number, LexerState>;
}

const KNOWN = new VersionCache<Known>();

function lineAt(document: Document, offset: number): { readonly line: Line; readonly start: number } {
	const { text, languageId } = document;
	const { line: index, start } = text.locate(offset);
	const syntax = syntaxOf(languageId);
	let known = KNOWN.get(text);
	if (known?.syntax !== syntax) {
		known = { syntax, lines: new Map(), states: new Map() };
		KNOWN.set(text, known);
	}
	const { lines, states } = known;
	let line = lines.get(start);
	if (line === undefined) {
		if (lines.size >= LINES_MAX) {
			lines.clear();
			states.clear();
		}
		line = readabilityOf(document) === "ok" ? readAt(text, index, start, known) : NOTHING;
		lines.set(start, line);
	}
	return { line, start };
}

const NOTHING = new Line("", syntaxOf(""), START, [], START);

function readAt(text: Text, index: number, start: number, { syntax, states }: Known): Line {
	const end = index + 1 < text.lineCount ? text.lineStart(index + 1) : text.length;
	const state = states.get(start) ?? stateAt(text, start, syntax);
	const line = readIn(text.slice(start, end), syntax, state);
	states.set(end, line.exit);
	return line;
}

// After a keystroke, all lines except the edited one are unchanged and are queried again. The cache has two generations
// of this size. A line usually has one state, and gets others while a comment is being typed above it.
const READ_MAX = 2048;
const STATES_MAX = 4;
let read = new Map<string, readonly Line[]>();
let readBefore: ReadonlyMap<string, readonly Line[]> = new Map();

/** Lexes a line, or returns the cached result for the same state. */
function readIn(source: string, syntax: Syntax, state: LexerState): Line {
	const known = read.get(source) ?? readBefore.get(source) ?? [];
	let line = known.find((one) => one.syntax === syntax && sameState(one.state, state));
	if (line === undefined || !read.has(source)) {
		line ??= lex(source, syntax, state);
		if (read.size >= READ_MAX) {
			readBefore = read;
			read = new Map();
		}
		read.set(source, [line, ...known.filter((one) => one !== line)].slice(0, STATES_MAX));
	}
	return line;
}

function lex(source: string, syntax: Syntax, state: LexerState): Line {
	const tokens: SyntaxToken[] = [];
	const listener = {
		token: (from: number, to: number, kind: TokenKind, isOpen: boolean) => {
			tokens.push({ from, to, kind, isOpen });
		},
	};
	const exit = lexLine(source, 0, source.length, syntax, state, listener);
	return new Line(source, syntax, state, tokens, exit);
}

/** The index of the token at or after an offset. */
function indexAt(tokens: readonly SyntaxToken[], offset: number): number {
	let low = 0;
	let high = tokens.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((tokens[middle] as SyntaxToken).to <= offset) low = middle + 1;
		else high = middle;
	}
	return low;
}

function partOf(kind: TokenKind): Part {
	return kind === "comment" || kind === "string" ? kind : "code";
}
