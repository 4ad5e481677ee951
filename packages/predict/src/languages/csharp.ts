import { DIRECTIVES } from "./cpp.js";
import { ESCAPED_IN_LINE, type ImportSyntax, type Language, packageOf, SLASHES, STARS } from "./language.js";
import { type Hole, quoted, type Region, region, syntax } from "./syntax.js";

const KEYWORDS = `abstract as async await base bool break byte case catch char checked class const continue decimal
	default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
	interface internal is lock long namespace new null object operator out override params private protected public
	readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint
	ulong unchecked unsafe ushort using var virtual void volatile while yield`;

const BRACES: Hole = { open: /\{/y, ends: ["{", "}"] };

// Bounded, because each quote inside a raw string is compared with the whole delimiter. Real code uses far fewer.
const QUOTES = '("{3,16})';
const DOUBLED = /""/y;
const DOUBLED_OR_BRACES = /""|\{\{/y;

/** A raw string literal. An interpolation has as many braces as there are dollar signs. */
function rawString(dollars: string, brace: string): Region {
	return region(new RegExp(`${dollars}${QUOTES}`, "y"), dollars === "" ? '"' : "", {
		ends: ([, quotes = ""]) => ["", quotes],
		hole: brace === "" ? undefined : { open: new RegExp(brace.replaceAll("{", "\\{"), "y"), ends: endsOf(brace) },
		special: brace.slice(0, 1),
	});
}

function endsOf(brace: string): Hole["ends"] {
	return ["{", brace.replaceAll("{", "}")];
}

const SYNTAX = syntax({
	openings: [
		SLASHES,
		STARS,
		...DIRECTIVES,
		rawString("", ""),
		rawString("\\$\\$", "{{"),
		rawString("\\$", "{"),
		region(/@\$"/y, "@", { ends: ["", '"'], skip: DOUBLED_OR_BRACES, hole: BRACES, special: '"{' }),
		region(/\$@"/y, "", { ends: ["", '"'], skip: DOUBLED_OR_BRACES, hole: BRACES, special: '"{' }),
		region(/@"/y, "@", { ends: ["", '"'], skip: DOUBLED, special: '"' }),
		{ kind: "identifier", signs: "@", pattern: /@[\p{L}_][\p{L}\p{N}\p{M}_]*/uy },
		region(/\$"/y, "", {
			ends: ["", '"'],
			isOneLine: true,
			skip: /\\[^\r\n]|\{\{/y,
			hole: BRACES,
			special: "\\{",
		}),
		quoted('"', ESCAPED_IN_LINE),
		quoted("'", ESCAPED_IN_LINE),
	],
	keywords: KEYWORDS,
});

export const CSHARP: Language = {
	ids: ["csharp"],
	syntax: SYNTAX,
	isTypeFirst: true,
	hasNamedLiterals: true,
	family: "csharp",
};

export const CSHARP_IMPORTS: ImportSyntax = {
	forms: [["whole", /^using\s+(?<module>(?<names>[\w.]+))\s*;/d]],
	write: (_name, { module }) => `using ${module};`,
	moduleOf: (other, document) => packageOf(other, document, /^namespace\s+([\w.]+)/m),
	exports: /^\s*public\s+(?:(?:abstract|partial|sealed|static)\s+)*(?:class|enum|interface|record|struct)\s+$/,
};
