import { maskKeys } from "@segue/text";
import { ToolError } from "../failures.js";

// A model needs to see that a text is there several times, not each of them.
const OCCURRENCES_SHOWN_MAX = 10;
// Two lines that share less are not the same line with a slip in it.
const SIMILARITY_MIN = 0.5;
// Around the nearest line, so that the place is known again.
const LINES_AROUND = 3;
// Comparing more lines than this takes longer than reading the file again.
const LINES_COMPARED_MAX = 50_000;
// Of a long line the start tells enough.
const CHARACTERS_COMPARED_MAX = 200;

/**
 * A text with `old` replaced, in the one place where it is, or in all. Line ends count as equal whatever their kind, because a
 * model does not see them, and the new ones are of the kind that the text has. Text inside masked keys is not found. Throws a
 * `ToolError` that helps to do better.
 */
export function replaceExactly(text: string, old: string, now: string, all: boolean): string {
	const sought = withLf(old);
	if (sought === "") throw new ToolError("old_text is empty. To make a new file, use write_file.");
	const plain = withLf(text);
	// A mask is as long as its key. Searching the masked text keeps a model from guessing keys; a place must match the text too,
	// so that no part of a key is replaced by a part of its mask.
	const masked = maskKeys(plain);
	const found = occurrencesOf(masked, sought).filter((at) => plain.startsWith(sought, at));
	if (found.length === 0) throw new ToolError(`old_text is not in the file. ${nearest(masked, sought)}`);
	if (found.length > 1 && !all) {
		const lines = found.slice(0, OCCURRENCES_SHOWN_MAX).map((at) => lineAt(plain, at));
		const more = found.length > OCCURRENCES_SHOWN_MAX ? " and more" : "";
		throw new ToolError(
			`old_text is in the file ${found.length} times, at the lines ${lines.join(", ")}${more}. ` +
				"Take in more lines around it so that it is there once, or set all to replace each.",
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
	if (result === text) throw new ToolError("old_text and new_text are the same: nothing would change.");
	return result;
}

/** A text with the line ends that most lines of another one have. */
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

/** For ascending offsets in the text with \n alone: the same places in the text as it is. */
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

/** The lines that were probably meant, found by the longest one of those that were sought. */
function nearest(text: string, sought: string): string {
	const longest = sought.split("\n").reduce((a, b) => (b.trim().length > a.trim().length ? b : a), "");
	const pairs = pairsOf(longest);
	const lines = text.split("\n");
	let best = { similarity: 0, line: 0 };
	for (const [line, candidate] of lines.slice(0, LINES_COMPARED_MAX).entries()) {
		const similarity = similarityOf(pairs, pairsOf(candidate));
		if (similarity > best.similarity) best = { similarity, line };
	}
	if (best.similarity < SIMILARITY_MIN) return "Nothing in it is similar; read the file again.";
	const from = Math.max(best.line - LINES_AROUND, 0);
	const around = lines.slice(from, best.line + LINES_AROUND + 1).map((line, i) => `${from + i + 1}\t${line}`);
	return `It has to be there to the letter, with spaces and line ends. The nearest lines are:\n${around.join("\n")}`;
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

/** Of how many pairs of letters both have, from 0 to 1. */
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
