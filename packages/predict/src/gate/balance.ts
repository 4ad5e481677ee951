import type { Change, Document, Text } from "@segue/text";
import { BracketReader, Brackets } from "../languages/brackets.js";
import { isCode, syntaxOf } from "../languages/languages.js";
import { lexLine } from "../languages/lexer.js";
import { heightOf, type LexerState } from "../languages/lexer-state.js";
import { kindOf, tokensIn } from "../languages/parts.js";
import { openingsAt, stateAt } from "../languages/reading.js";
import type { Syntax, TokenKind } from "../languages/syntax.js";

// Whether the brackets of a program still belong together after a change, and its strings and comments still end.

/**
 * Whether a change leaves a program with a bracket, a string or a comment that is open or closed once too often. One that
 * brings a partner to what had none does not.
 */
export function unbalances(change: Change, document: Document): boolean {
	const compared = edgesAround(change, document);
	if (compared === undefined) return false;
	const { before, after, now } = compared;
	if (before.height !== after.height) return true;
	if (codesOf(before.brackets) === codesOf(after.brackets)) return false;
	const syntax = syntaxOf(document.languageId);
	return countLonely(now, syntax) >= countLonely(document.text, syntax);
}

/** Whether the changed lines of a program end inside a comment or a string, or no longer do. The brackets may be unbalanced. */
export function opensOrCloses(change: Change, document: Document): boolean {
	const compared = edgesAround(change, document);
	return compared !== undefined && compared.before.height !== compared.after.height;
}

/** The edges of the changed lines, before and after. Undefined if the change cannot unbalance anything. */
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
 * Whether what is inserted in a line makes a comment or a string of what stands behind it, or leaves one open that was not.
 * Where nothing stands behind it, nothing is lost. Nor is it where a sign alone comments a whole line out.
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

/** Whether some code of a stretch is none once it has moved. */
function hidesCode(document: Document, from: number, to: number, now: Document, by: number): boolean {
	return tokensIn(document, from, to).some((token) => {
		return !NO_CODE.has(token.kind) && PROSE.has(kindOf(now, Math.max(token.from, from) + by));
	});
}

const PROSE: ReadonlySet<TokenKind | undefined> = new Set(["comment", "string"]);
const NO_CODE = new Set([...PROSE, "space"]);

/** Whether a line ends in a comment or a string. The text of an element is neither. */
function isOpenAfter(source: string, syntax: Syntax, state: LexerState): boolean {
	let isOpen = false;
	const token = (_from: number, _to: number, kind: TokenKind, open: boolean) => {
		if (kind !== "space") isOpen = open;
	};
	const { frame } = lexLine(source, 0, source.length, syntax, state, { token });
	return isOpen && frame?.what !== "children";
}

/** All signs of a text with which brackets, strings and comments begin or end. */
function signsIn(source: string): string {
	return source.replace(/[^()[\]{}"'`/*#\\]/g, "");
}

/** What lines need around them: the brackets that have no partner in them, and how much is open at their end. */
interface Edges {
	readonly brackets: Brackets;
	readonly height: number;
}

function edgesOf(text: Text, from: number, to: number, syntax: Syntax): Edges {
	return readLines(text, from, to, syntax, stateAt(text, from, syntax), Brackets.none);
}

/** Reads the lines from the start of one to the end of another, after some brackets. */
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

/** How many brackets of a text have no partner, but for those that the end of a block closes. */
function countLonely(text: Text, syntax: Syntax): number {
	const last = text.lineStart(text.lineCount - 1);
	const { state, brackets } = openingsAt(text, last, syntax);
	const { closing, opening } = readLines(text, last, text.length, syntax, state, brackets).brackets;
	return closing.length + opening.length;
}
