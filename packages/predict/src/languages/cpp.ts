import { ESCAPED, type Language, STARS } from "./language.js";
import { type Literal, quoted, region, syntax } from "./syntax.js";

const C_KEYWORDS = `auto bool break case char const continue default do double else enum extern false float for goto if inline
	int long register restrict return short signed sizeof static struct switch true typedef union unsigned void volatile
	while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local NULL`;

const CPP_KEYWORDS = `${C_KEYWORDS} alignas alignof and asm bitand bitor catch char16_t char32_t char8_t class co_await co_return
	co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export friend
	mutable namespace new noexcept not nullptr operator or private protected public reinterpret_cast requires
	static_assert static_cast template this thread_local throw try typeid typename using virtual wchar_t xor`;

// Preprocessor directives. An included file name is a string, and the text of a region or message is a comment.
export const DIRECTIVES: readonly Literal[] = [
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

const C_SYNTAX = syntax({ openings: C_OPENINGS, keywords: C_KEYWORDS, number: NUMBER_WITH_QUOTES });
const CPP_SYNTAX = syntax({ openings: [...C_OPENINGS, RAW_C], keywords: CPP_KEYWORDS, number: NUMBER_WITH_QUOTES });

const COMMON = { isTypeFirst: true, hasArrows: true } as const;

/** C, C++, Objective-C and Objective-C++. */
export const CPP: readonly Language[] = [
	{ ids: ["c"], syntax: C_SYNTAX, hasDirectives: true, hasNoSentences: true, ...COMMON },
	{ ids: ["objective-c"], syntax: C_SYNTAX, ...COMMON },
	{ ids: ["cpp"], syntax: CPP_SYNTAX, hasDirectives: true, hasNoSentences: true, hasNamedLiterals: true, ...COMMON },
	{ ids: ["objective-cpp"], syntax: CPP_SYNTAX, ...COMMON },
];
