import type { Document } from "@segue/text";
import { BRACE_OPEN, type Bracket, PARENTHESIS_OPEN } from "../languages/brackets.js";
import { languageById, syntaxOf } from "../languages/languages.js";
import { codeOn, tokensIn } from "../languages/parts.js";
import { closeOf } from "../languages/scope.js";

// Enough for a function's signature, and cheap enough to read for every mention of a name.
const LINES_MAX = 6;
const LENGTH_MAX = 400;

/** The last few lines of code before an offset, without comments and with empty strings. */
export function codeBefore(document: Document, offset: number): string {
	const { text } = document;
	const { line, start } = text.locate(offset);
	let code = "";
	for (let above = Math.max(line - LINES_MAX, 0); above < line; above++) {
		code += `${codeOn(document, above)}\n`;
	}
	return (code + codeIn(document, start, offset)).slice(-LENGTH_MAX);
}

/** The next few lines of code after an offset, without comments and with empty strings. */
export function codeAfter(document: Document, offset: number): string {
	const { text } = document;
	const line = text.lineAt(offset);
	let code = codeIn(document, offset, text.lineEnd(line));
	for (let below = line + 1; below < Math.min(line + LINES_MAX, text.lineCount) && code.length < LENGTH_MAX; below++) {
		code += `\n${codeOn(document, below)}`;
	}
	return code.slice(0, LENGTH_MAX);
}

function codeIn(document: Document, from: number, to: number): string {
	const source = document.text.slice(from, to);
	let code = "";
	for (const { kind, from: start, to: end } of tokensIn(document, from, to)) {
		if (kind === "string") code += '""';
		else if (kind !== "comment") code += source.slice(Math.max(start - from, 0), end - from);
	}
	return code;
}

/**
 * The purpose of a bracket: `block` (statements), `object` (a literal with keys), `pattern` (destructuring), `import`
 * and `export` (lists of names), `type` (the members of an interface), `class`, `parameters`, `call`, or another
 * `group`.
 */
export type BracketPurpose =
	| "block"
	| "call"
	| "class"
	| "export"
	| "group"
	| "import"
	| "object"
	| "parameters"
	| "pattern"
	| "type";

/** Returns the purpose of the innermost of these open brackets. */
export function purposeOf(document: Document, open: readonly Bracket[]): BracketPurpose {
	const bracket = open.at(-1);
	if (bracket === undefined) return "block";
	const before = codeBefore(document, bracket.at).trimEnd();
	const outer = () => purposeOf(document, open.slice(0, -1));
	if (bracket.code === PARENTHESIS_OPEN) return purposeOfParenthesis(document, bracket.at, before, outer);
	if (bracket.code === BRACE_OPEN) return purposeOfBrace(before, outer, document.languageId);
	if (DECLARES_VARIABLE.test(before)) return "pattern";
	return /[,([:]$/.test(before) && isPattern(outer()) ? "pattern" : "group";
}

const DECLARES_VARIABLE = /\b(?:const|let|var)$/;
const FUNCTION_HEAD = /\b(?:def|fn|func|function)\b\s*\*?\s*(?:\([^()]*\)\s*)?[\w$]*[!?]?\s*(?:<[^()]*>|\[[^()]*\])?$/;
const CONTROL = /\b(?:await|for|foreach|if|elif|elsif|match|return|switch|typeof|until|unless|using|while|with|catch)$/;
// Matches the text between a function's parameters and its body.
const BODY = /^\s*(?::[^;={}]*(?:=>|\{|;|$)|=>|->|\{)/;

function purposeOfParenthesis(
	document: Document,
	open: number,
	before: string,
	outer: () => BracketPurpose,
): BracketPurpose {
	if (FUNCTION_HEAD.test(before) || /\bcatch$/.test(before)) return "parameters";
	if (CONTROL.test(before)) return "group";
	const after = codeAfter(document, Math.min(closeOf(document, open) + 1, document.text.length));
	if (/^\s*(?::[^;={}()]*)?=>/.test(after)) return "parameters";
	if (!/[\w$>\])]$/.test(before)) return "group";
	if (/\b(?:new|return|throw|await)\s+[\w$.]+$/.test(before)) return "call";
	// A function whose type comes first, or a method. Unlike these, a call is not followed by a body or a type.
	if (languageById(document.languageId).isTypeFirst && TYPED_HEAD.test(before) && TYPED_BODY.test(after))
		return "parameters";
	const around = outer();
	const isMethod = around === "type" || ((around === "class" || around === "object") && BODY.test(after));
	return isMethod ? "parameters" : "call";
}

const TYPED_HEAD = /[\w$>\]*&]\s+[*&]*[\w$~]+$/;
const TYPED_BODY = /^\s*(?:\{|(?:const|noexcept|override|throws|where)\b|;)/;

function purposeOfBrace(before: string, outer: () => BracketPurpose, languageId: string): BracketPurpose {
	if (/\bimport(?:\s+type)?$|\bimport\s+[\w$]+\s*,$/.test(before)) return "import";
	if (/\bexport(?:\s+type)?$/.test(before)) return "export";
	if (DECLARES_VARIABLE.test(before)) return "pattern";
	// Conditions in these languages have no parentheses, so they cannot contain a literal with braces.
	if (languageById(languageId).hasBareConditions && BARE_HEAD.test(before)) return "block";
	const statement = statementAtEnd(before);
	if (/\b(?:class|impl|trait)\b[^()=]*$/.test(statement)) return "class";
	if (/\b(?:interface|struct|enum|union|record)\b[^()=]*$|\btype\s+[\w$<>, ]+=$/.test(statement)) return "type";
	if (hasMarkup(languageId) && /[\w$-]=$/.test(before)) return "block";
	if (before === "" || /[;{}]$|=>$|\)$|->$|\b(?:else|do|try|finally|loop|unsafe|async|begin|then)$/.test(before))
		return "block";
	if (/\b(?:case\b[^:]*|default)\s*:$/.test(statement)) return "block";
	if (/[^?]\?(?![.:?])[^;]*:$/.test(statement)) return "object";
	if (/:$/.test(before)) return purposeAfterColon(outer());
	if (/\b(?:as|readonly|satisfies)$/.test(before)) return "type";
	if (/[,([]$/.test(before)) return isPattern(outer()) ? "pattern" : "object";
	if (/(?:^|[^&|])[&|<]$/.test(before)) return "type";
	if (/[\w$>\]"]$/.test(before)) return isLiteralOf(statement, languageId) ? "object" : "block";
	return "object";
}

/** Returns the code after the last statement delimiter. A regular expression would try every position before it. */
export function statementAtEnd(code: string): string {
	return code.slice(Math.max(code.lastIndexOf(";"), code.lastIndexOf("{"), code.lastIndexOf("}")) + 1);
}

/** Whether a language has JSX, whose attributes may contain code in braces. */
export function hasMarkup(languageId: string): boolean {
	return syntaxOf(languageId).attributes !== undefined;
}

/** Whether a brace that follows this statement opens a literal, such as a struct literal in Go or Rust. */
function isLiteralOf(statement: string, languageId: string): boolean {
	if (/\b(?:return|yield|await|default|in|of|typeof)$/.test(statement)) return true;
	if (!languageById(languageId).hasNamedLiterals) return false;
	return !/\b(?:fn|func|for|if|match|switch|select|while|mod|namespace|extern|go|defer)\b[^=]*$/.test(statement);
}

const BARE_HEAD = /(?:^|\n)[ \t]*(?:\}[ \t]*)?(?:else[ \t]+)?(?:for|if|match|select|switch|while)\b[^\n]*$/;

function purposeAfterColon(outer: BracketPurpose): BracketPurpose {
	return outer === "object" || outer === "pattern" ? outer : "type";
}

/** Whether destructured names are declared there. */
function isPattern(purpose: BracketPurpose): boolean {
	return purpose === "parameters" || purpose === "pattern";
}
