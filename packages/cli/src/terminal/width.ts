import { stripVTControlCharacters } from "node:util";

/** Estimates how many terminal cells a string occupies. It may contain colours, but no other control characters. */
export function widthOf(text: string): number {
	let width = 0;
	for (const { segment } of charactersOf(stripVTControlCharacters(text))) width += cellsOf(segment);
	return width;
}

/** Cuts a string to a number of cells, with an ellipsis if anything is left out. */
export function cut(text: string, cells: number): string {
	if (widthOf(text) <= cells) return text;
	let kept = "";
	let width = 0;
	for (const { segment } of charactersOf(text)) {
		width += cellsOf(segment);
		if (width > cells - 1) break;
		kept += segment;
	}
	return cells < 1 ? "" : `${kept}…`;
}

/**
 * Like `cut`, but cuts after a word, or else after an identifier, if that keeps at least half of the cells. A name that
 * is cut in the middle looks like a different name.
 */
export function cutAtWord(text: string, cells: number): string {
	const short = cut(text, cells);
	if (short === text || short === "") return short;
	const kept = short.slice(0, -1);
	const next = text.charAt(kept.length);
	if (/\s/.test(next)) return `${kept.trimEnd()}…`;
	const atSpace = kept.replace(/\S+$/, "").trimEnd();
	if (widthOf(atSpace) * 2 >= cells) return `${atSpace}…`;
	const atName = /[\p{L}\p{N}_$]/u.test(next) ? kept.replace(/[\p{L}\p{N}_$]+$/u, "") : kept;
	return `${widthOf(atName) * 2 >= cells ? atName : kept}…`;
}

// Stands for a space at which a line must not be broken.
const UNBROKEN = "\0";

/**
 * Wraps words into lines of at most `cells`. A wider word gets its own line, so that paths and addresses stay whole. A
 * command in backticks is not broken either, so that users can copy it.
 */
export function wrap(words: string, cells: number): string[] {
	const lines: string[] = [];
	const marked = words.replace(/`[^`]*`/g, (command) => command.replaceAll(" ", UNBROKEN));
	for (const part of marked.split(" ")) {
		const word = part.replaceAll(UNBROKEN, " ");
		const last = lines.at(-1);
		if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= cells) lines[lines.length - 1] = `${last} ${word}`;
		// Two spaces in a row enclose an empty word, which must not start a line.
		else if (last === undefined || word !== "") lines.push(word);
	}
	return lines.map((line) => line.trimEnd());
}

/** Wraps sentences for standard output. The lines end with a newline. */
export function paragraph(sentences: string, output: Pick<Output, "columns">): string {
	return wrap(sentences, columnsOf(output))
		.map((line) => `${line}\n`)
		.join("");
}

/** Wraps words after a label. The other lines are indented by the label's width. */
export function hang(label: string, words: string, cells: number): string[] {
	const width = widthOf(label);
	return wrap(words, cells - width).map((line, i) => `${i === 0 ? label : " ".repeat(width)}${line}`);
}

/**
 * Aligns the cells of each row. If a row is wider than the terminal, the other cells of every row become a list below the
 * first. Returns the lines of each row.
 */
export function table(rows: readonly (readonly string[])[], columns: number): string[][] {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
	const lines = rows.map((row) =>
		row
			.map((cell, column) => pad(cell, widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
	if (lines.every((line) => widthOf(line) <= columns)) return lines.map((line) => [line]);
	return rows.map(([first = "", ...others]) => {
		const list = others.filter((cell) => cell !== "").join(", ");
		return [first, ...(list === "" ? [] : hang("  ", list, columns))];
	});
}

/** Pads a string with spaces to a number of cells. */
export function pad(text: string, cells: number): string {
	return text + " ".repeat(Math.max(cells - widthOf(text), 0));
}

/** Formats a share as a percentage, for example `75 %`. */
export function percentage(share: number): string {
	return `${Math.round(share * 100)} %`;
}

/** An output stream: a terminal or a file. */
export interface Output {
	write(text: string): unknown;
	/** Undefined if it is not a terminal. Some terminals of unknown size report 0. */
	readonly columns?: number | undefined;
}

// A narrower terminal has usually reported a wrong size.
const COLUMNS_MIN = 20;
/** The width of a terminal that does not report a usable size. */
export const COLUMNS_DEFAULT = 80;
/** The width of paragraphs and tables in a wider terminal. Longer lines are harder to read. */
export const COLUMNS_MAX = 100;

/** The maximum width of a line; unlimited outside a terminal. */
export function columnsOf({ columns }: Pick<Output, "columns">): number {
	if (columns === undefined) return Number.POSITIVE_INFINITY;
	return columns < COLUMNS_MIN ? COLUMNS_DEFAULT : columns;
}

/** Corrects a terminal that reports an unusable width, for libraries that read `columns` themselves. */
export function correctWidth(terminal: { columns?: number }): void {
	if (terminal.columns !== undefined) terminal.columns = columnsOf({ columns: terminal.columns });
}

let segmenter: Intl.Segmenter | undefined;

/** Splits a string into graphemes: a letter with its accents, or an emoji of several code points, is one character. */
function charactersOf(text: string): Intl.Segments {
	// Created on first use, because creating it takes as long as loading all commands.
	segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
	return segmenter.segment(text);
}

const WIDE =
	/^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
// Halfwidth forms of these scripts.
const HALF_WIDE = /^[\uff61-\uffdc]/;
const WITHOUT_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]/u;
// The variation selector for the emoji form of a character.
const AS_EMOJI = "\ufe0f";

function cellsOf(character: string): number {
	if (WITHOUT_WIDTH.test(character)) return 0;
	if (HALF_WIDE.test(character)) return 1;
	return WIDE.test(character) || character.includes(AS_EMOJI) ? 2 : 1;
}
