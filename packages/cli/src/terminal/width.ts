/** How many cells of a terminal a text without control characters takes, as nearly as can be known from outside of it. */
export function widthOf(text: string): number {
	let width = 0;
	for (const { segment } of charactersOf(text)) width += cellsOf(segment);
	return width;
}

/** The beginning of a text that fits into so many cells, with a sign where something was left out. */
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

/** Words as lines of so many cells. One that is wider stands by itself: half a path or an address is of no use. */
export function wrap(words: string, cells: number): string[] {
	const lines: string[] = [];
	for (const word of words.split(" ")) {
		const last = lines.at(-1);
		if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= cells) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

/** A text filled up with spaces to so many cells. */
export function pad(text: string, cells: number): string {
	return text + " ".repeat(Math.max(cells - widthOf(text), 0));
}

/** A terminal, or a file. */
export interface Output {
	write(text: string): unknown;
	/** Undefined if it is not a terminal, 0 for a terminal of unknown size. */
	readonly columns?: number | undefined;
}

/** The maximum width of a line; unlimited if the output's width is unknown. */
export function columnsOf({ columns }: Output): number {
	return columns || Number.POSITIVE_INFINITY;
}

let segmenter: Intl.Segmenter | undefined;

/** Graphemes: a letter with its accents or a family emoji is one character of several code points. */
function charactersOf(text: string): Intl.Segments {
	// Created on first use, because it takes as long as loading all commands.
	segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
	return segmenter.segment(text);
}

const WIDE =
	/^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
// Half as wide as those of their script.
const HALF_WIDE = /^[\uff61-\uffdc]/;
const WITHOUT_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]/u;
// Asks for the coloured picture of a sign that also has a plain one.
const AS_EMOJI = "\ufe0f";

function cellsOf(character: string): number {
	if (WITHOUT_WIDTH.test(character)) return 0;
	if (HALF_WIDE.test(character)) return 1;
	return WIDE.test(character) || character.includes(AS_EMOJI) ? 2 : 1;
}
