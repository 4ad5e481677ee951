import type { Document } from "@segue/text";
import { lineComment, region, type Syntax } from "./syntax.js";

/** How a language is written, with its syntax for the lexer. A flag that is missing is false. */
export interface Language {
	/** The ids that editors give it. */
	readonly ids: readonly string[];
	readonly syntax: Syntax;
	/** Blocks are told by how their lines are indented. */
	readonly isIndented?: boolean;
	/** The type of something is written before its name. */
	readonly isTypeFirst?: boolean;
	/** Conditions have no parentheses around them, and so allow no value with braces in it. */
	readonly hasBareConditions?: boolean;
	/** A value of a type is written as the type's name and braces. */
	readonly hasNamedLiterals?: boolean;
	/** Members are looked up with `->`, too. */
	readonly hasArrows?: boolean;
	/** A variable is declared by the first assignment to it. */
	readonly hasNoDeclarations?: boolean;
	/** A method and a field may have the same name. */
	readonly hasSeparateMethods?: boolean;
	/** Lines that begin with # are for a preprocessor. */
	readonly hasDirectives?: boolean;
	/** Four names never stand side by side. Other languages have commands, queries or macros made of words. */
	readonly hasNoSentences?: boolean;
	/** What multiplies or divides has its operands on both sides. In other languages a star may be a pointer. */
	readonly hasNoPointers?: boolean;
	/** Languages of one family import from each other, and have one `ImportSyntax`. */
	readonly family?: ImportFamily;
}

export type ImportFamily = "csharp" | "go" | "java" | "php" | "python" | "rust" | "script";

/**
 * How a language writes imports, and by what name one file is known to another. It is apart from `Language`, so that a page
 * that only colours code does not load it. Calls in it are marked as pure, or bundlers keep it.
 */
export interface ImportSyntax {
	readonly forms: readonly ImportForm[];
	/** Where a statement that imports names, or exports them again, says which module they are from. */
	readonly module?: RegExp;
	/** The statement that imports a name; undefined where the language has none for it. */
	write(name: string, source: ImportSource, style: ImportStyle): string | undefined;
	/** How a document names another file to import something from it; undefined where that cannot be told. */
	moduleOf?(other: Document, document: Document): string | undefined;
	/** Whether a file means another one by the name of a module, as far as paths tell. Both are given by their `uriKey`. */
	isModule?(module: string, uri: string, file: string): boolean;
	/** What stands before a name where a file makes it known to others. */
	readonly exports?: RegExp;
	/** Names that need no import: they are built in, or test runners define them. */
	readonly builtins?: ReadonlySet<string>;
}

/** The module of a statement and its names, in one of the ways in which a language writes the two. */
export type ImportForm = readonly [ImportSource["form"], RegExp];

/** Where a name comes from, and how it is asked for. */
export interface ImportSource {
	readonly module: string;
	/** By its name, as what the module is, as a type only, or with all of the module. */
	readonly form: "named" | "default" | "type" | "whole";
}

/** How a document writes its imports. */
interface ImportStyle {
	readonly isSingleQuoted: boolean;
	readonly hasSemicolons: boolean;
	/** Some are `import type`. */
	readonly hasTypes: boolean;
	/** Some are lines of a list in parentheses. */
	readonly isListed: boolean;
}

// Comments and strings that several languages have.

export const ESCAPED = /\\(?:\r\n|[\s\S])/y;
export const ESCAPED_IN_LINE = /\\[^\r\n]/y;
export const SLASHES = lineComment(/\/\//y, "/");
export const STARS = region(/\/\*/y, "/", { kind: "comment", ends: ["", "*/"] });
export const HASH = lineComment(/#/y, "#");

// Paths and heads of files, for languages that name one file in another by them.

export function parentOf(uri: string): string {
	return uri.slice(0, uri.lastIndexOf("/"));
}

export function joinPath(folder: string, parts: readonly string[]): string {
	const path = folder.split("/");
	for (const part of parts) {
		if (part === "..") path.pop();
		else if (part !== ".") path.push(part);
	}
	return path.join("/");
}

export function relativePath(to: string, from: string): string {
	const target = to.split("/");
	const own = from.split("/").slice(0, -1);
	let common = 0;
	while (common < own.length && common < target.length - 1 && own[common] === target[common]) common++;
	const up = own.length - common;
	return [...(up === 0 ? ["."] : Array.from({ length: up }, () => "..")), ...target.slice(common)].join("/");
}

/** What a file says that it belongs to, where the other does not belong to it as well. */
export function packageOf(other: Document, document: Document, pattern: RegExp): string | undefined {
	const name = pattern.exec(topOf(other))?.[1];
	return name === pattern.exec(topOf(document))?.[1] ? undefined : name;
}

// What a file says of itself stands at its top.
const HEAD_MAX = 5000;

export function topOf({ text }: Document): string {
	return text.slice(0, Math.min(HEAD_MAX, text.length));
}
