import type { Text } from "@segue/text";
import { isCode, isKeyword } from "./languages.js";

// Longer lines are not handwritten, and scanning one is too slow to do on every keystroke.
export const LINE_MAX = 1000;

const IDENTIFIER = /^(?!\p{N})[\p{L}\p{N}\p{M}_$]+$/u;

// Keywords of several languages, for when the language is unknown.
const KEYWORDS = new Set(
	`abstract and as assert async await bool boolean break byte case catch chan char class const continue crate def default
	defer delete do double dyn elif else enum except export extends extern false False final finally float fn for from
	func function global go goto if impl implements import in instanceof int interface is lambda let long loop map match mod
	move mut namespace new nil None nonlocal not null number object of or package pass private protected pub public raise
	range readonly ref return select self Self short static str string struct super switch this throw trait true True try
	type typeof undefined union unsafe use var void where while with yield`.split(/\s+/),
);

// Match the text before a declared name.
const LOCAL = /\b(?:const|let|mut|var)\s+$/;
const PARAMETER = /\b(?:def|fn|func|function)\b[^(]*(?:\([^()]*\)\s*\w+)?\((?:[^()]*,)?\s*(?:\*{1,2}|\.{3}|&|mut\s+)*$/;
const SHARED =
	/\b(?:class|def|enum|fn|func|function|interface|mod|namespace|static|struct|trait|type)\s+$|\bfunc\s*\([^()]*\)\s*$/;
const TYPED = /^\s*(?:\w+\s+)*?([\w$<>[\],.*&]+)\s+$/;
const TYPES = new Set("bool boolean byte char double float int long short string".split(" "));

/**
 * Whether a string is an identifier and not a keyword. If the language is omitted, the keywords of all known languages
 * count.
 */
export function isName(text: string, languageId?: string): boolean {
	if (!IDENTIFIER.test(text)) return false;
	return languageId !== undefined && isCode(languageId) ? !isKeyword(languageId, text) : !KEYWORDS.has(text);
}

/** Whether a string is specific enough to search for, that is, contains a name longer than one letter. */
export function isDistinctive(text: string): boolean {
	return wordsOf(text).some((word) => word.length > 1 && isName(word));
}

export function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}\p{M}_$]+/gu) ?? [];
}

/** Where a declared name is visible: in its block, in the function that follows, or in other files too. */
export type DeclarationReach = "local" | "parameter" | "shared";

/** Returns the kind of declaration at a name, based only on its line; undefined if the name is not declared there. */
export function declarationAt(line: string, from: number, name: string): DeclarationReach | undefined {
	const before = line.slice(0, from);
	const after = line.slice(from + name.length);
	if (SHARED.test(before)) return "shared";
	if (PARAMETER.test(before)) return "parameter";
	if (LOCAL.test(before) || /^\s*:=/.test(after)) return "local";
	const type = TYPED.exec(before)?.[1];
	const isTyped = type !== undefined && (TYPES.has(type) || !KEYWORDS.has(type)) && /\w$|[>\]*&]$/.test(type);
	return isTyped && /^\s*(?:=(?!=)|;)/.test(after) ? "local" : undefined;
}

/** Whether the name at an offset is a member: `a.b`, `a?.b`, `a->b`, `a::b`. */
export function isMember(source: string | Text, at: number): boolean {
	return /(?:(?<!\.)\.|->|::)\s?$/.test(source.slice(Math.max(at - 3, 0), at));
}

/** Whether the name that ends at an offset is a key or a label rather than a variable with that name. */
export function isKey(source: string | Text, to: number): boolean {
	return /^\??:(?!:)/.test(source.slice(to, Math.min(to + 3, source.length)));
}

/** The leading whitespace in a line. */
export function indentOf(line: string): string {
	return /^\s*/.exec(line)?.[0] ?? "";
}

/** Whether names and lines in one language are valid in the other, as with JavaScript and TypeScript. */
export function sameLanguage(a: string, b: string): boolean {
	return a === b || scriptFamilyOf(a) === scriptFamilyOf(b);
}

function scriptFamilyOf(languageId: string): string {
	const typed = languageId.startsWith("javascript") ? `typescript${languageId.slice("javascript".length)}` : languageId;
	return typed.endsWith("react") ? typed.slice(0, -"react".length) : typed;
}
