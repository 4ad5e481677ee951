import { ESCAPED_IN_LINE, type ImportSyntax, type Language, SLASHES, STARS } from "./language.js";
import { quoted, region, syntax } from "./syntax.js";

const KEYWORDS = `any bool break byte case chan complex128 complex64 const continue default defer else error fallthrough
	false float32 float64 for func go goto if import int int16 int32 int64 int8 interface iota map nil package range return
	rune select string struct switch true type uint uint16 uint32 uint64 uint8 uintptr var`;

const SYNTAX = syntax({
	openings: [
		SLASHES,
		STARS,
		quoted('"', ESCAPED_IN_LINE),
		quoted("'", ESCAPED_IN_LINE),
		region(/`/y, "`", { ends: ["", "`"] }),
	],
	keywords: KEYWORDS,
});

export const GO: Language = {
	ids: ["go"],
	syntax: SYNTAX,
	hasBareConditions: true,
	hasNamedLiterals: true,
	hasNoSentences: true,
	family: "go",
};

export const GO_IMPORTS: ImportSyntax = {
	forms: [["whole", /^(?:import)?\s*"(?<module>(?:[^"\s]*\/)?(?<names>\w+))"/d]],
	write: (_name, { module }, { isListed }) => (isListed ? `"${module}"` : `import "${module}"`),
	builtins: new Set(),
};
