// How languages are written, as far as colours and indentation go. All patterns are sticky, look at one line, and take time in
// proportion to what they match.

export interface ColourSyntax {
	readonly keywords: ReadonlySet<string>;
	/** Words that are values: `true`, `null`. */
	readonly atoms: ReadonlySet<string>;
	/** The language's own types. Other names are types by how they are written. */
	readonly types: ReadonlySet<string>;
	/** What the name after a keyword is. */
	readonly declares: ReadonlyMap<string, Declared>;
	readonly lineComment: string;
	readonly regions: readonly ColourRegion[];
	/** What is read before names and numbers: the first that fits. */
	readonly literals: readonly Literal[];
	/** Whether a block begins after a colon, and ends where its lines do. */
	readonly hasColonBlocks: boolean;
	/** Whether a name with a capital is one that others may use, and need not be a type. */
	readonly exportsCapitals: boolean;
}

export type Colour = "keyword" | "atom" | "typeName" | "comment" | "string" | "number" | "meta" | Declared;

type Declared = "typeName" | "variableName.function" | "variableName.definition";

/** A comment or string that is read up to what closes it. */
export interface ColourRegion {
	readonly colour: "comment" | "string";
	/** Its first group, where it has one, is what closes it. */
	readonly open: RegExp;
	readonly close: string;
	/** What opens another one inside, that has to be closed, too. */
	readonly nested?: string;
	/** What opens a stretch of code in it, up to a brace. Doubled, a single brace is a brace. */
	readonly hole?: "${" | "{";
	readonly hasEscapes: boolean;
	/** Whether it ends with the line, closed or not, unless the line end is escaped. */
	readonly isOneLine: boolean;
}

interface Literal {
	readonly colour: Colour;
	readonly pattern: RegExp;
	/** Stands only where a value can begin. */
	readonly isValue?: boolean;
}

const STARS = region("comment", /\/\*/y, "*/");
const DOUBLE = quoted(/"/y, '"');
const SINGLE = quoted(/'/y, "'");

export const SCRIPT_SYNTAX: ColourSyntax = {
	keywords:
		words(`abstract as async await break case catch class const continue debugger declare default delete do else enum
		export extends finally for function if implements import in infer instanceof interface keyof let namespace new
		private protected public readonly return satisfies static super switch this throw try typeof var void while with
		yield`),
	atoms: words("false Infinity NaN null true undefined"),
	types: words("any bigint boolean never number object string symbol unknown"),
	declares: declaring({
		typeName: "class enum extends implements interface namespace new type",
		"variableName.function": "function",
		"variableName.definition": "const let var",
	}),
	lineComment: "//",
	regions: [STARS, DOUBLE, SINGLE, { ...region("string", /`/y, "`"), hole: "${", hasEscapes: true }],
	literals: [
		{ colour: "meta", pattern: /@[\w$]+(?:\.[\w$]+)*/y },
		// Words that are kept only where another follows.
		{ colour: "keyword", pattern: /\b(?:asserts|from|get|is|of|set|type|unique)\b(?=\s+[\w$"'[{*])/y },
		// An element, which unlike a comparison stands after no value.
		{ colour: "typeName", pattern: /(?<=<\/|(?<![\w)\]]\s?)<)[a-z][\w.-]*(?=[\s/>])/y },
		{
			colour: "string",
			pattern: /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[a-z]*/y,
			isValue: true,
		},
	],
	hasColonBlocks: false,
	exportsCapitals: false,
};

export const PYTHON_SYNTAX: ColourSyntax = {
	keywords:
		words(`and as assert async await break class continue def del elif else except finally for from global if import
		in is lambda nonlocal not or pass raise return try while with yield`),
	atoms: words("False None True"),
	types: words("bool bytes dict float int list object set str tuple"),
	declares: declaring({ typeName: "class", "variableName.function": "def", "variableName.definition": "for global" }),
	lineComment: "#",
	regions: [
		...["[ft]r?|r[ft]", "r?b|br?|u|r|"].flatMap((prefix, i) => {
			const holes = i === 0 ? { hole: "{" as const } : {};
			return [
				{ ...region("string", new RegExp(`(?:${prefix})("""|''')`, "iy"), '"""'), hasEscapes: true, ...holes },
				{ ...quoted(new RegExp(`(?:${prefix})(["'])`, "iy"), '"'), ...holes },
			];
		}),
	],
	literals: [
		{ colour: "meta", pattern: /(?<=^\s*)@[\w.]+/y },
		{ colour: "keyword", pattern: /(?<=^\s*)(?:match|case|type)\b(?=\s+[\w"'([{-])/y },
	],
	hasColonBlocks: true,
	exportsCapitals: false,
};

export const RUST_SYNTAX: ColourSyntax = {
	keywords:
		words(`as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move
		mut pub ref return self static struct super trait type unsafe use where while`),
	atoms: words("false true"),
	types: words("bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize Self"),
	declares: declaring({
		typeName: "enum impl struct trait type",
		"variableName.function": "fn",
		"variableName.definition": "const let mut static",
	}),
	lineComment: "//",
	regions: [
		{ ...STARS, nested: "/*" },
		// What closes a raw string is a quote and the signs that it was opened with.
		...["", "#", "##", "###"].map((signs) => region("string", new RegExp(`[bc]?r${signs}"`, "y"), `"${signs}`)),
		{ ...region("string", /[bc]?"/y, '"'), hasEscapes: true },
	],
	literals: [
		{ colour: "meta", pattern: /#!?\[[^\]]*\]?/y },
		{ colour: "string", pattern: /b?'(?:\\(?:u\{\w{1,8}\}|x\w\w|.)|[^'\\])'/uy },
		// A quote before a name that none is behind is a lifetime.
		{ colour: "typeName", pattern: /'[a-z_]\w*/y },
		{ colour: "variableName.function", pattern: /\b[a-z_]\w*!(?!=)/y },
	],
	hasColonBlocks: false,
	exportsCapitals: false,
};

export const GO_SYNTAX: ColourSyntax = {
	keywords:
		words(`break case chan const continue default defer else fallthrough for func go goto if import interface map
		package range return select struct switch type var`),
	atoms: words("false iota nil true"),
	types:
		words(`any bool byte complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string uint uint16
		uint32 uint64 uint8 uintptr`),
	declares: declaring({ typeName: "type", "variableName.function": "func", "variableName.definition": "const var" }),
	lineComment: "//",
	regions: [STARS, DOUBLE, SINGLE, region("string", /`/y, "`")],
	literals: [{ colour: "variableName.definition", pattern: /\b[a-z_]\w*(?=(?:,\s*\w+){0,4}\s*:=)/y }],
	hasColonBlocks: false,
	exportsCapitals: true,
};

function region(colour: ColourRegion["colour"], open: RegExp, close: string): ColourRegion {
	return { colour, open, close, hasEscapes: false, isOneLine: false };
}

function quoted(open: RegExp, close: string): ColourRegion {
	return { colour: "string", open, close, hasEscapes: true, isOneLine: true };
}

function words(written: string): ReadonlySet<string> {
	return new Set(written.split(/\s+/));
}

function declaring(written: Readonly<Record<Declared, string>>): ReadonlyMap<string, Declared> {
	const entries = Object.entries(written) as [Declared, string][];
	return new Map(entries.flatMap(([what, after]) => after.split(" ").map((word) => [word, what] as const)));
}
