// The lexical syntax of a language, as tables for the lexer. All patterns are sticky, match within one line, and run
// in time linear in the length of the match or the line.

/** The lexical syntax of one or more languages. */
export interface Syntax {
	readonly keywords: ReadonlySet<string>;
	readonly number: RegExp;
	/** Openings, keyed by their first character code. */
	readonly starts: Openings;
	/** Openings that start with a word, such as strings with a prefix. */
	readonly prefixed: readonly Opening[];
	/** The region that a text starts in. */
	readonly start: Region | undefined;
	/** Whether the meaning of a character, such as a slash, depends on a value before it. */
	readonly hasValues: boolean;
	/** Words after which a value begins. */
	readonly beforeValue: ReadonlySet<string>;
	/** Openings inside a JSX tag; undefined if the language has no JSX. */
	readonly attributes: Openings | undefined;
}

export type Opening = Region | Literal;
export type Openings = readonly (readonly Opening[] | undefined)[];

/** A comment or string that is lexed step by step, because it may span lines or contain code. */
export interface Region {
	readonly kind: "comment" | "string";
	/** The possible first characters; empty if it starts with a word. */
	readonly signs: string;
	readonly open: RegExp;
	/** The delimiters: the one that opens a nested region, if regions can nest, and the one that closes the region. */
	readonly ends: (opened: RegExpExecArray) => Ends;
	/** Ends with the line if it is not closed before. */
	readonly isOneLine: boolean;
	/** Matches characters without a special meaning, such as an escaped or doubled quote. */
	readonly skip: RegExp | undefined;
	/** Interpolated code. */
	readonly hole: Hole | undefined;
	/** Matches an interpolated variable. */
	readonly variable: RegExp | undefined;
	/** Whether `skip`, `hole` or `variable` can start with a character code. */
	readonly isSpecial: readonly boolean[];
	/** The closing delimiter is not part of the region. */
	readonly keepsClose: boolean;
	/** Begins on the next line, and ends with a delimiter on a line of its own. */
	readonly isHeredoc: boolean;
	/** Cannot start right after a value, unless separated by a space. */
	readonly isValue: boolean;
}

/** A token matched by one pattern, within a line. */
export interface Literal {
	readonly kind: "comment" | "string" | "keyword" | "identifier";
	readonly signs: string;
	readonly pattern: RegExp;
	/** Cannot start right after a value, unless `mayStandApart` is set and a space separates them. */
	readonly isValue?: boolean;
	readonly mayStandApart?: boolean;
	/** A failed match may scan the rest of the line, so it is tried only once per line. */
	readonly isLong?: boolean;
}

export type Ends = readonly [opens: string, closes: string];

/** Interpolated code in a string. */
export interface Hole {
	readonly open: RegExp;
	readonly ends: Ends;
	/** Comment characters are part of a format specifier. */
	readonly hasNoComments?: boolean;
}

interface RegionParts extends Partial<Omit<Region, "ends" | "isSpecial" | "open" | "signs">> {
	readonly ends?: Ends | Region["ends"];
	/** The first characters of `skip`, `hole` and `variable`. */
	readonly special?: string;
}

export const NO_ENDS: Ends = ["", ""];

export function region(open: RegExp, signs: string, parts: RegionParts): Region {
	const { ends = NO_ENDS, special = "" } = parts;
	return {
		kind: parts.kind ?? "string",
		signs,
		open,
		ends: typeof ends === "function" ? ends : () => ends,
		isOneLine: parts.isOneLine ?? false,
		skip: parts.skip,
		hole: parts.hole,
		variable: parts.variable,
		isSpecial: Array.from({ length: 128 }, (_, code) => special.includes(String.fromCharCode(code))),
		keepsClose: parts.keepsClose ?? false,
		isHeredoc: parts.isHeredoc ?? false,
		isValue: parts.isValue ?? false,
	};
}

export function lineComment(open: RegExp, signs: string): Region {
	return region(open, signs, { kind: "comment", isOneLine: true });
}

/** A quoted string that ends with its line, unless `skip` matches an escaped line break. */
export function quoted(quote: string, skip: RegExp): Region {
	return region(new RegExp(quote, "y"), quote, { ends: ["", quote], isOneLine: true, skip, special: "\\" });
}

interface SyntaxParts {
	readonly openings: readonly Opening[];
	readonly keywords?: string;
	readonly number?: RegExp;
	readonly start?: Region;
	readonly beforeValue?: string;
	readonly attributes?: readonly Opening[];
}

const NUMBER = /0[xXbBoO][\da-fA-F_]+\w*|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?\w*/y;

export function syntax({ openings, keywords = "", number = NUMBER, ...parts }: SyntaxParts): Syntax {
	return {
		keywords: wordSet(keywords),
		number,
		starts: bySign(openings),
		prefixed: openings.filter(({ signs }) => signs === ""),
		start: parts.start,
		hasValues: parts.beforeValue !== undefined,
		beforeValue: wordSet(parts.beforeValue ?? ""),
		attributes: parts.attributes && bySign(parts.attributes),
	};
}

export function wordSet(words: string): ReadonlySet<string> {
	return new Set(words.split(/\s+/));
}

function bySign(openings: readonly Opening[]): Openings {
	return Array.from({ length: 128 }, (_, code) => {
		const here = openings.filter(({ signs }) => signs.includes(String.fromCharCode(code)));
		return here.length > 0 ? here : undefined;
	});
}

export type TokenKind = "comment" | "string" | "identifier" | "keyword" | "number" | "punctuation" | "space";

export interface SyntaxToken {
	readonly from: number;
	readonly to: number;
	readonly kind: TokenKind;
	/** The token's comment or string continues after the token. */
	readonly isOpen: boolean;
}

/** Receives tokens, or only the brackets in code, in order. */
export interface TokenListener {
	token?(from: number, to: number, kind: TokenKind, isOpen: boolean): void;
	bracket?(at: number, code: number): void;
}
