// The words that the tables of languages are written in: what the lexer has to know of a language to tell its tokens.
// All patterns are sticky, look at no other line, and take time in proportion to what they match or to the line.

/** How a family of languages is written. */
export interface Syntax {
	readonly keywords: ReadonlySet<string>;
	readonly number: RegExp;
	/** What may begin at a sign, by the sign's code. */
	readonly starts: Openings;
	/** What may begin with a word: a string with a prefix. */
	readonly prefixed: readonly Opening[];
	/** What the text is in before it begins. */
	readonly start: Region | undefined;
	/** Whether it matters if a value has ended, because then a slash divides. */
	readonly hasValues: boolean;
	/** Words that no value ends with. */
	readonly beforeValue: ReadonlySet<string>;
	/** What may begin in a tag of JSX, where the language has that. */
	readonly attributes: Openings | undefined;
}

export type Opening = Region | Literal;
export type Openings = readonly (readonly Opening[] | undefined)[];

/** A comment or a string that is read step by step, because it may go on over lines or have code in it. */
export interface Region {
	readonly kind: "comment" | "string";
	/** The signs that it may begin with; none where it begins with a word. */
	readonly signs: string;
	readonly open: RegExp;
	/** What opens another one inside, if anything does, and what closes it. */
	readonly ends: (opened: RegExpExecArray) => Ends;
	/** It ends with the line, if not before. */
	readonly isOneLine: boolean;
	/** What stands for itself in it: an escaped quote, a doubled one. */
	readonly skip: RegExp | undefined;
	/** Code in it. */
	readonly hole: Hole | undefined;
	/** A name in it that is code too. */
	readonly variable: RegExp | undefined;
	/** The codes of the signs that these three begin with. */
	readonly isSpecial: readonly boolean[];
	/** What closes it is no part of it. */
	readonly keepsClose: boolean;
	/** It begins on the next line, and ends with a line of its own. */
	readonly isHeredoc: boolean;
	/** It does not begin where a value has ended, unless it stands apart from that. */
	readonly isValue: boolean;
}

/** What is found by one pattern, on one line. */
export interface Literal {
	readonly kind: "comment" | "string" | "keyword" | "identifier";
	readonly signs: string;
	readonly pattern: RegExp;
	/** It does not begin where a value has ended, unless it may stand apart from that and does. */
	readonly isValue?: boolean;
	readonly mayStandApart?: boolean;
	/** Looking for its end in vain can take the rest of the line, and so is done once a line. */
	readonly isLong?: boolean;
}

export type Ends = readonly [opens: string, closes: string];

/** How code in a string begins and ends. */
export interface Hole {
	readonly open: RegExp;
	readonly ends: Ends;
	/** Signs that begin comments elsewhere say how the value is to be written. */
	readonly hasNoComments?: boolean;
}

interface RegionParts extends Partial<Omit<Region, "ends" | "isSpecial" | "open" | "signs">> {
	readonly ends?: Ends | Region["ends"];
	/** The signs that `skip`, `hole` and `variable` begin with. */
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

/** A string between quotes that ends with its line, unless `skip` says that an escaped line end lets it go on. */
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
	/** The comment or string that it belongs to is still open at its end. */
	readonly isOpen: boolean;
}

/** Told of every token in turn, or only of the brackets in code. */
export interface TokenListener {
	token?(from: number, to: number, kind: TokenKind, isOpen: boolean): void;
	bracket?(at: number, code: number): void;
}
