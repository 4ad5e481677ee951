import { type Ends, NO_ENDS, type Region, type Syntax } from "./syntax.js";

/** The lexer's state at the start of a line. */
export interface LexerState {
	/** The innermost open frame. */
	readonly frame: Frame | undefined;
	/**
	 * Whether the code before the line ends with a value, so that a slash is a division and not the start of a regular
	 * expression.
	 */
	readonly isAfterValue: boolean;
}

/** An open comment or string, code inside a string, or part of a JSX element. */
export interface Frame {
	readonly what: Region | "hole" | "tag" | "end-tag" | "children";
	/** The closing delimiter. */
	readonly close: string;
	/** The delimiter that opens a nested frame of the same kind; empty if such frames don't nest. */
	readonly nested: string;
	/** Nesting depth. */
	readonly depth: number;
	readonly outer: Frame | undefined;
	/** The number of open frames, including this one. */
	readonly height: number;
}

/** The state at the start of a text. */
export function startStateOf({ start }: Syntax): LexerState {
	return start === undefined ? START : { frame: frameOf(start, NO_ENDS, undefined), isAfterValue: false };
}

export const START: LexerState = { frame: undefined, isAfterValue: false };

/** The kind of text in a frame; undefined for code. */
export function partOfFrame(frame: Frame | undefined): "comment" | "string" | undefined {
	if (frame === undefined) return undefined;
	if (typeof frame.what === "object") return frame.what.kind;
	return frame.what === "children" ? "string" : undefined;
}

export function sameState(a: LexerState, b: LexerState): boolean {
	return a === b || (a.isAfterValue === b.isAfterValue && sameFrame(a.frame, b.frame));
}

function sameFrame(a: Frame | undefined, b: Frame | undefined): boolean {
	if (a === b) return true;
	if (a === undefined || b === undefined) return false;
	const isSame = a.what === b.what && a.close === b.close && a.nested === b.nested && a.depth === b.depth;
	return isSame && a.height === b.height && sameFrame(a.outer, b.outer);
}

export function frameOf(what: Frame["what"], [nested, close]: Ends, outer: Frame | undefined): Frame {
	return { what, close, nested, depth: 1, outer, height: heightOf(outer) + 1 };
}

export function heightOf(frame: Frame | undefined): number {
	return frame?.height ?? 0;
}

export function outsideOfMarkup(frame: Frame | undefined): Frame | undefined {
	let outside = frame;
	while (
		outside !== undefined &&
		(outside.what === "children" || outside.what === "tag" || outside.what === "end-tag")
	) {
		outside = outside.outer;
	}
	return outside;
}
