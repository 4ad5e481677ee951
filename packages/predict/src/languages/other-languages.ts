import { type Language, SLASHES, STARS } from "./language.js";
import { type Literal, lineComment, syntax } from "./syntax.js";

// Languages of which little more is known than how they write comments.

const KEYWORDS = `abstract and as async await break case catch class const continue def default defer do else elif end
	enum export extends extern false final finally fn for fun func function if import in interface is let local module
	namespace new nil none not null or override package private protected public return static struct super switch then
	this throw trait true try type typeof until use using val var void when where while with yield`;

// Where quotes have other meanings too, only what is closed on the same line is a string.
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

export const OTHER_LANGUAGES: readonly Language[] = [
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
