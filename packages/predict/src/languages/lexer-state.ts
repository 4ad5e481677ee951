import { type Ends, NO_ENDS, type Region, type Syntax } from "./syntax.js";

// What the lexer has to know of the lines above one to read it, as a small value.

/** What must be known at the start of a line to read it. */
export interface LexerState {
	/** What is open there, innermost first. */
	readonly frame: Frame | undefined;
	/** Whether a value ends there, so that a slash divides; without one it begins a regular expression. */
	readonly isAfterValue: boolean;
}

/** Something that is open: a comment or string, the code in a string, or a part of an element of JSX. */
export interface Frame {
	readonly what: Region | "hole" | "tag" | "end-tag" | "children";
	/** What ends it. */
	readonly close: string;
	/** What opens another one like it inside, if anything does, and how many are open. */
	readonly nested: string;
	readonly depth: number;
	readonly outer: Frame | undefined;
	/** How many are open, this one included. */
	readonly height: number;
}

/** The state at the start of every text in a language. */
export function startStateOf({ start }: Syntax): LexerState {
	return start === undefined ? START : { frame: frameOf(start, NO_ENDS, undefined), isAfterValue: false };
}

export const START: LexerState = { frame: undefined, isAfterValue: false };

/** What the text is that something open consists of, unless that is code. */
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
