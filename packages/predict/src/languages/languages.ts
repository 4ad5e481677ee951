import * as keywords from "./keywords.js";
import { type Hole, type Literal, lineComment, quoted, type Region, region, type Syntax, syntax } from "./syntax.js";

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

const ESCAPED = /\\(?:\r\n|[\s\S])/y;
const ESCAPED_IN_LINE = /\\[^\r\n]/y;

const SLASHES = lineComment(/\/\//y, "/");
const STARS = region(/\/\*/y, "/", { kind: "comment", ends: ["", "*/"] });
const NESTED_STARS = region(/\/\*/y, "/", { kind: "comment", ends: ["/*", "*/"] });
const HASH = lineComment(/#/y, "#");

const DOLLAR_BRACES: Hole = { open: /\$\{/y, ends: ["{", "}"] };
const HASH_BRACES: Hole = { open: /#\{/y, ends: ["{", "}"] };
const BRACES: Hole = { open: /\{/y, ends: ["{", "}"] };

const PLAIN = syntax({ openings: [] });

const REGEX: Literal = {
	kind: "string",
	signs: "/",
	pattern: /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]|[^/\\[\r\n])+\/[a-z]*/y,
	isValue: true,
	isLong: true,
};

const SCRIPT = {
	openings: [
		{ kind: "comment", signs: "#", pattern: /(?<![^\r\n])#![^\r\n]*/y },
		SLASHES,
		STARS,
		REGEX,
		quoted('"', ESCAPED),
		quoted("'", ESCAPED),
		region(/`/y, "`", { ends: ["", "`"], skip: ESCAPED, hole: DOLLAR_BRACES, special: "\\$" }),
	],
	keywords: keywords.JAVASCRIPT,
	beforeValue: "await case default delete do else extends in instanceof new of return throw typeof void yield",
} as const;

// Attributes have no escapes, and go on over lines.
const WITH_MARKUP = {
	attributes: [region(/"/y, '"', { ends: ["", '"'] }), region(/'/y, "'", { ends: ["", "'"] }), SLASHES, STARS],
} as const;

const PYTHON = syntax({
	openings: [HASH, ...["", "(?:[rbu]|br|rb)", "(?:[ft]|[ft]r|r[ft])"].flatMap(pythonStrings)],
	keywords: keywords.PYTHON,
});

/** The strings with a prefix. In some there is code between braces; double ones are braces. */
function pythonStrings(prefix: string): Region[] {
	const hasHoles = prefix.includes("f");
	const signs = prefix === "" ? "\"'" : "";
	const rest = hasHoles
		? { skip: /\\(?:\r\n|[^{}])|\{\{/y, hole: { ...BRACES, hasNoComments: true }, special: "\\{" }
		: { skip: ESCAPED, special: "\\" };
	const ends = ([, quotes = ""]: RegExpExecArray) => ["", quotes] as const;
	return [
		region(new RegExp(`${prefix}("""|''')`, "iy"), signs, { ends, ...rest }),
		region(new RegExp(`${prefix}(["'])`, "iy"), signs, { ends, isOneLine: true, ...rest }),
	];
}

const RUST = syntax({
	openings: [
		SLASHES,
		NESTED_STARS,
		// A quote before a name is a lifetime, unless there is one behind it too.
		{ kind: "string", signs: "'", pattern: /'(?:\\(?:u\{\w{1,8}\}|x\w\w|[^\r\n])|[^'\\\r\n])'/uy },
		{ kind: "identifier", signs: "'", pattern: /'[\p{L}_][\p{L}\p{N}\p{M}_]*/uy },
		{ kind: "string", signs: "", pattern: /b'(?:\\(?:x\w\w|[^\r\n])|[^'\\\r\n])'/y },
		{ kind: "identifier", signs: "", pattern: /r#(?=[\p{L}_])[\p{L}\p{N}\p{M}_]+/uy },
		// As many signs as rustc takes.
		region(/[bc]?r(#{0,255})"/y, "", { ends: ([, signs = ""]) => ["", `"${signs}`] }),
		region(/[bc]"/y, "", { ends: ["", '"'], skip: ESCAPED, special: "\\" }),
		region(/"/y, '"', { ends: ["", '"'], skip: ESCAPED, special: "\\" }),
	],
	keywords: keywords.RUST,
});

const GO = syntax({
	openings: [
		SLASHES,
		STARS,
		quoted('"', ESCAPED_IN_LINE),
		quoted("'", ESCAPED_IN_LINE),
		region(/`/y, "`", { ends: ["", "`"] }),
	],
	keywords: keywords.GO,
});

const JAVA = syntax({
	openings: [
		SLASHES,
		STARS,
		region(/"""/y, '"', { ends: ["", '"""'], skip: ESCAPED, special: "\\" }),
		quoted('"', ESCAPED_IN_LINE),
		quoted("'", ESCAPED_IN_LINE),
	],
	keywords: keywords.JAVA,
});

// A line that begins with # is for the preprocessor: what it includes is a string, what it says is a comment.
const DIRECTIVES: readonly Literal[] = [
	{ kind: "comment", signs: "#", pattern: /(?<=^[ \t]*)#[ \t]*(?:region|endregion|error|warning)\b[^\r\n]*/my },
	{ kind: "keyword", signs: "#", pattern: /(?<=^[ \t]*)#[ \t]*\w+/my },
	{ kind: "string", signs: "<", pattern: /(?<=^[ \t]*#[ \t]*(?:include|import)[ \t]*)<[^<>\r\n]*>/my },
];

const NUMBER_WITH_QUOTES = /\d(?:'?\w)*(?:\.\d(?:'?\w)*)?(?:(?<=[eEpP])[+-]\d+)?\w*/y;

const C_OPENINGS = [
	region(/\/\//y, "/", { kind: "comment", isOneLine: true, skip: /\\(?:\r\n|[\r\n])/y, special: "\\" }),
	STARS,
	...DIRECTIVES,
	quoted('"', ESCAPED),
	quoted("'", ESCAPED),
	region(/(?:L|u8|u|U)(["'])/y, "", {
		ends: ([, quote = ""]) => ["", quote],
		isOneLine: true,
		skip: ESCAPED,
		special: "\\",
	}),
] as const;
const RAW_C = region(/(?:L|u8|u|U)?R"([^()\\\s]{0,16})\(/y, "", { ends: ([, sign = ""]) => ["", `)${sign}"`] });

const C = syntax({ openings: C_OPENINGS, keywords: keywords.C, number: NUMBER_WITH_QUOTES });
const CPP = syntax({ openings: [...C_OPENINGS, RAW_C], keywords: keywords.CPP, number: NUMBER_WITH_QUOTES });

// More quotes than this around a raw string have not been seen, and each quote inside is compared with all of them.
const CSHARP_QUOTES = '("{3,16})';
const DOUBLED = /""/y;
const DOUBLED_OR_BRACES = /""|\{\{/y;

/** A raw string of C#. Its code stands between as many braces as there are dollar signs. */
function rawOfCsharp(dollars: string, brace: string): Region {
	return region(new RegExp(`${dollars}${CSHARP_QUOTES}`, "y"), dollars === "" ? '"' : "", {
		ends: ([, quotes = ""]) => ["", quotes],
		hole: brace === "" ? undefined : { open: new RegExp(brace.replaceAll("{", "\\{"), "y"), ends: endsOf(brace) },
		special: brace.slice(0, 1),
	});
}

function endsOf(brace: string): Hole["ends"] {
	return ["{", brace.replaceAll("{", "}")];
}

const CSHARP = syntax({
	openings: [
		SLASHES,
		STARS,
		...DIRECTIVES,
		rawOfCsharp("", ""),
		rawOfCsharp("\\$\\$", "{{"),
		rawOfCsharp("\\$", "{"),
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
	keywords: keywords.CSHARP,
});

const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const IN_RUBY = { skip: ESCAPED, hole: HASH_BRACES, special: "\\#" } as const;

const RUBY = syntax({
	openings: [
		region(/(?<![^\r\n])=begin\b/y, "=", { kind: "comment", ends: ["", "=end"] }),
		region(/(?<![^\r\n])__END__(?=[\r\n])/y, "", { kind: "comment" }),
		HASH,
		{ kind: "string", signs: "?", pattern: /\?["'`#/](?!\w)/y, isValue: true },
		{ ...REGEX, mayStandApart: true },
		region(/"/y, '"', { ends: ["", '"'], ...IN_RUBY }),
		region(/`/y, "`", { ends: ["", "`"], ...IN_RUBY }),
		region(/'/y, "'", { ends: ["", "'"], skip: ESCAPED, special: "\\" }),
		region(/%[wWiIqQrsx]?([^\w\s=])/y, "%", {
			ends: ([, sign = ""]) => [PAIRS[sign] === undefined ? "" : sign, PAIRS[sign] ?? sign],
			...IN_RUBY,
			isValue: true,
		}),
		region(/<<[~-](?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)"|([A-Z_]\w*))/y, "<", heredoc(HASH_BRACES, "#", false)),
		region(/<<(?:'([A-Z_]\w*)'|"([A-Z_]\w*)"|([A-Z_][A-Z_\d]*)\b)/y, "<", heredoc(HASH_BRACES, "#", true)),
	],
	keywords: keywords.RUBY,
	beforeValue: "and begin case do else elsif ensure if in not or return then unless until when while yield",
});

function heredoc(hole: Hole, sign: string, isValue: boolean) {
	const ends = ([, a, b, c]: RegExpExecArray) => ["", a ?? b ?? c ?? ""] as const;
	return { ends, isHeredoc: true, isValue, skip: ESCAPED_IN_LINE, hole, special: `\\${sign}` };
}

const PHP_HOLES = {
	hole: { open: /\{(?=\$)/y, ends: ["{", "}"] },
	variable: /\$[a-zA-Z_]\w*/y,
	special: "\\{$",
} as const;

const PHP = syntax({
	openings: [
		region(/\/\/|#(?!\[)/y, "/#", { kind: "comment", isOneLine: true, ends: ["", "?>"], keepsClose: true }),
		STARS,
		region(/"/y, '"', { ends: ["", '"'], skip: ESCAPED, ...PHP_HOLES }),
		region(/'/y, "'", { ends: ["", "'"], skip: ESCAPED, special: "\\" }),
		region(/`/y, "`", { ends: ["", "`"], skip: ESCAPED, ...PHP_HOLES }),
		region(/<<<[ \t]*'([a-zA-Z_]\w*)'/y, "<", { ends: ([, name = ""]) => ["", name], isHeredoc: true }),
		region(/<<<[ \t]*"?([a-zA-Z_]\w*)"?/y, "<", {
			ends: ([, name = ""]) => ["", name],
			isHeredoc: true,
			skip: ESCAPED_IN_LINE,
			...PHP_HOLES,
		}),
	],
	keywords: keywords.PHP,
	// What stands around the code is put out as it is.
	start: region(/(?!)/y, "", { hole: { open: /<\?(?:php\b|=)?/y, ends: ["", "?>"] }, special: "<" }),
});

// Where quotes have other meanings too, only what is closed on the same line is a string.
const CLOSED_QUOTES: readonly Literal[] = [
	{ kind: "string", signs: '"', pattern: /"(?:\\.|[^"\\\r\n])*"/y, isLong: true },
	{ kind: "string", signs: "'", pattern: /'(?:\\.|[^'\\\r\n])*'/y, isLong: true },
];
const WITH_SLASHES = syntax({ openings: [SLASHES, STARS, ...CLOSED_QUOTES], keywords: keywords.COMMON });
const WITH_STARS = syntax({ openings: [STARS, ...CLOSED_QUOTES] });
const WITH_HASHES = syntax({
	openings: [lineComment(/(?<![\w$&{])#/y, "#"), ...CLOSED_QUOTES],
	keywords: keywords.COMMON,
});

const TYPED_SCRIPT = { ...SCRIPT, keywords: keywords.TYPESCRIPT };
const SYNTAXES: readonly (readonly [Syntax, string])[] = [
	[syntax({ ...SCRIPT, ...WITH_MARKUP }), "javascript javascriptreact"],
	[syntax(TYPED_SCRIPT), "typescript"],
	[syntax({ ...TYPED_SCRIPT, ...WITH_MARKUP }), "typescriptreact"],
	[PYTHON, "python"],
	[RUST, "rust"],
	[GO, "go"],
	[JAVA, "java"],
	[C, "c objective-c"],
	[CPP, "cpp objective-cpp"],
	[CSHARP, "csharp"],
	[RUBY, "ruby"],
	[PHP, "php"],
	[WITH_SLASHES, "dart groovy json jsonc kotlin less scala scss swift zig"],
	[WITH_STARS, "css"],
	[WITH_HASHES, "coffeescript dockerfile elixir julia makefile perl r shellscript toml yaml"],
];
const SYNTAX_OF = new Map(SYNTAXES.flatMap(([one, ids]) => ids.split(" ").map((id) => [id, one] as const)));
