import { errorText } from "@segue/text";
import type { Node } from "web-tree-sitter";
import type { Parsers } from "../outline/parser.js";
import { CPP } from "./cpp.js";
import { CSHARP } from "./csharp.js";
import { GO } from "./go.js";
import { JAVA } from "./java.js";
import { JAVASCRIPT, TYPESCRIPT } from "./javascript.js";
import { PHP } from "./php.js";
import { PYTHON } from "./python.js";
import { RUST } from "./rust.js";
import { type DocumentedLanguage, keyOf, type Subject, type TopicText } from "./subject.js";

// Handwritten files are shorter, and parsing longer ones is too slow.
const SOURCE_LENGTH_MAX = 500_000;

/** Keyed by language id. */
const LANGUAGES: ReadonlyMap<string, DocumentedLanguage> = new Map([
	["typescript", TYPESCRIPT],
	["typescriptreact", TYPESCRIPT],
	["javascript", JAVASCRIPT],
	["javascriptreact", JAVASCRIPT],
	["python", PYTHON],
	["rust", RUST],
	["go", GO],
	["java", JAVA],
	["c", CPP],
	["cpp", CPP],
	["csharp", CSHARP],
	["php", PHP],
]);

/** A comment with blanks to fill in. */
export interface Draft {
	/** The range to replace: the existing comment, or an empty range. */
	readonly from: number;
	readonly to: number;
	/** The source of the declaration. */
	readonly declaration: string;
	/** The keys of the blanks: `summary`, `parameter count`, `returns`. */
	readonly blanks: readonly string[];
	/** Returns the comment with its blanks filled in. `texts` maps keys to descriptions; the other blanks stay. */
	write(texts: ReadonlyMap<string, string>): string;
}

/**
 * The reason why there is no draft, as a sentence for the user. `isDone` is true if the declaration is already
 * documented.
 */
interface NoDraft {
	readonly why: string;
	readonly isDone: boolean;
}

/** The placeholder for a blank that is not filled in. */
export const BLANK = "...";
export const SUMMARY = "summary";

/**
 * Drafts a comment for the declaration at or around an offset. Returns a reason instead if there is no declaration, or
 * if its comment already covers all parameters.
 */
export async function draftAt(
	parsers: Parsers,
	languageId: string,
	source: string,
	offset: number,
): Promise<Draft | NoDraft> {
	const language = LANGUAGES.get(languageId);
	if (language === undefined) {
		return impossible(
			`Doc comments are not supported in ${languageId}. Supported languages: ${[...LANGUAGES.keys()].join(", ")}.`,
		);
	}
	if (source.length > SOURCE_LENGTH_MAX) {
		return impossible(`The file is longer than ${SOURCE_LENGTH_MAX} characters, so it is not parsed.`);
	}
	try {
		await parsers.load(languageId);
	} catch (error) {
		return impossible(`The grammar for ${languageId} cannot be loaded: ${errorText(error)}`);
	}
	const tree = parsers.treeOf(languageId, source);
	try {
		const subject = subjectAt(language, tree.rootNode, source, offset);
		if (subject === undefined) {
			return impossible(
				"There is nothing to document here. Put the cursor on a function, a class or another declaration.",
			);
		}
		return draftOf(language, subject, source);
	} finally {
		tree.delete();
	}
}

function impossible(why: string): NoDraft {
	return { why, isDone: false };
}

function subjectAt(language: DocumentedLanguage, root: Node, source: string, offset: number): Subject | undefined {
	let node: Node | null = root.descendantForIndex(textNear(source, offset));
	for (; node !== null; node = node.parent) {
		const isBefore = isComment(node) || language.isAttribute(node);
		const subject = isBefore ? subjectAfter(language, node, source) : language.subjectOf(node);
		if (subject !== undefined) return subject;
	}
	return undefined;
}

/** Moves an offset in a line's leading or trailing whitespace to the line's text. */
function textNear(source: string, offset: number): number {
	const start = source.lastIndexOf("\n", offset - 1) + 1;
	const next = source.indexOf("\n", offset);
	const line = source.slice(start, next < 0 ? source.length : next);
	if (line.trim() === "") return offset;
	const first = start + line.length - line.trimStart().length;
	const last = start + line.trimEnd().length - 1;
	return Math.min(Math.max(offset, first), last);
}

/** The declaration that a comment, a decorator or an attribute belongs to. */
function subjectAfter(language: DocumentedLanguage, node: Node, source: string): Subject | undefined {
	let before = node;
	for (let next = node.nextNamedSibling; next !== null; next = next.nextNamedSibling) {
		if (!isAdjacent(source, before, next)) return undefined;
		if (!isComment(next) && !language.isAttribute(next)) return language.subjectOf(next);
		before = next;
	}
	return undefined;
}

function isComment({ type }: Node): boolean {
	return type.endsWith("comment");
}

/** Whether there is no empty line between two nodes. A comment's node may include its line ending. */
function isAdjacent(source: string, before: Node, after: Node): boolean {
	const between = source.slice(textEnd(source, before), after.startIndex);
	return (between.match(/\n/g)?.length ?? 0) <= 1 && /^[\s;,]*$/.test(between);
}

function textEnd(source: string, { startIndex, endIndex }: Node): number {
	return startIndex + source.slice(startIndex, endIndex).trimEnd().length;
}

function draftOf(language: DocumentedLanguage, subject: Subject, source: string): Draft | NoDraft {
	const { form } = language;
	const place = form.place === "above" ? above(language, subject.node, source) : inside(subject, source);
	const { at, indent, existing } = place;
	const declaration = subject.node.text;
	const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
	if (existing === undefined) {
		const blanks = [SUMMARY, ...subject.topics.map(keyOf)];
		const write = (texts: ReadonlyMap<string, string>) => {
			const lines = indented(form.linesOf(subject, textsFrom(texts)), indent);
			return [place.lead, lines.join("\n"), place.trail].join("").replaceAll("\n", lineEnd);
		};
		return { from: at, to: at, declaration, blanks, write };
	}
	const comment = source.slice(existing.from, existing.to);
	const parameters = subject.topics.filter(({ kind }) => kind === "parameter");
	const missing = parameters.filter((topic) => !form.mentions(comment, topic, subject));
	const written = comment.split(/\r?\n/);
	const lines = written.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
	// Lines that were not indented stay unindented.
	const unindented = new Set(written.slice(1).filter((line) => !line.startsWith(indent)));
	const completed = (texts: ReadonlyMap<string, string>) => {
		const all = form.withTopics(lines, missing, subject, textsFrom(texts));
		return all && indented(all, indent, unindented).join(lineEnd);
	};
	if (missing.length === 0 || completed(new Map()) === undefined) {
		const name = subject.name === "" ? "This" : subject.name;
		return { why: `${name} is already documented.`, isDone: true };
	}
	return { ...existing, declaration, blanks: missing.map(keyOf), write: (texts) => completed(texts) ?? comment };
}

/** Indents all lines but the first, which is already indented. Uses tabs inside comments if the source does. */
function indented(lines: readonly string[], indent: string, unindented: ReadonlySet<string> = new Set()): string[] {
	const unit = indent.endsWith("\t") ? "\t" : "    ";
	return lines.map((line, index) => {
		if (index === 0 || line === "" || unindented.has(line)) return line;
		return indent + line.replace(/^ {4}/, unit);
	});
}

function textsFrom(texts: ReadonlyMap<string, string>): TopicText {
	return (topic) => texts.get(topic === undefined ? SUMMARY : keyOf(topic)) ?? BLANK;
}

/** The position of an existing or new comment. */
interface Place {
	readonly at: number;
	/** The indentation of its second and later lines. */
	readonly indent: string;
	readonly lead: string;
	readonly trail: string;
	readonly existing: { readonly from: number; readonly to: number } | undefined;
}

/**
 * Returns the position of an existing comment or, if there is none, the position above a declaration and its
 * attributes.
 */
function above(language: DocumentedLanguage, declaration: Node, source: string): Place {
	let first = declaration;
	let existing: Place["existing"];
	let below = declaration;
	for (let node = declaration.previousNamedSibling; node !== null; node = node.previousNamedSibling) {
		if (!isAdjacent(source, node, below)) break;
		if (language.isAttribute(node)) {
			if (existing === undefined) first = node;
		} else if (isComment(node) && language.form.isDocumentation(node.text) && !isTrailing(source, node)) {
			existing = { from: node.startIndex, to: existing?.to ?? textEnd(source, node) };
			// Only the last of several block comments belongs to the declaration.
			if (node.text.startsWith("/*")) break;
		} else break;
		below = node;
	}
	const at = existing?.from ?? first.startIndex;
	const indent = indentAt(source, at);
	return { at, indent, lead: "", trail: `\n${indent}`, existing };
}

/** Whether a line comment follows other code on its line and documents that code. */
function isTrailing(source: string, node: Node): boolean {
	return /^\/\/(?!\/)/.test(node.text) && !startsLine(source, node);
}

function startsLine(source: string, { startIndex }: Node): boolean {
	return source.slice(source.lastIndexOf("\n", startIndex - 1) + 1, startIndex).trim() === "";
}

function indentAt(source: string, offset: number): string {
	const start = source.lastIndexOf("\n", offset - 1) + 1;
	return /^[ \t]*/.exec(source.slice(start, offset))?.[0] ?? "";
}

/** Returns the position of a docstring: the first statement in a body. */
function inside({ node, body }: Subject, source: string): Place {
	const first = body?.namedChildren.find((one) => !isComment(one));
	if (body === undefined || first === undefined) {
		const indent = `${indentAt(source, node.startIndex)}${unitOf(source)}`;
		return { at: textEnd(source, node), indent, lead: `\n${indent}`, trail: "", existing: undefined };
	}
	const [only] = first.type === "expression_statement" ? first.namedChildren : [];
	const docstring = only?.type === "string" && first.namedChildCount === 1 ? only : undefined;
	const existing = docstring && { from: docstring.startIndex, to: docstring.endIndex };
	if (startsLine(source, first)) {
		const colon = node.children.find(({ type }) => type === ":");
		const remark = node.namedChildren.find((one) => isComment(one) && one.startIndex > (colon?.startIndex ?? 0));
		const indent = indentAt(source, first.startIndex);
		// Insert above comments that belong to the first statement.
		const isAbove =
			remark !== undefined && startsLine(source, remark) && indentAt(source, remark.startIndex) === indent;
		const { startIndex: at } = isAbove ? remark : first;
		return { at, indent, lead: "", trail: `\n${indent}`, existing };
	}
	// The body is on the same line as the colon, so it moves to a new line.
	const indent = `${indentAt(source, node.startIndex)}${unitOf(source)}`;
	const gap = /[ \t]*$/.exec(source.slice(0, first.startIndex))?.[0] ?? "";
	const isGapUsed = indent.endsWith(gap);
	const at = isGapUsed ? first.startIndex - gap.length : first.startIndex;
	const trail = `\n${isGapUsed ? indent.slice(0, indent.length - gap.length) : indent}`;
	return { at, indent, lead: `\n${indent}`, trail, existing };
}

/** The indentation unit of the source. */
function unitOf(source: string): string {
	return /^(?:\t| {2,8})(?=\S)/m.exec(source)?.[0] ?? "    ";
}
