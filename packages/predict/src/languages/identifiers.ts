import type { Text } from "@segue/text";
import { isCode, isKeyword } from "./languages.js";

// What is known of a program without parsing it: its words, and how it declares names.

// A longer line was not written by hand, and looking at it takes longer than a keystroke.
export const LINE_MAX = 1000;

const IDENTIFIER = /^(?!\p{N})[\p{L}\p{N}\p{M}_$]+$/u;

// Words that several languages keep for themselves. A name that is one of them in any language is left alone.
const KEYWORDS = new Set(
	`abstract and as assert async await bool boolean break byte case catch chan char class const continue crate def default
	defer delete do double dyn elif else enum except export extends extern false False final finally float fn for from
	func function global go goto if impl implements import in instanceof int interface is lambda let long loop map match mod
	move mut namespace new nil None nonlocal not null number object of or package pass private protected pub public raise
	range readonly ref return select self Self short static str string struct super switch this throw trait true True try
	type typeof undefined union unsafe use var void where while with yield`.split(/\s+/),
);

// What stands before a name where it is declared.
const LOCAL = /\b(?:const|let|mut|var)\s+$/;
const PARAMETER = /\b(?:def|fn|func|function)\b[^(]*(?:\([^()]*\)\s*\w+)?\((?:[^()]*,)?\s*(?:\*{1,2}|\.{3}|&|mut\s+)*$/;
const SHARED =
	/\b(?:class|def|enum|fn|func|function|interface|mod|namespace|static|struct|trait|type)\s+$|\bfunc\s*\([^()]*\)\s*$/;
const TYPED = /^\s*(?:\w+\s+)*?([\w$<>[\],.*&]+)\s+$/;
const TYPES = new Set("bool boolean byte char double float int long short string".split(" "));

/** Whether a text is one identifier, and not a word that the language keeps for itself, or any that is known. */
export function isName(text: string, languageId?: string): boolean {
	if (!IDENTIFIER.test(text)) return false;
	return languageId !== undefined && isCode(languageId) ? !isKeyword(languageId, text) : !KEYWORDS.has(text);
}

/** Whether a text says enough to be looked for: it holds a name that is not a single letter. */
export function isDistinctive(text: string): boolean {
	return wordsOf(text).some((word) => word.length > 1 && isName(word));
}

export function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{N}\p{M}_$]+/gu) ?? [];
}

/** How far a name reaches that is declared: its block, the function below it, or wherever others see it. */
export type DeclarationReach = "local" | "parameter" | "shared";

/** How a name is declared where it stands in a line, as far as the line tells. */
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

/** Whether the name there is looked up in something else: `a.b`, `a?.b`, `a->b`, `a::b`. */
export function isMember(source: string | Text, at: number): boolean {
	return /(?:(?<!\.)\.|->|::)\s?$/.test(source.slice(Math.max(at - 3, 0), at));
}

/** Whether the name there is a key or a label, and so another name than a variable that is called the same. */
export function isKey(source: string | Text, to: number): boolean {
	return /^\??:(?!:)/.test(source.slice(to, Math.min(to + 3, source.length)));
}

/** The white space that a line begins with. */
export function indentOf(line: string): string {
	return /^\s*/.exec(line)?.[0] ?? "";
}

/** Whether two languages are one as far as names and lines go: those with and without JSX or types are. */
export function sameLanguage(a: string, b: string): boolean {
	return a === b || scriptFamilyOf(a) === scriptFamilyOf(b);
}

function scriptFamilyOf(languageId: string): string {
	const typed = languageId.startsWith("javascript") ? `typescript${languageId.slice("javascript".length)}` : languageId;
	return typed.endsWith("react") ? typed.slice(0, -"react".length) : typed;
}
