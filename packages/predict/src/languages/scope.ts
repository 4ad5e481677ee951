import type { Document } from "@segue/text";
import { BRACE_OPEN, type Bracket, BracketReader, Brackets } from "./brackets.js";
import { languageById, syntaxOf } from "./languages.js";
import { lexLine } from "./lexer.js";
import { closeAfter, openingsAt, readabilityOf, stateAt } from "./reading.js";

/** A range of a document, delimited by brackets or by whole lines. */
export interface Scope {
	readonly from: number;
	readonly to: number;
}

// Longer functions are not recognized, because the search for their first line moves up one line at a time.
const LINES_MAX = 2000;

/** Whether indentation delimits the blocks of a language. */
export function isIndented(languageId: string): boolean {
	return languageById(languageId).isIndented === true;
}

/** The brackets around an offset, outermost first. Empty for an unreadable document. */
export function openAt(document: Document, offset: number): readonly Bracket[] {
	if (readabilityOf(document) !== "ok") return [];
	const { text, languageId } = document;
	const { line, start } = text.locate(offset);
	const syntax = syntaxOf(languageId);
	const { state, brackets } = openingsAt(text, start, syntax);
	const reader = new BracketReader(brackets);
	const bracket = (at: number, code: number) => {
		if (start + at < offset) reader.read(start + at, code);
	};
	const end = text.lineEnd(line) - start;
	lexLine(text.slice(start, start + end), 0, end, syntax, state, { bracket });
	return reader.brackets().opening;
}

/** The offset of the bracket that closes the bracket at `open`; the end of the document if there is none. */
export function closeOf(document: Document, open: number): number {
	const { text, languageId } = document;
	const { line, start } = text.locate(open);
	const syntax = syntaxOf(languageId);
	const state = stateAt(text, start, syntax);
	const reader = new BracketReader(Brackets.none);
	let close: number | undefined;
	const bracket = (at: number, code: number) => {
		if (start + at < open || close !== undefined) return;
		reader.read(start + at, code);
		if (start + at > open && !reader.isOpen(open)) close = start + at;
	};
	const end = line + 1 < text.lineCount ? text.lineStart(line + 1) : text.length;
	lexLine(text.slice(start, end), 0, end - start, syntax, state, { bracket });
	return close ?? closeAfter(text, end, reader.brackets(), syntax) ?? text.length;
}

/**
 * The innermost block around an offset: between braces or, in an indented language, the enclosing function or class. At
 * the top level it is the document.
 */
export function scopeOf(document: Document, offset: number): Scope {
	if (isIndented(document.languageId)) return indentedScope(document, document.text.lineAt(offset));
	const brace = openAt(document, offset).findLast(({ code }) => code === BRACE_OPEN);
	if (brace === undefined) return { from: 0, to: document.text.length };
	return { from: brace.at, to: closeOf(document, brace.at) };
}

const HEAD = /^[ \t]*(?:async[ \t]+)?(?:class|def|module)\b/;

/** The function or class around a line. The first line of a function or class belongs to the block around it. */
function indentedScope({ text }: Document, line: number): Scope {
	let depth = indentAt(text.line(line));
	for (let above = line - 1; above >= Math.max(line - LINES_MAX, 0) && depth > 0; above--) {
		const source = text.line(above);
		const indent = indentAt(source);
		if (indent >= depth) continue;
		depth = indent;
		if (HEAD.test(source)) return blockBelow({ text }, above);
	}
	return { from: 0, to: text.length };
}

/** A line and the following lines that are indented more or close a bracket. */
function blockBelow({ text }: Pick<Document, "text">, head: number): Scope {
	const depth = indentAt(text.line(head));
	let end = head + 1;
	for (; end < Math.min(text.lineCount, head + LINES_MAX); end++) {
		const source = text.line(end);
		if (indentAt(source) <= depth && !/^[ \t]*[)\]}]/.test(source)) break;
	}
	return { from: text.lineStart(head), to: end < text.lineCount ? text.lineStart(end) : text.length };
}

/** The indentation of a line; infinite if it is empty. */
function indentAt(line: string): number {
	const indent = line.search(/\S/);
	return indent === -1 ? Number.POSITIVE_INFINITY : indent;
}
