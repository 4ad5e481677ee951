import { type Document, type Edit, uriKey } from "@segue/text";
import { VersionCache } from "../version-cache.js";
import { CSHARP_IMPORTS } from "./csharp.js";
import { GO_IMPORTS } from "./go.js";
import { LINE_MAX } from "./identifiers.js";
import { JAVA_IMPORTS } from "./java.js";
import { SCRIPT_IMPORTS } from "./javascript.js";
import type { ImportFamily, ImportForm, ImportSource, ImportSyntax } from "./language.js";
import { languageById } from "./languages.js";
import { partAt } from "./parts.js";
import { PHP_IMPORTS } from "./php.js";
import { PYTHON_IMPORTS } from "./python.js";
import { RUST_IMPORTS } from "./rust.js";
import { closeOf, openAt } from "./scope.js";

// Reads, adds and removes the imports of a file.

const SYNTAXES: Readonly<Record<ImportFamily, ImportSyntax>> = {
	csharp: CSHARP_IMPORTS,
	go: GO_IMPORTS,
	java: JAVA_IMPORTS,
	php: PHP_IMPORTS,
	python: PYTHON_IMPORTS,
	rust: RUST_IMPORTS,
	script: SCRIPT_IMPORTS,
};

/** The import syntax of a language; undefined if unknown. */
export function importSyntaxOf(languageId: string): ImportSyntax | undefined {
	const { family } = languageById(languageId);
	return family && SYNTAXES[family];
}

// Imports are at the top of a file; later lines are not scanned.
const TOP_LINES = 200;
const STATEMENT_LINES_MAX = 50;

/** An import statement in a file. */
export interface Import extends ImportSource {
	readonly first: number;
	readonly last: number;
	readonly names: readonly Name[];
}

interface Name {
	/** The local name, which may be an alias. */
	readonly name: string;
	readonly from: number;
	/** The end of the name, including its alias. */
	readonly to: number;
}

const STATEMENT = /^(?:import|from|using|(?:pub\s+)?use)\b/;

/** The imports at the top of a document. */
export function importsIn(document: Document): Import[] {
	const { text, languageId } = document;
	const forms = importSyntaxOf(languageId)?.forms ?? [];
	const imports: Import[] = [];
	const end = Math.min(text.lineCount, TOP_LINES);
	for (let line = 0; line < end; line++) {
		const start = text.lineStart(line);
		if (text.lineEnd(line) - start > LINE_MAX || !STATEMENT.test(text.line(line)) || partAt(document, start) !== "code")
			continue;
		const last = lastLineOf(document, line);
		if (languageId === "go" && last > line) {
			for (let own = line + 1; own < last; own++) imports.push(...readImport(document, own, own, forms));
		} else imports.push(...readImport(document, line, last, forms));
		line = last;
	}
	return imports;
}

/** The import family of a language, or the language's id if it has none. */
export function familyOf(languageId: string): string {
	return languageById(languageId).family ?? languageId;
}

/** The last line of a statement, which continues while a bracket is open. */
function lastLineOf({ text }: Document, first: number): number {
	let depth = 0;
	for (let line = first; line < Math.min(first + STATEMENT_LINES_MAX, text.lineCount); line++) {
		for (const sign of text.line(line).match(/[(){}]/g) ?? []) depth += "({".includes(sign) ? 1 : -1;
		if (depth <= 0) return line;
	}
	return first;
}

function readImport({ text }: Document, first: number, last: number, forms: readonly ImportForm[]): Import[] {
	const start = text.lineStart(first);
	const source = text.slice(start, text.lineEnd(last));
	for (const [form, pattern] of forms) {
		const match = pattern.exec(source);
		const { module, names } = match?.groups ?? {};
		const [from] = match?.indices?.groups?.["names"] ?? [];
		if (module === undefined || names === undefined || from === undefined) continue;
		return [{ module, form, first, last, names: namesIn(names, start + from) }];
	}
	return [];
}

/** The names in an import list. An aliased name is represented by its alias. */
function namesIn(list: string, at: number): Name[] {
	return Array.from(list.matchAll(/(?:type\s+)?[\w$.]+(?:\s+as\s+([\w$]+))?/g), ({ 0: all, 1: alias, index }) => {
		const name = alias ?? all.replace(/^type\s+/, "");
		return { name, from: at + index, to: at + index + all.length };
	});
}

/**
 * Returns the edit that imports a name, either by extending an existing import from the module or with a new
 * statement.
 */
export function addImport(document: Document, name: string, source: ImportSource): Edit | undefined {
	const imports = importsIn(document);
	const same = imports.find(({ module, form }) => module === source.module && form === source.form && form === "named");
	return (same && joinList(document, same, name)) ?? addStatement(document, imports, name, source);
}

function joinList({ text }: Document, { names, first, last }: Import, name: string): Edit | undefined {
	const [end, before] = [names.at(-1), names.at(-2)];
	if (end === undefined) return undefined;
	const rest = text.slice(end.to, text.lineEnd(last));
	const isList = /^\s*,?\s*[})]/.test(rest) || (first === last && rest.trim() === "");
	if (!isList) return undefined;
	const between = before === undefined ? ", " : text.slice(before.to, end.from);
	// In a sorted list without comments, the name goes to its place.
	const isPlain = names.every(({ from }, i) => i === 0 || /^\s*,\s*$/.test(text.slice(names[i - 1]?.to ?? 0, from)));
	const next = isPlain && isSorted(names) ? names.find((one) => compareNames(one.name, name) > 0) : undefined;
	if (next !== undefined) return { from: next.from, to: next.from, insert: name + between };
	return { from: end.to, to: end.to, insert: between + name };
}

function isSorted(names: readonly Name[]): boolean {
	// Rust's `self` comes first in any order.
	if (names.length < 2 || names[0]?.name === "self") return false;
	return names.every(({ name }, i) => i === 0 || compareNames(names[i - 1]?.name ?? "", name) <= 0);
}

function compareNames(a: string, b: string): number {
	const [left, right] = [a.toLowerCase(), b.toLowerCase()];
	return left < right ? -1 : left > right ? 1 : 0;
}

function addStatement(
	document: Document,
	imports: readonly Import[],
	name: string,
	source: ImportSource,
): Edit | undefined {
	const { text } = document;
	const statement = writeStatement(document, imports, name, source);
	if (statement === undefined) return undefined;
	const last = imports.at(-1);
	if (last !== undefined) {
		const end = text.lineEnd(last.last);
		const indent = /^\s*/.exec(text.line(last.last))?.[0] ?? "";
		return { from: end, to: end, insert: eolOf(document) + indent + statement };
	}
	let line = 0;
	while (line < text.lineCount - 1 && isPreamble(document, line)) line++;
	const at = text.lineStart(line);
	const eol = eolOf(document);
	return { from: at, to: at, insert: statement + eol + (text.line(line).trim() === "" ? "" : eol) };
}

/** Whether a line belongs above the imports in a file. */
function isPreamble(document: Document, line: number): boolean {
	const { text } = document;
	const content = text.line(line);
	if (content.trim() === "") return line > 0;
	if (/^(?:#|<\?php|["']use |package\b|namespace\b|"""|''')/.test(content)) return true;
	const at = text.lineStart(line) + content.length - content.trimStart().length;
	return partAt(document, Math.min(at + 1, text.length)) !== "code";
}

function eolOf({ text }: Document): string {
	return text.lineCount > 1 ? text.slice(text.lineEnd(0), text.lineStart(1)) : "\n";
}

/** An import statement in the style of the document. */
function writeStatement(
	document: Document,
	imports: readonly Import[],
	name: string,
	source: ImportSource,
): string | undefined {
	const { text, languageId } = document;
	const lines = imports.map(({ last }) => text.line(last));
	return importSyntaxOf(languageId)?.write(name, source, {
		isSingleQuoted: lines.length > 0 && lines.every((line) => line.includes("'")),
		hasSemicolons:
			lines.length > 0
				? lines.every((line) => line.endsWith(";"))
				: /;\s*$/m.test(text.slice(0, Math.min(text.length, 5000))),
		hasTypes: imports.some(({ form }) => form === "type"),
		isListed: imports.some(({ first }) => !STATEMENT.test(text.line(first))),
	});
}

// Matches the first word of an import.
const LINE = /^\s*(?:import|from|use|package|require|include|#include|using)\b/;
// Matches the first line of an import that lists its names on the lines below.
const LIST_HEAD =
	/^\s*(?:import\b[^"'=(){}]*\{|import\s*\(|from\s+[\w.]+\s+import\s*\(|(?:pub(?:\([^()]*\))?\s+)?use\s[^"'=(){}]*\{)$/;

/** Whether a line is an import or part of one. */
export function isImportLine(document: Document, line: number): boolean {
	return statementAt(document, line) !== undefined;
}

/** Whether a line belongs to an import statement that seems to refer to a file, based on the file's name. */
export function importsFile(document: Document, line: number, uri: string): boolean {
	const [name = "", folder = ""] = uri.split("/").toReversed();
	const base = name.replace(/(?:\.d)?\.\w+$/, "");
	// A folder's name in an import refers to the folder's main file.
	const names = /^(?:index|mod|lib|main|__init__)$/.test(base) ? [base, folder] : [base];
	const words = statementAt(document, line)?.split(/["'`\s/\\.:;,{}()]+/) ?? [];
	return names.some((one) => one !== "" && words.includes(one));
}

const REEXPORT = /^export\s+(?:type\s+)?\{[^{}]*\}\s*from\b/;

/** Returns the module imported on a line; undefined if there is no import or the module cannot be determined. */
export function moduleAt(document: Document, line: number): string | undefined {
	const { text, languageId } = document;
	if (text.lineEnd(line) - text.lineStart(line) > LINE_MAX) return undefined;
	const content = text.line(line);
	const statement = REEXPORT.test(content) ? content : statementAt(document, line);
	return statement === undefined ? undefined : importSyntaxOf(languageId)?.module?.exec(statement)?.[1];
}

// Cached because it is called for every site of a rule. Lines that cannot be part of an import are rejected early by a
// pattern.
const STATEMENTS = new VersionCache<Map<number, string | undefined>>();
const IN_LIST = /^(?:[\s\w$,*:{}"'./@-]*(?:[})].*)?|\s*(?:import|from|pub|use)\b.*)$/;

/** The full text of the import statement that a line belongs to. */
function statementAt(document: Document, line: number): string | undefined {
	let known = STATEMENTS.get(document.text);
	if (known === undefined) {
		known = new Map();
		STATEMENTS.set(document.text, known);
	}
	if (!known.has(line)) known.set(line, readStatement(document, line));
	return known.get(line);
}

function readStatement(document: Document, line: number): string | undefined {
	const { text } = document;
	const start = text.lineStart(line);
	if (text.lineEnd(line) - start > LINE_MAX) return undefined;
	const content = text.line(line);
	if (!IN_LIST.test(content)) return LINE.test(content) ? content : undefined;
	// If the import begins above this line, its bracket is open at the start of this line. If the import begins on
	// this line, its bracket is open at the end.
	for (const at of [start, text.lineEnd(line)]) {
		const [bracket] = openAt(document, at);
		if (bracket === undefined) continue;
		const { line: first, start: from } = text.locate(bracket.at);
		if (bracket.at - from > LINE_MAX || line - first > STATEMENT_LINES_MAX) continue;
		if (!LIST_HEAD.test(text.slice(from, bracket.at + 1))) continue;
		const last = Math.min(text.lineAt(closeOf(document, bracket.at)), first + STATEMENT_LINES_MAX);
		return text.slice(from, text.lineEnd(last));
	}
	return LINE.test(content) ? content : undefined;
}

/** Returns the import statement at an offset, and the name at the offset if there is one. */
export function importAt(
	document: Document,
	offset: number,
): { readonly statement: Import; readonly name: Name | undefined } | undefined {
	const line = document.text.lineAt(offset);
	const statement = importsIn(document).find(({ first, last }) => first <= line && line <= last);
	if (statement === undefined) return undefined;
	return { statement, name: statement.names.find(({ from, to }) => from <= offset && offset <= to) };
}

/** Returns the edit that removes a name from an import, or the whole statement if it is the only name. */
export function removeImport({ text }: Document, { names, first, last, form }: Import, name: Name | undefined): Edit {
	const isOnly = names.length <= 1 || name === undefined || form === "whole" || form === "default";
	if (isOnly) {
		const to = last + 1 < text.lineCount ? text.lineStart(last + 1) : text.length;
		return { from: text.lineStart(first), to, insert: "" };
	}
	const index = names.indexOf(name);
	const next = names[index + 1];
	const previous = names[index - 1];
	return next !== undefined
		? { from: name.from, to: next.from, insert: "" }
		: { from: previous?.to ?? name.from, to: name.to, insert: "" };
}

/** Returns the module name that a document uses to import from another; undefined if it cannot be determined. */
export function moduleOf(other: Document, document: Document): string | undefined {
	return importSyntaxOf(document.languageId)?.moduleOf?.(other, document);
}

/** Whether a module name in a document refers to a file, based on the paths of both. */
export function isModule(module: string, { uri, languageId }: Document, other: string): boolean {
	// Editors differ in how they encode a path.
	return importSyntaxOf(languageId)?.isModule?.(module, uriKey(uri), uriKey(other)) ?? false;
}
