import type { Document } from "@segue/text";
import { LINE_MAX, wordsOf } from "../languages/identifiers.js";
import { partAt } from "../languages/parts.js";
import { VersionCache } from "../version-cache.js";

// Handwritten lists are much shorter.
const LIST_MAX = 2000;
// The maximum number of lines between a parameter and its function.
const HEADER_LINES_MAX = 20;

/** An item of a list, without surrounding whitespace. */
export interface Item {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/** A parenthesized list, including its parentheses. */
export interface List {
	readonly from: number;
	readonly to: number;
	readonly items: readonly Item[];
}

/** Returns the list that opens at an offset; undefined if there is none or it is not closed. */
export function listAt(document: Document, open: number, kind: "parameters" | "arguments"): List | undefined {
	const { text } = document;
	const source = text.slice(open, Math.min(open + LIST_MAX, text.length));
	if (!source.startsWith("(")) return undefined;
	const opening = kind === "parameters" ? "([{<" : "([{";
	const closing = kind === "parameters" ? ")]}>" : ")]}";
	const items: Item[] = [];
	let depth = 0;
	let start = 1;
	const close = (end: number) => {
		const raw = source.slice(start, end);
		const item = raw.trim();
		const from = open + start + raw.length - raw.trimStart().length;
		if (item !== "") items.push({ from, to: from + item.length, text: item });
		start = end + 1;
	};
	for (const { 0: sign, index } of source.matchAll(/[()[\]{}<>,]/g)) {
		const isArrow = sign === ">" && /[=-]/.test(source[index - 1] ?? "");
		if (isArrow || partAt(document, open + index) !== "code") continue;
		if (opening.includes(sign)) depth++;
		else if (closing.includes(sign)) depth--;
		else if (sign === "," && depth === 1) close(index);
		if (depth > 0) continue;
		close(index);
		return { from: open, to: open + index + 1, items };
	}
	return undefined;
}

/** A function declaration. */
export interface Signature {
	readonly name: string;
	/** The offset of the name. */
	readonly at: number;
	readonly line: number;
	readonly parameters: readonly Parameter[];
	/** Called with a receiver. */
	readonly isMethod: boolean;
	/** Called by the name of its class, which is `name`. */
	readonly isConstructor: boolean;
	readonly list: List;
}

export interface Parameter {
	readonly name: string;
	/** A call may omit it. */
	readonly isOptional: boolean;
	/** A rest parameter. */
	readonly isMany: boolean;
}

const KEYWORDED =
	/\b(?:def|fn|fun|func|function)\b\s*\*?\s*(?:\([^()]*\)\s*)?(?:self\.)?([\p{L}\p{N}_$]+[?!]?)\s*(?:<[^()]*>|\[[^()]*\])?\s*\(/u;
const ARROW = /\b(?:const|let|var)\s+([\p{L}\p{N}_$]+)\s*=\s*(?:async\s*)?\(/u;
const METHOD =
	/^\s*(?:(?:abstract|async|override|private|protected|public|readonly|static)\s+)*([\p{L}\p{N}_$#]+)\s*(?:<[^()]*>)?\(/u;
const TYPED = /^\s*(?:[\p{L}\p{N}_$<>[\],.:?]+[\s*&]+)+([\p{L}\p{N}_$]+)\s*\(/u;
const CLASS = /\bclass\s+([\p{L}\p{N}_$]+)/u;

const SCRIPT = /^(?:java|type)script/;
// Languages with the type before the name.
const TYPE_FIRST = /^(?:c|cpp|csharp|java|php)$/;
const NO_NAMES = new Set(
	"catch else for foreach function if lock match new return sizeof super switch throw using while with".split(" "),
);

/** Returns the function that is declared on a line, or whose parameters include the line. */
export function signatureAround(document: Document, line: number): Signature | undefined {
	const first = Math.max(line - HEADER_LINES_MAX, 0);
	for (let at = line; at >= first; at--) {
		const signature = signatureOn(document, at);
		if (signature === undefined) continue;
		return document.text.lineAt(signature.list.to) >= line ? signature : undefined;
	}
	return undefined;
}

// Only one document changes with each keystroke.
const KNOWN = new VersionCache<{ readonly languageId: string; readonly lines: Map<number, Signature | undefined> }>();
// More than a single request needs.
const LINES_MAX = 1000;

/** The function declared on a line. */
export function signatureOn(document: Document, line: number): Signature | undefined {
	const { text, languageId } = document;
	let known = KNOWN.get(text);
	if (known?.languageId !== languageId || known.lines.size >= LINES_MAX) {
		known = { languageId, lines: new Map() };
		KNOWN.set(text, known);
	}
	const { lines } = known;
	if (!lines.has(line)) lines.set(line, readSignature(document, line));
	return lines.get(line);
}

function readSignature(document: Document, line: number): Signature | undefined {
	const { text, languageId } = document;
	const start = text.lineStart(line);
	if (text.lineEnd(line) - start > LINE_MAX) return undefined;
	const content = text.line(line);
	if (!content.includes("(")) return undefined;
	const match = headerIn(content, languageId);
	if (match?.[1] === undefined) return undefined;
	const [, name] = match;
	const open = start + match.index + match[0].length - 1;
	const at = start + match.index + match[0].lastIndexOf(name);
	if (NO_NAMES.has(name) || partAt(document, at) !== "code") return undefined;
	const list = listAt(document, open, "parameters");
	// An attribute may remove a parameter.
	if (list === undefined || list.items.some((item) => item.text.startsWith("#["))) return undefined;
	if (!isBodyAhead(document, list.to, match)) return undefined;

	const own = list.items.filter(({ text: item }) => !/^(?:&?\s*(?:'\w+\s+)?(?:mut\s+)?self\b|cls$)/.test(item));
	const parameters = own.map((item) => parameterOf(item.text, languageId));
	const klass = classAround(document, line, content);
	const isConstructor =
		klass !== undefined && (name === "constructor" || name === "__init__" || name === "__construct" || name === klass);
	const isMethod = own.length < list.items.length || klass !== undefined || /\bfunc\s*\(/.test(content);
	return {
		name: isConstructor ? klass : name,
		at,
		line,
		parameters,
		isMethod: isMethod && !isConstructor,
		isConstructor,
		list,
	};
}

function headerIn(content: string, languageId: string): RegExpExecArray | null {
	const plain = KEYWORDED.exec(content);
	if (plain !== null) return plain;
	if (SCRIPT.test(languageId)) return ARROW.exec(content) ?? METHOD.exec(content);
	return TYPE_FIRST.test(languageId) ? TYPED.exec(content) : null;
}

/** Whether a body follows the parameters. Not required if a keyword precedes them. */
function isBodyAhead({ text }: Document, after: number, [header]: RegExpExecArray): boolean {
	if (KEYWORDED.test(header)) return true;
	const rest = text.slice(after, Math.min(after + 200, text.length));
	if (ARROW.test(header)) return /^\s*(?::[^=;{]*)?=>/.test(rest);
	return /^\s*(?::[^;(){}]*)?(?:throws\s[^;{}]*|const|noexcept|override)?\s*\{/.test(rest);
}

/** Returns the name of the class around a line, based on indentation. */
function classAround({ text }: Document, line: number, content: string): string | undefined {
	let depth = content.length - content.trimStart().length;
	for (let at = line - 1; at >= 0 && depth > 0; at--) {
		if (text.lineEnd(at) - text.lineStart(at) > LINE_MAX) continue;
		const other = text.line(at);
		const indent = other.length - other.trimStart().length;
		if (other.trim() === "" || indent >= depth) continue;
		depth = indent;
		const match = CLASS.exec(other);
		if (match !== null) return match[1];
	}
	return undefined;
}

function parameterOf(text: string, languageId: string): Parameter {
	const [declared = ""] = text.split(/=(?!>)/, 1);
	const isMany = /^(?:\.{3}|\*|params\s)/.test(text) || declared.includes("...");
	const isOptional = isMany || /=(?!>)/.test(text) || /^\$?\w+\?/.test(declared);
	const head = TYPE_FIRST.test(languageId) ? declared : (declared.split(":", 1)[0] ?? "");
	const words = wordsOf(head);
	const isLast = TYPE_FIRST.test(languageId) || SCRIPT.test(languageId) || languageId === "rust";
	return { name: (isLast ? words.at(-1) : words[0]) ?? text, isOptional, isMany };
}
