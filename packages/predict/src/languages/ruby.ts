import { REGEX } from "./javascript.js";
import { ESCAPED, ESCAPED_IN_LINE, HASH, type Language } from "./language.js";
import { type Hole, region, syntax } from "./syntax.js";

const KEYWORDS = `BEGIN END __FILE__ __LINE__ alias and begin break case class def defined do else elsif end ensure false
	for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield`;

const HASH_BRACES: Hole = { open: /#\{/y, ends: ["{", "}"] };
const PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const IN_RUBY = { skip: ESCAPED, hole: HASH_BRACES, special: "\\#" } as const;

const SYNTAX = syntax({
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
	keywords: KEYWORDS,
	beforeValue: "and begin case do else elsif ensure if in not or return then unless until when while yield",
});

function heredoc(hole: Hole, sign: string, isValue: boolean) {
	const ends = ([, a, b, c]: RegExpExecArray) => ["", a ?? b ?? c ?? ""] as const;
	return { ends, isHeredoc: true, isValue, skip: ESCAPED_IN_LINE, hole, special: `\\${sign}` };
}

export const RUBY: Language = {
	ids: ["ruby"],
	syntax: SYNTAX,
	isIndented: true,
	hasNoDeclarations: true,
	hasSeparateMethods: true,
};
