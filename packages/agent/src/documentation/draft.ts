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

// What is longer was not written by hand, and takes longer to parse than anybody waits.
const SOURCE_LENGTH_MAX = 500_000;

/** By the language that an editor names. */
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

/** A comment that is still to be written. */
export interface Draft {
	/** What it takes the place of: the comment that is there, or nothing. */
	readonly from: number;
	readonly to: number;
	/** What it is about, as it stands there. */
	readonly declaration: string;
	/** What it has to say, by name: `summary`, `parameter count`, `returns`. */
	readonly blanks: readonly string[];
	/** The comment, with what is said of the blanks; the others stay blank. */
	write(said: ReadonlyMap<string, string>): string;
}

/** Why there is nothing to write, as a sentence for a person: it cannot be, or it is written already. */
interface NoDraft {
	readonly why: string;
	readonly isDone: boolean;
}

/** What a blank is where nothing is said of it. */
export const BLANK = "...";
export const SUMMARY = "summary";

/**
 * Drafts the comment of what is at an offset of a source, or of what is around it. Where there is one that speaks of all
 * parameters, or nothing that could have one, it says so, as a sentence for a person.
 */
export async function draftAt(
	parsers: Parsers,
	languageId: string,
	source: string,
	offset: number,
): Promise<Draft | NoDraft> {
	const language = LANGUAGES.get(languageId);
	if (language === undefined) {
		return impossible(`Comments can be drafted in ${[...LANGUAGES.keys()].join(", ")}, and not in ${languageId}.`);
	}
	if (source.length > SOURCE_LENGTH_MAX) {
		return impossible(`The file is longer than the ${SOURCE_LENGTH_MAX} characters that are parsed.`);
	}
	try {
		await parsers.load(languageId);
	} catch (error) {
		return impossible(`The grammar of ${languageId} cannot be loaded: ${errorText(error)}`);
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
	let node: Node | null = root.descendantForIndex(inkNear(source, offset));
	for (; node !== null; node = node.parent) {
		const isBefore = isComment(node) || language.isAttribute(node);
		const subject = isBefore ? subjectBehind(language, node, source) : language.subjectOf(node);
		if (subject !== undefined) return subject;
	}
	return undefined;
}

/** The place itself or, where nothing is, what stands nearest to it in its line. */
function inkNear(source: string, offset: number): number {
	const start = source.lastIndexOf("\n", offset - 1) + 1;
	const next = source.indexOf("\n", offset);
	const line = source.slice(start, next < 0 ? source.length : next);
	if (line.trim() === "") return offset;
	const first = start + line.length - line.trimStart().length;
	const last = start + line.trimEnd().length - 1;
	return Math.min(Math.max(offset, first), last);
}

/** What a comment, a decorator or an attribute is about. */
function subjectBehind(language: DocumentedLanguage, node: Node, source: string): Subject | undefined {
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

/** Whether no empty line parts two nodes. A comment may reach over the end of its line. */
function isAdjacent(source: string, before: Node, after: Node): boolean {
	const between = source.slice(inkEnd(source, before), after.startIndex);
	return (between.match(/\n/g)?.length ?? 0) <= 1 && /^[\s;,]*$/.test(between);
}

function inkEnd(source: string, { startIndex, endIndex }: Node): number {
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
		const write = (said: ReadonlyMap<string, string>) => {
			const lines = indented(form.linesOf(subject, sayWith(said)), indent);
			return [place.lead, lines.join("\n"), place.trail].join("").replaceAll("\n", lineEnd);
		};
		return { from: at, to: at, declaration, blanks, write };
	}
	const comment = source.slice(existing.from, existing.to);
	const parameters = subject.topics.filter(({ kind }) => kind === "parameter");
	const missing = parameters.filter((topic) => !form.mentions(comment, topic, subject));
	const written = comment.split(/\r?\n/);
	const lines = written.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
	// What its writer has not indented stays so.
	const apart = new Set(written.slice(1).filter((line) => !line.startsWith(indent)));
	const renewed = (said: ReadonlyMap<string, string>) => {
		const all = form.withTopics(lines, missing, subject, sayWith(said));
		return all && indented(all, indent, apart).join(lineEnd);
	};
	if (missing.length === 0 || renewed(new Map()) === undefined) {
		const name = subject.name === "" ? "This" : subject.name;
		return { why: `${name} has a comment, and nothing is missing in it.`, isDone: true };
	}
	return { ...existing, declaration, blanks: missing.map(keyOf), write: (said) => renewed(said) ?? comment };
}

/** The first line stands behind the indentation already. Who indents by tabs does so in comments, too. */
function indented(lines: readonly string[], indent: string, apart: ReadonlySet<string> = new Set()): string[] {
	const unit = indent.endsWith("\t") ? "\t" : "    ";
	return lines.map((line, index) => {
		if (index === 0 || line === "" || apart.has(line)) return line;
		return indent + line.replace(/^ {4}/, unit);
	});
}

function sayWith(said: ReadonlyMap<string, string>): TopicText {
	return (topic) => said.get(topic === undefined ? SUMMARY : keyOf(topic)) ?? BLANK;
}

/** Where a comment stands or goes, and what is to stand around it. */
interface Place {
	readonly at: number;
	/** Of its second and further lines. */
	readonly indent: string;
	readonly lead: string;
	readonly trail: string;
	readonly existing: { readonly from: number; readonly to: number } | undefined;
}

/** Above a declaration and all that belongs to it, unless there is a comment somewhere in between. */
function above(language: DocumentedLanguage, declaration: Node, source: string): Place {
	let first = declaration;
	let existing: Place["existing"];
	let below = declaration;
	for (let node = declaration.previousNamedSibling; node !== null; node = node.previousNamedSibling) {
		if (!isAdjacent(source, node, below)) break;
		if (language.isAttribute(node)) {
			if (existing === undefined) first = node;
		} else if (isComment(node) && language.form.isDocumentation(node.text) && !isBehind(source, node)) {
			existing = { from: node.startIndex, to: existing?.to ?? inkEnd(source, node) };
			// Of two blocks, only the second is about what follows.
			if (node.text.startsWith("/*")) break;
		} else break;
		below = node;
	}
	const at = existing?.from ?? first.startIndex;
	const indent = indentAt(source, at);
	return { at, indent, lead: "", trail: `\n${indent}`, existing };
}

/** Whether a plain comment stands behind something else in its line, which it is about. */
function isBehind(source: string, node: Node): boolean {
	return /^\/\/(?!\/)/.test(node.text) && !startsLine(source, node);
}

function startsLine(source: string, { startIndex }: Node): boolean {
	return source.slice(source.lastIndexOf("\n", startIndex - 1) + 1, startIndex).trim() === "";
}

function indentAt(source: string, offset: number): string {
	const start = source.lastIndexOf("\n", offset - 1) + 1;
	return /^[ \t]*/.exec(source.slice(start, offset))?.[0] ?? "";
}

/** The first thing in a body. */
function inside({ node, body }: Subject, source: string): Place {
	const first = body?.namedChildren.find((one) => !isComment(one));
	if (body === undefined || first === undefined) {
		const indent = `${indentAt(source, node.startIndex)}${unitOf(source)}`;
		return { at: inkEnd(source, node), indent, lead: `\n${indent}`, trail: "", existing: undefined };
	}
	const [only] = first.type === "expression_statement" ? first.namedChildren : [];
	const docstring = only?.type === "string" && first.namedChildCount === 1 ? only : undefined;
	const existing = docstring && { from: docstring.startIndex, to: docstring.endIndex };
	if (startsLine(source, first)) {
		const colon = node.children.find(({ type }) => type === ":");
		const remark = node.namedChildren.find((one) => isComment(one) && one.startIndex > (colon?.startIndex ?? 0));
		const indent = indentAt(source, first.startIndex);
		// What is remarked before the first statement is about that.
		const isAbove =
			remark !== undefined && startsLine(source, remark) && indentAt(source, remark.startIndex) === indent;
		const { startIndex: at } = isAbove ? remark : first;
		return { at, indent, lead: "", trail: `\n${indent}`, existing };
	}
	// The body stands behind the colon, and gets lines of its own.
	const indent = `${indentAt(source, node.startIndex)}${unitOf(source)}`;
	const gap = /[ \t]*$/.exec(source.slice(0, first.startIndex))?.[0] ?? "";
	const isGapUsed = indent.endsWith(gap);
	const at = isGapUsed ? first.startIndex - gap.length : first.startIndex;
	const trail = `\n${isGapUsed ? indent.slice(0, indent.length - gap.length) : indent}`;
	return { at, indent, lead: `\n${indent}`, trail, existing };
}

/** What the source indents by. */
function unitOf(source: string): string {
	return /^(?:\t| {2,8})(?=\S)/m.exec(source)?.[0] ?? "    ";
}
