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
