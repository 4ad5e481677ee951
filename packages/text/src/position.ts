import { advance, countBetween, isPair, type Unit } from "./rope.js";
import type { Text } from "./text.js";

// Only this file works with lines and characters. All other code uses offsets.

/** The unit of a position's `character`: bytes, UTF-16 code units or code points. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

/** A position in a protocol. Both members count from 0. */
export interface Position {
	readonly line: number;
	readonly character: number;
}

/** A range in a protocol. `end` is exclusive. */
export interface Range {
	readonly start: Position;
	readonly end: Position;
}

/** Returns the position of an offset. If the offset is inside a character, or between \r and \n, it is rounded down. */
export function positionAt(text: Text, offset: number, encoding: Encoding): Position {
	const whole = roundDown(text, offset);
	const { line, start } = text.locate(whole);
	const character = encoding === "utf-16" ? whole - start : countBetween(text.rope, start, whole, unitOf(encoding));
	return { line, character };
}

/**
 * Returns the offset of a position, by the rules of LSP 3.17: a character past the end of its line means the line's
 * end, and a line past the end of the text means the text's end. A position inside a character is rounded down to its
 * start.
 */
export function offsetOf(text: Text, position: Position, encoding: Encoding): number {
	const { line, character } = position;
	if (!(line >= 0 && character >= 0 && Number.isInteger(line) && Number.isInteger(character))) {
		throw new RangeError(`line ${line}, character ${character} is not a position`);
	}
	if (line >= text.lineCount) return text.length;
	const start = text.lineStart(line);
	const end = text.lineEnd(line);
	const most = encoding === "utf-8" ? 3 * (end - start) : end - start;
	if (character >= most) return end;
	if (encoding === "utf-16") return roundDown(text, start + character);
	return Math.min(advance(text.rope, start, character, unitOf(encoding)), end);
}

export function rangeAt(text: Text, from: number, to: number, encoding: Encoding): Range {
	return { start: positionAt(text, from, encoding), end: positionAt(text, to, encoding) };
}

/** Returns the offsets of a range. If the range is reversed, swaps its ends, as editors do. */
export function offsetsOf(text: Text, range: Range, encoding: Encoding): { from: number; to: number } {
	const start = offsetOf(text, range.start, encoding);
	const end = offsetOf(text, range.end, encoding);
	return start <= end ? { from: start, to: end } : { from: end, to: start };
}

/** Whether an offset is inside a character or between \r and \n, where no edit may start or end. */
export function splitsCharacter(text: Text, offset: number): boolean {
	const code = text.codeAt(offset);
	const mayBeSecond = code === 10 || (code >= 0xdc00 && code < 0xe000);
	return mayBeSecond && offset > 0 && isPair(text.codeAt(offset - 1), code);
}

export function roundDown(text: Text, offset: number): number {
	return splitsCharacter(text, offset) ? offset - 1 : offset;
}

export function roundUp(text: Text, offset: number): number {
	return splitsCharacter(text, offset) ? offset + 1 : offset;
}

function unitOf(encoding: "utf-8" | "utf-32"): Unit {
	return encoding === "utf-8" ? "bytes" : "points";
}
