import type { Change, Document, Text } from "@segue/text";
import { BracketReader, Brackets } from "../languages/brackets.js";
import { isCode, syntaxOf } from "../languages/languages.js";
import { lexLine } from "../languages/lexer.js";
import { heightOf, type LexerState } from "../languages/lexer-state.js";
import { kindOf, tokensIn } from "../languages/parts.js";
import { openingsAt, stateAt } from "../languages/reading.js";
import type { Syntax, TokenKind } from "../languages/syntax.js";

/** Whether a change unbalances brackets, or leaves a string or comment open. Closing an open bracket is fine. */
export function unbalances(change: Change, document: Document): boolean {
	const compared = edgesAround(change, document);
	if (compared === undefined) return false;
	const { before, after, now } = compared;
	if (before.height !== after.height) return true;
	if (codesOf(before.brackets) === codesOf(after.brackets)) return false;
	const syntax = syntaxOf(document.languageId);
	return countLonely(now, syntax) >= countLonely(document.text, syntax);
}

/**
 * Whether the changed lines end inside a comment or string before the change but not after it, or the reverse. Ignores
 * brackets.
 */
export function opensOrCloses(change: Change, document: Document): boolean {
	const compared = edgesAround(change, document);
	return compared !== undefined && compared.before.height !== compared.after.height;
}

/**
 * The brackets and nesting depth of the changed lines, before and after the change. Undefined if the change cannot
 * unbalance anything.
 */
function edgesAround(change: Change, { text, languageId }: Document) {
	const { edits } = change;
	const hasSameSigns = edits.every(({ from, to, insert }) => signsIn(text.slice(from, to)) === signsIn(insert));
	if (hasSameSigns || !isCode(languageId)) return undefined;
	const from = text.lineStart(text.lineAt(edits[0]?.from ?? 0));
	const to = text.lineEnd(text.lineAt(edits.at(-1)?.to ?? 0));
	const now = change.apply(text);
	const syntax = syntaxOf(languageId);
	return {
		before: edgesOf(text, from, to, syntax),
		after: edgesOf(now, from, change.map(to, "after"), syntax),
		now,
	};
}

/**
 * Whether an insertion turns the rest of its line into a comment or string, or leaves a comment or string open. Always
 * false at the end of a line, and for a comment marker that comments out a whole line.
 */
export function swallows(insertion: Change, document: Document): boolean {
	const { text, languageId } = document;
	const at = insertion.edits[0]?.from ?? 0;
	const { line, start } = text.locate(at);
	const end = text.lineEnd(line);
	if (text.slice(at, end).trim() === "" || !isCode(languageId)) return false;
	const now = insertion.apply(text);
	const by = now.length - text.length;
	const syntax = syntaxOf(languageId);
	const state = stateAt(text, start, syntax);
	const isOpened = isOpenAfter(now.slice(start, end + by), syntax, state);
	const opens = isOpened && !isOpenAfter(text.slice(start, end), syntax, state);
	if (!opens && !hidesCode(document, at, end, { ...document, text: now }, by)) return false;
	const isCommentedOut = text.slice(start, at).trim() === "" && !/\w/.test(now.slice(at, at + by));
	return !isCommentedOut || unbalances(insertion, document);
}

/** Whether code in a range becomes part of a comment or string when shifted by `by` characters. */
function hidesCode(document: Document, from: number, to: number, now: Document, by: number): boolean {
	return tokensIn(document, from, to).some((token) => {
		return !NO_CODE.has(token.kind) && PROSE.has(kindOf(now, Math.max(token.from, from) + by));
	});
}

const PROSE: ReadonlySet<TokenKind | undefined> = new Set(["comment", "string"]);
const NO_CODE = new Set([...PROSE, "space"]);

/** Whether a line ends inside a comment or string. Text inside a JSX element counts as neither. */
function isOpenAfter(source: string, syntax: Syntax, state: LexerState): boolean {
	let isOpen = false;
	const token = (_from: number, _to: number, kind: TokenKind, open: boolean) => {
		if (kind !== "space") isOpen = open;
	};
	const { frame } = lexLine(source, 0, source.length, syntax, state, { token });
	return isOpen && frame?.what !== "children";
}

/** The characters of a text that can begin or end brackets, strings and comments. */
function signsIn(source: string): string {
	return source.replace(/[^()[\]{}"'`/*#\\]/g, "");
}

/** The unmatched brackets in a range of lines, and the nesting depth at its end. */
interface Edges {
	readonly brackets: Brackets;
	readonly height: number;
}

function edgesOf(text: Text, from: number, to: number, syntax: Syntax): Edges {
	return readLines(text, from, to, syntax, stateAt(text, from, syntax), Brackets.none);
}

/** Lexes whole lines, given the state and the open brackets before them. */
function readLines(text: Text, from: number, to: number, syntax: Syntax, entry: LexerState, known: Brackets): Edges {
	const reader = new BracketReader(known);
	let state = entry;
	for (let line = text.lineAt(from); line <= text.lineAt(to); line++) {
		const start = text.lineStart(line);
		const end = line + 1 < text.lineCount ? text.lineStart(line + 1) : text.length;
		const bracket = (at: number, code: number) => void reader.read(start + at, code);
		state = lexLine(text.slice(start, end), 0, end - start, syntax, state, { bracket });
	}
	return { brackets: reader.brackets(), height: heightOf(state.frame) };
}

function codesOf({ closing, opening }: Brackets): string {
	return [...closing, ...opening].map(({ code }) => code).join();
}

/** Counts the unmatched brackets, except those closed by the end of a block. */
function countLonely(text: Text, syntax: Syntax): number {
	const last = text.lineStart(text.lineCount - 1);
	const { state, brackets } = openingsAt(text, last, syntax);
	const { closing, opening } = readLines(text, last, text.length, syntax, state, brackets).brackets;
	return closing.length + opening.length;
}
