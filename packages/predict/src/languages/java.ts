import { ESCAPED, ESCAPED_IN_LINE, type ImportSyntax, type Language, packageOf, SLASHES, STARS } from "./language.js";
import { quoted, region, syntax } from "./syntax.js";

const KEYWORDS = `abstract assert boolean break byte case catch char class const continue default do double else enum
	extends false final finally float for goto if implements import instanceof int interface long native new null package
	private protected public return short static strictfp super switch synchronized this throw throws transient true try
	var void volatile while`;

const SYNTAX = syntax({
	openings: [
		SLASHES,
		STARS,
		region(/"""/y, '"', { ends: ["", '"""'], skip: ESCAPED, special: "\\" }),
		quoted('"', ESCAPED_IN_LINE),
		quoted("'", ESCAPED_IN_LINE),
	],
	keywords: KEYWORDS,
});

export const JAVA: Language = {
	ids: ["java"],
	syntax: SYNTAX,
	isTypeFirst: true,
	hasSeparateMethods: true,
	hasNoSentences: true,
	hasNoPointers: true,
	family: "java",
};

export const JAVA_IMPORTS: ImportSyntax = {
	forms: [["named", /^import\s+(?<module>[\w.]+)\.(?<names>\w+)\s*;/d]],
	write: (name, { module }) => `import ${module}.${name};`,
	moduleOf: (other, document) => packageOf(other, document, /^package\s+([\w.]+)\s*;/m),
	exports: /^public\s+(?:(?:abstract|final|sealed|static)\s+)*(?:@?interface|class|enum|record)\s+$/,
};
