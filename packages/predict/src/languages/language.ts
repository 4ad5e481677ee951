import type { Document } from "@segue/text";
import { lineComment, region, type Syntax } from "./syntax.js";

/** The syntax of a language and some of its properties. Missing flags are false. */
export interface Language {
	/** Language ids used by editors. */
	readonly ids: readonly string[];
	readonly syntax: Syntax;
	/** Indentation delimits blocks. */
	readonly isIndented?: boolean;
	/** The type comes before the name. */
	readonly isTypeFirst?: boolean;
	/** Conditions have no parentheses, so they cannot contain a literal with braces. */
	readonly hasBareConditions?: boolean;
	/** Struct literals consist of the type's name and braces. */
	readonly hasNamedLiterals?: boolean;
	/** Members can be accessed with `->`. */
	readonly hasArrows?: boolean;
	/** The first assignment declares a variable. */
	readonly hasNoDeclarations?: boolean;
	/** A method and a field may have the same name. */
	readonly hasSeparateMethods?: boolean;
	/** Lines that begin with # are preprocessor directives. */
	readonly hasDirectives?: boolean;
	/** Four names in a row are never valid. Other languages have commands, queries or macros made of words. */
	readonly hasNoSentences?: boolean;
	/** Multiplication and division are always binary. In other languages a star may be a pointer. */
	readonly hasNoPointers?: boolean;
	/** Languages of one family can import from each other and share an `ImportSyntax`. */
	readonly family?: ImportFamily;
}

export type ImportFamily = "csharp" | "go" | "java" | "php" | "python" | "rust" | "script";

/**
 * How a language writes imports and names modules. Separate from `Language`, so that a page that only highlights code
 * does not load it. Calls in it are marked as pure because bundlers would otherwise keep it.
 */
export interface ImportSyntax {
	readonly forms: readonly ImportForm[];
	/** Matches an import or re-export of names, with the module as its first group. */
	readonly module?: RegExp;
	/**
	 * Returns the statement that imports a name; undefined if the language has none for the form of import in
	 * `source`.
	 */
	write(name: string, source: ImportSource, style: ImportStyle): string | undefined;
	/** Returns the module name that a document uses to import from another; undefined if it cannot be determined. */
	moduleOf?(other: Document, document: Document): string | undefined;
	/** Whether a module name in one file refers to another file, based on their paths. Both files are given as `uriKey`. */
	isModule?(module: string, uri: string, file: string): boolean;
	/** Matches the text before an exported name. */
	readonly exports?: RegExp;
	/** Names that need no import: built-ins and globals of test runners. */
	readonly builtins?: ReadonlySet<string>;
}

/** A form of import, and a pattern with the groups `module` and `names`. */
export type ImportForm = readonly [ImportSource["form"], RegExp];

/** The module that exports a name, and the form of the import. */
export interface ImportSource {
	readonly module: string;
	/** Imports the name itself, the module's default export, a type only, or the whole module. */
	readonly form: "named" | "default" | "type" | "whole";
}

/** The style of a document's imports. */
interface ImportStyle {
	readonly isSingleQuoted: boolean;
	readonly hasSemicolons: boolean;
	/** Some imports are `import type`. */
	readonly hasTypes: boolean;
	/** Some imports are in a parenthesized list. */
	readonly isListed: boolean;
}

// Comments and strings shared by several languages.

export const ESCAPED = /\\(?:\r\n|[\s\S])/y;
export const ESCAPED_IN_LINE = /\\[^\r\n]/y;
export const SLASHES = lineComment(/\/\//y, "/");
export const STARS = region(/\/\*/y, "/", { kind: "comment", ends: ["", "*/"] });
export const HASH = lineComment(/#/y, "#");

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

/** Returns the package of a file; undefined if the document belongs to the same package. */
export function packageOf(other: Document, document: Document, pattern: RegExp): string | undefined {
	const name = pattern.exec(topOf(other))?.[1];
	return name === pattern.exec(topOf(document))?.[1] ? undefined : name;
}

// Packages and imports are declared at the top of a file.
const HEAD_MAX = 5000;

export function topOf({ text }: Document): string {
	return text.slice(0, Math.min(HEAD_MAX, text.length));
}
