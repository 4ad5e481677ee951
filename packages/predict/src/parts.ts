import type { Document, Text } from "@segue/text";
import { syntaxOf } from "./languages.js";
import { readLine, type Token, type TokenKind } from "./lexer.js";
import { stateAt } from "./reading.js";
import { partOfFrame, type State } from "./state.js";
import type { Syntax } from "./syntax.js";
import { understandingOf } from "./understanding.js";

export { isCode } from "./languages.js";

// What the parts of a document are. Of one that is not understood, everything is code and there are no tokens.

export type Part = "code" | "comment" | "string";

/**
 * What an offset of a document lies in: that of a first quote is still outside, and so is that after the last one, but at
 * the end of a line comment it is inside. In a language that is not known, everything is code.
 */
export function partAt(document: Document, offset: number): Part {
	const { tokens, isOpen } = lineAt(document, offset);
	const index = indexAt(tokens, offset);
	const token = tokens[index];
	if (token !== undefined && token.from < offset) return partOf(token.kind);
	const before = tokens[index - 1];
	if (before === undefined) return isOpen ?? "code";
	if (!before.isOpen) return "code";
	return before.kind === "comment" ? "comment" : "string";
}

/** The kind of the token that an offset lies in or before; undefined at the end of a document. */
export function kindOf(document: Document, offset: number): TokenKind | undefined {
	return tokenAt(document, offset)?.kind;
}

/** The token that an offset lies in or before. */
export function tokenAt(document: Document, offset: number): Token | undefined {
	const { tokens } = lineAt(document, offset);
	return tokens[indexAt(tokens, offset)];
}

/** The tokens of a stretch of a document, white space too, those at its ends as a whole. None is longer than a line. */
export function tokensIn(document: Document, from: number, to: number): Token[] {
	const { text } = document;
	const tokens: Token[] = [];
	const last = text.lineAt(to);
	for (let line = text.lineAt(from); line <= last; line++) {
		for (const token of lineAt(document, text.lineStart(line)).tokens) {
			if (token.from < to && token.to > from) tokens.push(token);
		}
	}
	return tokens;
}

/** The tokens of a line, and the comment or string that it begins in. */
interface Line {
	readonly tokens: readonly Token[];
	readonly isOpen: Exclude<Part, "code"> | undefined;
}

// Several things are asked of a line and of those around it, and then of another place.
const LINES_MAX = 400;

interface Known {
	readonly syntax: Syntax;
	/** By where they start. */
	readonly lines: Map<number, Line>;
	/** The states at the starts of lines, where the line above was read. */
	readonly states: Map<number, State>;
}

const KNOWN = new WeakMap<Text, Known>();

function lineAt(document: Document, offset: number): Line {
	const { text, languageId } = document;
	const { line, start } = text.locate(offset);
	const syntax = syntaxOf(languageId);
	let known = KNOWN.get(text);
	if (known?.syntax !== syntax) {
		known = { syntax, lines: new Map(), states: new Map() };
		KNOWN.set(text, known);
	}
	const { lines, states } = known;
	let found = lines.get(start);
	if (found === undefined) {
		if (lines.size >= LINES_MAX) {
			lines.clear();
			states.clear();
		}
		found = understandingOf(document) === "ok" ? readAt(text, line, start, known) : NOTHING;
		lines.set(start, found);
	}
	return found;
}

const NOTHING: Line = { tokens: [], isOpen: undefined };

function readAt(text: Text, line: number, start: number, { syntax, states }: Known): Line {
	const end = line + 1 < text.lineCount ? text.lineStart(line + 1) : text.length;
	const state = states.get(start) ?? stateAt(text, start, syntax).state;
	const tokens: Token[] = [];
	const listener = {
		token: (from: number, to: number, kind: TokenKind, isOpen: boolean) => {
			tokens.push({ from: from + start, to: to + start, kind, isOpen });
		},
	};
	states.set(end, readLine(text.slice(start, end), 0, end - start, syntax, state, listener));
	return { tokens, isOpen: partOfFrame(state.frame) };
}

/** The index of the token that an offset lies in or before, by binary search. */
function indexAt(tokens: readonly Token[], offset: number): number {
	let low = 0;
	let high = tokens.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((tokens[middle] as Token).to <= offset) low = middle + 1;
		else high = middle;
	}
	return low;
}

function partOf(kind: TokenKind): Part {
	return kind === "comment" || kind === "string" ? kind : "code";
}
