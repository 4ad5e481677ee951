import { maskKeys } from "@segue/text";
import { ToolError } from "../failures.js";

// A few occurrences are enough to show the model that the text is ambiguous.
const OCCURRENCES_SHOWN_MAX = 10;
// Lines less similar than this are not the same line with a typo.
const SIMILARITY_MIN = 0.5;
// Context lines around the nearest line.
const LINES_AROUND = 3;
// Comparing more lines takes longer than reading the file again.
const LINES_COMPARED_MAX = 50_000;
// The start of a long line is enough to compare.
const CHARACTERS_COMPARED_MAX = 200;

/**
 * Replaces the only occurrence of `old`, or all of them. Matches \n and \r\n alike, because models don't see the
 * difference, and inserts the kind of line endings that the text uses. Does not find text inside masked keys. Throws a
 * `ToolError` that tells the model what to do instead.
 */
export function replaceExactly(text: string, old: string, now: string, all: boolean): string {
	const sought = withLf(old);
	if (sought === "") throw new ToolError("old_text is empty. To create a file, use write_file.");
	const plain = withLf(text);
	// A mask is as long as its key. Searching the masked text keeps a model from guessing keys. An occurrence must
	// match the original text as well, or part of the mask could replace part of the key.
	const masked = maskKeys(plain);
	const found = occurrencesOf(masked, sought).filter((at) => plain.startsWith(sought, at));
	if (found.length === 0) throw new ToolError(`old_text is not in the file. ${nearest(masked, sought)}`);
	if (found.length > 1 && !all) {
		const lines = found.slice(0, OCCURRENCES_SHOWN_MAX).map((at) => lineAt(plain, at));
		const more = found.length > OCCURRENCES_SHOWN_MAX ? " and more" : "";
		throw new ToolError(
			`old_text occurs ${found.length} times, on lines ${lines.join(", ")}${more}. ` +
				"Include more surrounding lines to make it unique, or set all to replace every occurrence.",
		);
	}
	const insert = withLineEndsOf(text, now);
	const offsetOf = offsetsIn(text);
	let result = "";
	let at = 0;
	for (const from of found) {
		result += text.slice(at, offsetOf(from)) + insert;
		at = offsetOf(from + sought.length);
	}
	result += text.slice(at);
	if (result === text) throw new ToolError("old_text and new_text are the same, so nothing would change.");
	return result;
}

/** Converts line endings in `text` to those that `other` mostly uses. */
export function withLineEndsOf(other: string, text: string): string {
	const lf = withLf(text);
	const ends = other.match(/\r?\n/g) ?? [];
	const isCrlf = ends.filter((end) => end === "\r\n").length > ends.length / 2;
	return isCrlf ? lf.replaceAll("\n", "\r\n") : lf;
}

function withLf(text: string): string {
	return text.replaceAll("\r\n", "\n");
}

function occurrencesOf(text: string, sought: string): number[] {
	const found: number[] = [];
	for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) found.push(at);
	return found;
}

/**
 * Returns a function that maps offsets in the text with \n line endings to offsets in the original text. Must be called
 * with ascending offsets.
 */
function offsetsIn(text: string): (plain: number) => number {
	let returns = 0;
	let next = text.indexOf("\r\n");
	return (plain) => {
		while (next !== -1 && next - returns < plain) {
			returns++;
			next = text.indexOf("\r\n", next + 2);
		}
		return plain + returns;
	};
}

function lineAt(text: string, offset: number): number {
	let line = 1;
	for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
	return line;
}

/**
 * Returns a hint with the lines that were probably meant: those around the best match for the longest line in `sought`.
 */
function nearest(text: string, sought: string): string {
	const longest = sought.split("\n").reduce((a, b) => (b.trim().length > a.trim().length ? b : a), "");
	const pairs = pairsOf(longest);
	const lines = text.split("\n");
	let best = { similarity: 0, line: 0 };
	for (const [line, candidate] of lines.slice(0, LINES_COMPARED_MAX).entries()) {
		const similarity = similarityOf(pairs, pairsOf(candidate));
		if (similarity > best.similarity) best = { similarity, line };
	}
	if (best.similarity < SIMILARITY_MIN) return "No similar line found; read the file again.";
	const from = Math.max(best.line - LINES_AROUND, 0);
	const around = lines.slice(from, best.line + LINES_AROUND + 1).map((line, i) => `${from + i + 1}\t${line}`);
	return `It must match exactly, including whitespace and line breaks. The nearest lines are:\n${around.join("\n")}`;
}

function pairsOf(line: string): Map<string, number> {
	const signs = line.trim().replace(/\s+/g, " ").slice(0, CHARACTERS_COMPARED_MAX);
	const pairs = new Map<string, number>();
	for (let i = 0; i < signs.length; i++) {
		const pair = signs.slice(i, i + 2);
		pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
	}
	return pairs;
}

/** Returns the share of character pairs that two lines have in common, from 0 to 1. */
function similarityOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
	let shared = 0;
	let all = 0;
	for (const [pair, count] of a) {
		shared += Math.min(count, b.get(pair) ?? 0);
		all += count;
	}
	for (const count of b.values()) all += count;
	return all === 0 ? 0 : (2 * shared) / all;
}
