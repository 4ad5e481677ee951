import { CPP } from "./cpp.js";
import { CSHARP } from "./csharp.js";
import { GO } from "./go.js";
import { JAVA } from "./java.js";
import { JAVASCRIPT } from "./javascript.js";
import type { Language } from "./language.js";
import { OTHER_LANGUAGES } from "./other-languages.js";
import { PHP } from "./php.js";
import { PYTHON } from "./python.js";
import { RUBY } from "./ruby.js";
import { RUST } from "./rust.js";
import { type Syntax, syntax } from "./syntax.js";

const LANGUAGES: readonly Language[] = [
	...JAVASCRIPT,
	PYTHON,
	RUST,
	GO,
	JAVA,
	...CPP,
	CSHARP,
	RUBY,
	PHP,
	...OTHER_LANGUAGES,
];

const BY_ID: ReadonlyMap<string, Language> = new Map(
	LANGUAGES.flatMap((language) => language.ids.map((id) => [id, language] as const)),
);
// Asked for with every token, and a language has many shapes.
const SYNTAX_OF: ReadonlyMap<string, Syntax> = new Map(Array.from(BY_ID, ([id, language]) => [id, language.syntax]));
const PLAIN = syntax({ openings: [] });
const UNKNOWN: Language = { ids: [], syntax: PLAIN };

/** All that is known of a language; nothing of one that is not known. */
export function languageById(id: string): Language {
	return BY_ID.get(id) ?? UNKNOWN;
}

/** The syntax of a language. In one that is not known, nothing is a comment or a string: it may be prose. */
export function syntaxOf(languageId: string): Syntax {
	return SYNTAX_OF.get(languageId) ?? PLAIN;
}

/** Whether a language is one whose comments and strings are known. Others may be no code at all. */
export function isCode(languageId: string): boolean {
	return SYNTAX_OF.has(languageId);
}

/** Whether a language keeps a word for itself. Words that are kept only in some places, as `of` is, are names. */
export function isKeyword(languageId: string, word: string): boolean {
	return syntaxOf(languageId).keywords.has(word);
}
