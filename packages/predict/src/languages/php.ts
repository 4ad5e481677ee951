import { ESCAPED, ESCAPED_IN_LINE, type ImportSyntax, type Language, packageOf, STARS } from "./language.js";
import { region, syntax } from "./syntax.js";

const KEYWORDS = `abstract and array as bool break callable case catch class clone const continue declare default do echo
	else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends false final finally float fn for
	foreach function global goto if implements include include_once instanceof insteadof int interface isset iterable list
	match mixed namespace never new null or parent print private protected public readonly require require_once return
	self static string switch throw trait true try unset use var void while xor yield`;

const HOLES = {
	hole: { open: /\{(?=\$)/y, ends: ["{", "}"] },
	variable: /\$[a-zA-Z_]\w*/y,
	special: "\\{$",
} as const;

const SYNTAX = syntax({
	openings: [
		region(/\/\/|#(?!\[)/y, "/#", { kind: "comment", isOneLine: true, ends: ["", "?>"], keepsClose: true }),
		STARS,
		region(/"/y, '"', { ends: ["", '"'], skip: ESCAPED, ...HOLES }),
		region(/'/y, "'", { ends: ["", "'"], skip: ESCAPED, special: "\\" }),
		region(/`/y, "`", { ends: ["", "`"], skip: ESCAPED, ...HOLES }),
		region(/<<<[ \t]*'([a-zA-Z_]\w*)'/y, "<", { ends: ([, name = ""]) => ["", name], isHeredoc: true }),
		region(/<<<[ \t]*"?([a-zA-Z_]\w*)"?/y, "<", {
			ends: ([, name = ""]) => ["", name],
			isHeredoc: true,
			skip: ESCAPED_IN_LINE,
			...HOLES,
		}),
	],
	keywords: KEYWORDS,
	// Text outside the code is output as it is.
	start: region(/(?!)/y, "", { hole: { open: /<\?(?:php\b|=)?/y, ends: ["", "?>"] }, special: "<" }),
});

export const PHP: Language = {
	ids: ["php"],
	syntax: SYNTAX,
	hasArrows: true,
	hasSeparateMethods: true,
	hasNoSentences: true,
	hasNoPointers: true,
	family: "php",
};

export const PHP_IMPORTS: ImportSyntax = {
	forms: [["named", /^use\s+(?<module>[\w\\]+)\\(?<names>\w+)\s*;/d]],
	write: (name, { module }) => `use ${module}\\${name};`,
	moduleOf: (other, document) => packageOf(other, document, /^namespace\s+([\w\\]+)\s*;/m),
	exports: /^(?:(?:abstract|final)\s+)*(?:class|enum|interface|trait)\s+$/,
};
