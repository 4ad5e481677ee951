import { CPP } from "./cpp.js";
import { CSHARP } from "./csharp.js";
import { GO } from "./go.js";
import { JAVA } from "./java.js";
import { JAVASCRIPT } from "./javascript.js";
import { type Language, SLASHES, STARS } from "./language.js";
import { PHP } from "./php.js";
import { PYTHON } from "./python.js";
import { RUBY } from "./ruby.js";
import { RUST } from "./rust.js";
import { type Literal, lineComment, type Syntax, syntax } from "./syntax.js";

// Languages described by little more than their comments and strings.

const KEYWORDS = `abstract and as async await break case catch class const continue def default defer do else elif end
	enum export extends extern false final finally fn for fun func function if import in interface is let local module
	namespace new nil none not null or override package private protected public return static struct super switch then
	this throw trait true try type typeof until use using val var void when where while with yield`;

// Quotes have other meanings in these languages, so a string must be closed on the same line.
const CLOSED_QUOTES: readonly Literal[] = [
	{ kind: "string", signs: '"', pattern: /"(?:\\.|[^"\\\r\n])*"/y, isLong: true },
	{ kind: "string", signs: "'", pattern: /'(?:\\.|[^'\\\r\n])*'/y, isLong: true },
];
const WITH_SLASHES = syntax({ openings: [SLASHES, STARS, ...CLOSED_QUOTES], keywords: KEYWORDS });
const WITH_STARS = syntax({ openings: [STARS, ...CLOSED_QUOTES] });
const WITH_HASHES = syntax({
	openings: [lineComment(/(?<![\w$&{])#/y, "#"), ...CLOSED_QUOTES],
	keywords: KEYWORDS,
});

const OTHERS: readonly Language[] = [
	{ ids: ["groovy", "json", "jsonc", "less", "scala", "scss", "zig"], syntax: WITH_SLASHES },
	{ ids: ["dart"], syntax: WITH_SLASHES, isTypeFirst: true },
	{ ids: ["kotlin"], syntax: WITH_SLASHES, hasSeparateMethods: true },
	{ ids: ["swift"], syntax: WITH_SLASHES, hasBareConditions: true, hasNamedLiterals: true },
	{ ids: ["css"], syntax: WITH_STARS },
	{ ids: ["coffeescript", "dockerfile", "makefile", "r", "toml"], syntax: WITH_HASHES },
	{ ids: ["elixir", "julia", "yaml"], syntax: WITH_HASHES, isIndented: true },
	{ ids: ["perl"], syntax: WITH_HASHES, hasArrows: true },
	{ ids: ["shellscript"], syntax: WITH_HASHES, hasNoDeclarations: true },
];

const LANGUAGES: readonly Language[] = [...JAVASCRIPT, PYTHON, RUST, GO, JAVA, ...CPP, CSHARP, RUBY, PHP, ...OTHERS];

const BY_ID: ReadonlyMap<string, Language> = new Map(
	LANGUAGES.flatMap((language) => language.ids.map((id) => [id, language] as const)),
);
// Syntaxes are looked up for every token, and reading them from differently shaped language objects is slower.
const SYNTAX_OF: ReadonlyMap<string, Syntax> = new Map(Array.from(BY_ID, ([id, language]) => [id, language.syntax]));
const PLAIN = syntax({ openings: [] });
const UNKNOWN: Language = { ids: [], syntax: PLAIN };

/** Returns the language with an id. An unknown language has no flags and a plain syntax. */
export function languageById(id: string): Language {
	return BY_ID.get(id) ?? UNKNOWN;
}

/**
 * Returns the syntax of a language. Text in an unknown language may be prose, so its syntax has no comments or
 * strings.
 */
export function syntaxOf(languageId: string): Syntax {
	return SYNTAX_OF.get(languageId) ?? PLAIN;
}

/** Whether the comments and strings of a language are known. Text in other languages may be prose. */
export function isCode(languageId: string): boolean {
	return SYNTAX_OF.has(languageId);
}

/** Whether a word is reserved in a language. Contextual keywords such as `of` are names. */
export function isKeyword(languageId: string, word: string): boolean {
	return syntaxOf(languageId).keywords.has(word);
}
