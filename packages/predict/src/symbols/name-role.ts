import type { Document } from "@segue/text";
import { BRACE_OPEN, type Bracket, PARENTHESIS_OPEN } from "../languages/brackets.js";
import { type DeclarationReach, declarationAt } from "../languages/identifiers.js";
import { languageById } from "../languages/languages.js";
import { tokenAt } from "../languages/parts.js";
import { isIndented, openAt, scopeOf } from "../languages/scope.js";
import { VersionCache } from "../version-cache.js";
import { codeAfter, codeBefore, hasMarkup, purposeOf, statementAtEnd } from "./code-context.js";

/**
 * The role of a name, derived from the code and brackets around it:
 *
 * - `declaration`: `const name`, `function name`, a parameter.
 * - `pattern`: a destructured variable: `const { name } = a`. A rename must keep the key.
 * - `shorthand`: a variable and a key in one: `f({ name })`. A rename must keep the key.
 * - `import`: declared here under the name used in another file: `import { name }`.
 * - `foreign`: the name used in another file: `import { name as other }`.
 * - `member`: `a.name`.
 * - `key`: `{ name: 1 }`.
 * - `field`: declares a member of a type: `interface A { name: string }`, a method.
 * - `argument`: a named argument: `f(name=1)`.
 * - `use`: anything else in code.
 */
export type Role =
	| "argument"
	| "declaration"
	| "field"
	| "foreign"
	| "import"
	| "key"
	| "member"
	| "pattern"
	| "shorthand"
	| "use";

/** Returns the role of a name at an offset; undefined if the name is not a whole token in code. */
export function roleAt(document: Document, at: number, name: string): Role | undefined {
	let known = KNOWN.get(document.text);
	if (known === undefined || known.size >= ROLES_MAX) {
		known = new Map();
		KNOWN.set(document.text, known);
	}
	const key = `${at} ${name}`;
	if (!known.has(key)) known.set(key, findRole(document, at, name));
	return known.get(key);
}

// Most documents and positions stay the same from one request to the next.
const KNOWN = new VersionCache<Map<string, Role | undefined>>();
// More than a single request needs for several names.
const ROLES_MAX = 1000;

function findRole(document: Document, at: number, name: string): Role | undefined {
	const token = tokenAt(document, at);
	if (token?.from !== at || token.to !== at + name.length) return undefined;
	if (token.kind !== "identifier" && token.kind !== "keyword") return undefined;
	const whole = codeBefore(document, at);
	if (isLookedUp(document, whole)) return "member";
	const rest = codeAfter(document, token.to);
	if (hasMarkup(document.languageId) && /^=(?:\{|"")/.test(rest)) return "argument";
	const open = openAt(document, at);
	const place = { document, at, name, whole, before: whole.trimEnd(), after: rest.trimStart(), open };
	if (document.languageId === "python") return roleInPython(place);
	return roleInBrackets(place) ?? roleInStatement(place);
}

export function isMemberAccess(document: Document, at: number): boolean {
	return isLookedUp(document, codeBefore(document, at));
}

/** Whether a name is a key in an object literal, and not a typed parameter, which looks the same. */
export function isObjectKey(document: Document, at: number, name: string): boolean {
	return roleAt(document, at, name) === "key";
}

function isLookedUp({ languageId }: Document, before: string): boolean {
	return (
		/(?:(?<!\.)\.|::)\s*#?$/.test(before) || (languageById(languageId).hasArrows === true && /->\s*$/.test(before))
	);
}

interface Place {
	readonly document: Document;
	readonly at: number;
	readonly name: string;
	/** The code before the name. */
	readonly whole: string;
	/** The code before and after the name, without adjacent whitespace. */
	readonly before: string;
	readonly after: string;
	/** The brackets around the name. */
	readonly open: readonly Bracket[];
}

const FIRST = /[{,]$/;

/** Returns the role of a name in a list of names, keys or parameters; undefined if the brackets enclose a block. */
function roleInBrackets(place: Place): Role | undefined {
	const { document, before, after, open } = place;
	const purpose = purposeOf(document, open);
	const isKey = /^\??:(?!:)/.test(after);
	const isLast = /^[,}]/.test(after);
	switch (purpose) {
		case "import":
			return roleInImport(before, after);
		case "export":
			return /\bas$/.test(before) ? "foreign" : "use";
		case "object":
			if (FIRST.test(before) && isKey) return "key";
			if (FIRST.test(before) && isLast && hasShorthand(document.languageId)) return "shorthand";
			if (/(?:[{,]|\b(?:async|get|set)|[{,]\s*\*)$/.test(before) && /^(?:\(|<)/.test(after)) return "key";
			return undefined;
		case "pattern":
			if (FIRST.test(before) && isKey) return "key";
			if (innermost(open) === BRACE_OPEN && FIRST.test(before) && /^[,}=]/.test(after)) return "pattern";
			return /(?:[[,:]|\.{3})$/.test(before) && /^[,\]}=)]/.test(after) ? "declaration" : "use";
		case "type":
		case "class":
			return isField(place, purpose) ? "field" : undefined;
		case "parameters":
			return isParameter(place) ? "declaration" : "use";
		case "call":
			return /[(,]$/.test(before) && /^(?::(?!:)|=(?![=>]))/.test(after) && isNamed(document.languageId, after)
				? "argument"
				: undefined;
		default:
			return undefined;
	}
}

function innermost(open: readonly Bracket[]): number | undefined {
	return open.at(-1)?.code;
}

function roleInImport(before: string, after: string): Role {
	if (/\bas$/.test(before)) return "declaration";
	return /^as\b/.test(after) ? "foreign" : "import";
}

function hasShorthand(languageId: string): boolean {
	return languageId === "rust" || /^(?:java|type)script/.test(languageId);
}

/** Whether a language has named arguments with this separator. */
function isNamed(languageId: string, after: string): boolean {
	return after.startsWith(":")
		? /^(?:csharp|php|ruby|swift|dart)$/.test(languageId)
		: /^(?:kotlin|scala)$/.test(languageId);
}

const MODIFIERS =
	/(?:^|[{};,\n])\s*(?:@\w+(?:\([^()]*\))?\s+)*(?:(?:abstract|accessor|async|const|declare|export|final|get|internal|override|private|protected|pub(?:\([^()]*\))?|public|readonly|set|static|virtual|def|fn|func|fun)\s+|[*#])*$/;

/** Whether a name declares a member of a type: only modifiers or its type precede it. */
function isField({ document, whole, after, name }: Place, purpose: "class" | "type"): boolean {
	if (MODIFIERS.test(whole))
		return purpose === "class" ? /^(?:[?!]?:|[=(;<}]|$)/.test(after) : /^(?:\??:|[(,;}=<\w*[]|$)/.test(after);
	if (languageById(document.languageId).isTypeFirst && /[\w>\]]\s+$/.test(whole) && /^\(/.test(after)) return true;
	return declaredIn(whole, name, after) !== undefined;
}

/** Returns the kind of declaration for a name, based on its statement. */
function declaredIn(whole: string, name: string, after: string): DeclarationReach | undefined {
	const statement = lastLine(statementAtEnd(whole));
	return declarationAt(`${statement}${name}${after}`, statement.length, name);
}

/** Whether a name in a parameter list is a parameter, rather than a type or a default value. */
function isParameter({ before, after, document }: Place): boolean {
	const isFirst =
		/(?:[(,|]|\.{3}|[*&]|\b(?:mut|public|private|protected|readonly|final|ref|out|in|params|override))$/.test(before);
	if (document.languageId === "go") return isFirst && /^(?:,|[\w*[.(<])/.test(after);
	if (/^(?:java|type)script|^(?:rust|php|ruby)/.test(document.languageId)) {
		// In a union, a bar precedes a type.
		const isUnion = before.endsWith("|") && document.languageId !== "ruby";
		return isFirst && !isUnion && /^(?:[,)=]|\??:(?!:))/.test(after);
	}
	return /[\w>\]*&?]$/.test(before) && /^(?:[,)=]|\[)/.test(after);
}

const DECLARED =
	/\b(?:class|const|def|enum|fn|fun|func|function|interface|let|mod|module|namespace|static|struct|trait|type|union|val|var)\s*(?:\*\s*|\bmut|\bref)?$/;

/** Returns the role of a name in a statement. */
function roleInStatement({ document, at, name, whole, before, after, open }: Place): Role {
	const { languageId } = document;
	if (/\bfunc\s*\([^()]*\)$/.test(before)) return "field";
	if (DECLARED.test(before) && !/^\./.test(after)) return "declaration";
	if (/\bimport(?:\s+type)?$/.test(before) && /^(?:,|from\b)/.test(after)) return "declaration";
	if (/\bimport\b[^;\n]*\bas$/.test(before)) return "declaration";
	if (/^use\b|\n\s*(?:pub\s+)?use\b/.test(lastLine(before)) && languageId === "rust") return "import";
	if (/^=>/.test(after) || (languageId === "java" && /^->/.test(after))) return "declaration";
	if (languageId === "rust" && /\|(?:[^|;{}()]*,)?\s*(?:&|mut)*$/.test(before) && /^[|,:]/.test(after)) {
		return isClosure(before) ? "declaration" : "use";
	}
	if (innermost(open) !== BRACE_OPEN && innermost(open) !== undefined && innermost(open) !== PARENTHESIS_OPEN)
		return "use";
	if (/^(?:,\s*\w+\s*)*:=/.test(after) && /(?:^|[\n;{(]|,|\b(?:if|for|switch))\s*$/.test(before)) return "declaration";
	if (isIndented(languageId)) return isAssigned(document, at, after) ? "declaration" : "use";
	return declaredIn(whole, name, after) === "local" ? "declaration" : "use";
}

function lastLine(code: string): string {
	return code.slice(code.lastIndexOf("\n") + 1);
}

/** Whether a bar opens the parameters of a closure: no value precedes it. */
function isClosure(before: string): boolean {
	const bar = before.lastIndexOf("|");
	return /(?:[(,=]|\bmove|\breturn)\s*$/.test(before.slice(0, bar)) || bar === 0;
}

/** Whether a statement starts with an assignment to the name, which therefore declares it. */
function isAssigned({ text }: Document, at: number, after: string): boolean {
	const { start } = text.locate(at);
	return text.slice(start, at).trim() === "" && /^(?::[^=\n]+)?=(?![=~>])/.test(after);
}

function roleInPython({ document, at, whole, before, after, open }: Place): Role {
	const statement = lastLine(whole);
	const isInList = innermost(open) === PARENTHESIS_OPEN;
	const head = isInList ? codeBefore(document, open.at(-1)?.at ?? 0).trimEnd() : "";
	if (/^\s*from\b.*\bimport\b/.test(statement) || /\bimport$/.test(head)) return roleInImport(before, after);
	if (/^\s*import\b/.test(statement)) return /\bas$/.test(before) ? "declaration" : "import";
	if (/\b(?:def|class)$/.test(before)) return isInClass(document, at) ? "field" : "declaration";
	if (/\blambda\b[^:]*$/.test(statement) && /(?:\blambda|[,*])$/.test(before)) return "declaration";
	if (isInList && /\bdef\s+\w+(?:\[[^\]]*\])?$/.test(head)) {
		return /[(,*]$/.test(before) && /^[,):=]/.test(after) ? "declaration" : "use";
	}
	if (isInList && /[\w\])]$/.test(head) && !/\b(?:and|in|not|or|return|if|elif|while)$/.test(head)) {
		if (/[(,]$/.test(before) && /^=(?!=)/.test(after)) return "argument";
	}
	if (/\bas$/.test(before) && /^\s*(?:async\s+)?(?:with|except)\b/.test(statement)) return "declaration";
	if (/\bfor\b(?:(?!\bin\b).)*$/.test(statement) && /^(?:,|in\b|\))/.test(after)) return "declaration";
	if (open.length > 0) return "use";
	const isTarget = /^\s*(?:\w+\s*,\s*)*$/.test(statement) && /^(?:,\s*\w+\s*)*(?::[^=\n]+)?=(?!=)/.test(after);
	if (isTarget) return isInClass(document, at) ? "field" : "declaration";
	// A field without a value: `name: int`.
	const isAnnotated = statement.trim() === "" && /^:[ \t]*[^\s=][^=\n]*(?:\n|$)/.test(after);
	return isAnnotated && isInClass(document, at) ? "field" : "use";
}

/** Whether the innermost block around a line is a class. */
function isInClass(document: Document, at: number): boolean {
	const { text } = document;
	const line = text.lineAt(at);
	const depth = /^\s*/.exec(text.line(line))?.[0].length ?? 0;
	if (depth === 0) return false;
	const { from } = scopeOf(document, at);
	return /^\s*class\b/.test(text.line(text.lineAt(from)));
}
