import type { Window } from "./window.js";

/** Whether a line is in the window or continues the cursor's line. Neither is true of prose. */
export function resembles(line: string, { text, cursor, lines }: Window): boolean {
	const ink = line.trim();
	if (ink === "") return false;
	if (lines.some((own) => own.trim() === ink)) return true;
	const typed = text.slice(text.lineStart(text.lineAt(cursor)), cursor).trim();
	// Prose may start with the same single word that was typed.
	return /\w{2}/.test(typed) && ink.startsWith(typed) && (/\s/.test(typed) || isCode(line));
}

/** The range of code lines in a reply; `to` is exclusive. */
interface CodeLines {
	readonly from: number;
	readonly to: number;
}

/**
 * Finds the code in a reply without tags or fences. Skips prose before and after the code if the code is certainly
 * complete, from the window's first line to its last. Returns undefined if it is unclear which lines are code.
 */
export function codeIn(lines: readonly string[], window: Window, shown: Window): CodeLines | undefined {
	const isFence = (line: string) => line.trim().startsWith("```");
	if (lines.some(isFence) && !window.lines.some(isFence)) return undefined;
	if (!lines.some((line) => resembles(line, window))) return undefined;
	const to = codeEnd(lines, window, shown);
	const left = codeEnd(lines.toReversed(), window, shown, "up");
	return to === undefined || left === undefined ? undefined : { from: lines.length - left, to };
}

/**
 * Returns the index of the end of the code, after which there is only prose. If the direction is `up`, the lines are in
 * reverse order. Returns undefined if the end is unclear.
 */
export function codeEnd(
	lines: readonly string[],
	window: Window,
	shown: Window,
	direction: "down" | "up" = "down",
): number | undefined {
	const last = lines.findLastIndex((line) => resembles(line, window));
	const known = new Set(shown.lines.map((line) => line.trim()));
	const words = new Set(window.lines.map(firstWord));
	const isOwn = (line: string) => {
		const isAlike = words.has(firstWord(line)) && /^[^\p{Lu}]*$/u.test(firstWord(line)) && !/[.!?]$/.test(line.trim());
		return known.has(line.trim()) || isAlike || isCode(line);
	};
	if (lines.slice(last + 1).every(isOwn)) return lines.length;
	const inked = window.lines.filter((line) => line.trim() !== "");
	const end = direction === "down" ? inked.at(-1) : inked[0];
	return last >= 0 && lines[last]?.trim() === end?.trim() ? last + 1 : undefined;
}

function firstWord(line: string): string {
	return /^\s*(\W*\w+)/.exec(line)?.[1] ?? "";
}

// This many consecutive words, separated only by spaces or commas, count as a sentence.
const SENTENCE_WORDS = 3;

/** Whether a line that is not in the document is certainly code. If unclear, it may be prose. */
function isCode(line: string): boolean {
	const ink = line.trim();
	if (!/\p{L}/u.test(ink) || /[;{}]$/.test(ink)) return true;
	const isListed = /^([-*•>]|\d+[.)])\s|^```/.test(ink);
	const isBegun = /^\p{Lu}[\p{L}'’]*([\s,:!]|$)/u.test(line);
	if (isListed || isBegun || /[.!?…]$/.test(ink)) return false;
	const words = ink.split(/\s+/).map((word) => /^[\p{L}'’]+[,:]?$/u.test(word));
	if (words.some((_, i) => i + SENTENCE_WORDS <= words.length && words.slice(i, i + SENTENCE_WORDS).every(Boolean))) {
		return false;
	}
	return /^\s/.test(line) || /[\w)\]][([]|[=<>{}]|\w\.\w|^(\/\/|#\w)/.test(ink);
}
