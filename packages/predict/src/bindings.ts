import type { Document, Text } from "@segue/text";
import { BRACE_OPEN, type Bracket, PARENTHESIS_OPEN } from "./brackets.js";
import type { Search } from "./find.js";
import { type Role, roleAt } from "./names.js";
import { tokensIn } from "./parts.js";
import { blockBelow, closeOf, isIndented, openAt, type Scope, scopeOf } from "./scope.js";
import { codeAfter, codeBefore, purposeOf } from "./surroundings.js";

// Which declaration a name means where it stands. A name that is declared in a block means that only there, and there it
// means no other one of the same name.

/** A place where a name is declared, and where it means what is declared. */
export interface Declared {
	readonly at: number;
	readonly role: Extract<Role, "declaration" | "pattern" | "import">;
	readonly scope: Scope;
	/** It is a parameter of the function that begins its scope. */
	readonly isParameter: boolean;
}

/**
 * All places of a document where a name is declared, in their order. Fields are none of them: they are looked up in
 * something, and their names mean nothing by themselves.
 */
export function declarationsIn(document: Document, name: Search): readonly Declared[] {
	const { text, languageId } = document;
	let known = KNOWN.get(text);
	if (known?.languageId !== languageId) {
		known = { languageId, declared: new Map() };
		KNOWN.set(text, known);
	}
	const { declared } = known;
	let found = declared.get(name.text);
	if (found === undefined) {
		found = (name.in(text) ?? []).flatMap((at) => declaredAt(document, at, name.text) ?? []);
		if (declared.size >= NAMES_MAX) declared.clear();
		declared.set(name.text, found);
	}
	return found;
}

/** The declaration that a name means at an offset: the innermost that reaches there. Undefined where it is not declared. */
export function bindingAt(document: Document, at: number, name: Search): Declared | undefined {
	const reaching = declarationsIn(document, name).filter(({ scope }) => scope.from <= at && at < scope.to);
	return reaching.reduce<Declared | undefined>((best, one) => {
		return best === undefined || one.scope.to - one.scope.from < best.scope.to - best.scope.from ? one : best;
	}, undefined);
}

// A name is asked for again with every keystroke, until the user renames something else.
const NAMES_MAX = 16;

interface Known {
	readonly languageId: string;
	readonly declared: Map<string, readonly Declared[]>;
}

const KNOWN = new WeakMap<Text, Known>();

function declaredAt(document: Document, at: number, name: string): Declared | undefined {
	const role = roleAt(document, at, name);
	if (role !== "declaration" && role !== "pattern" && role !== "import") return undefined;
	const bound = boundScope(document, at, name);
	return { at, role, scope: bound ?? blockOf(document, at), isParameter: bound !== undefined };
}

/** The block that a declaration lies in. Braces around keys, or around a list of names, are none. */
function blockOf(document: Document, at: number): Scope {
	if (isIndented(document.languageId)) return scopeOf(document, at);
	const open = openAt(document, at);
	for (let i = open.length - 1; i >= 0; i--) {
		const purpose = purposeOf(document, open.slice(0, i + 1));
		if (purpose === "block" || purpose === "class") return scopeOf(document, (open[i] as Bracket).at + 1);
	}
	return { from: 0, to: document.text.length };
}

/** Where a parameter, or a variable of a loop or another head, means something: in its list and in the body after it. */
function boundScope(document: Document, at: number, name: string): Scope | undefined {
	const { text, languageId } = document;
	const isArrow = /^\s*(?:=>|->)/.test(codeAfter(document, at + name.length));
	if (isArrow && !isIndented(languageId)) return { from: at, to: bodyEnd(document, at + name.length) };
	const before = codeBefore(document, at);
	if (languageId === "rust" && /\|[^|;{}]*$/.test(before) && !/\blet\b[^|]*$/.test(before)) {
		return { from: at, to: expressionEnd(document, at + name.length) };
	}
	if (languageId === "python" && /\blambda\b[^:\n]*$/.test(before)) {
		const { line, start } = text.locate(at);
		return { from: start, to: text.lineEnd(line) };
	}
	const open = openAt(document, at);
	const index = open.findLastIndex(({ code }) => code === PARENTHESIS_OPEN);
	const list = open[index];
	if (list === undefined || open.some((_, i) => i > index && isBlock(document, open.slice(0, i + 1)))) return undefined;
	const isHead = /\b(?:catch|for|foreach|if|switch|using|while)\s*$/.test(codeBefore(document, list.at));
	if (!isHead && purposeOf(document, open.slice(0, index + 1)) !== "parameters") return undefined;
	if (isIndented(languageId)) return blockBelow(document, text.lineAt(list.at));
	return { from: list.at, to: bodyEnd(document, closeOf(document, list.at) + 1) };
}

function isBlock(document: Document, open: readonly Bracket[]): boolean {
	return open.at(-1)?.code === BRACE_OPEN && purposeOf(document, open) === "block";
}

// As far as the head of a function goes on after its parameters, and as far as an expression is followed.
const HEAD_LINES_MAX = 10;
const EXPRESSION_LINES_MAX = 100;

/** Where the body ends that begins after the parameters of a function. */
function bodyEnd(document: Document, from: number): number {
	let isArrow = false;
	let last = "";
	let typeEnd = from;
	for (const { at, sign } of signsAfter(document, from, HEAD_LINES_MAX)) {
		if (at < typeEnd) continue;
		const isType = !isArrow && /[:|&<,]/.test(last);
		last = sign;
		if (sign === "{" && isType) typeEnd = closeOf(document, at) + 1;
		else if (sign === "{") return closeOf(document, at);
		if (isArrow) return expressionEnd(document, at);
		if (sign === ";") return at;
		isArrow = sign === ">" && "=-".includes(document.text.slice(at - 1, at)) && !isReturnType(document);
	}
	return document.text.lineEnd(document.text.lineAt(Math.min(from, document.text.length)));
}

/** Where an arrow says what a function returns, and a body follows. */
function isReturnType({ languageId }: Document): boolean {
	return languageId === "rust" || languageId === "cpp" || languageId === "php";
}

/** Where an expression ends: at what closes the brackets that it stands in, or separates it from the next one. */
function expressionEnd(document: Document, from: number): number {
	const { text } = document;
	const isEnclosed = openAt(document, from).some(({ code }) => code !== BRACE_OPEN);
	let depth = 0;
	let line = text.lineAt(from);
	let last = from;
	for (const { at, sign } of signsAfter(document, from, EXPRESSION_LINES_MAX)) {
		const isNext = text.lineAt(at) !== line;
		if (isNext && depth === 0 && !isEnclosed && !/[.?:&|+*/%=<>-]/.test(sign)) return last;
		line = text.lineAt(at);
		if ("([{".includes(sign)) depth++;
		else if (")]}".includes(sign)) depth--;
		if (depth < 0 || (depth === 0 && (sign === "," || sign === ";"))) return at;
		last = at + 1;
	}
	return last;
}

/** The first character of each token after an offset, but for white space and comments. */
function* signsAfter(document: Document, from: number, lines: number): Iterable<{ at: number; sign: string }> {
	const { text } = document;
	if (from >= text.length) return;
	const first = text.lineAt(from);
	for (let line = first; line < Math.min(first + lines, text.lineCount); line++) {
		for (const token of tokensIn(document, text.lineStart(line), text.lineEnd(line))) {
			if (token.from < from || token.kind === "space" || token.kind === "comment") continue;
			yield { at: token.from, sign: token.kind === "string" ? '"' : text.slice(token.from, token.from + 1) };
		}
	}
}
