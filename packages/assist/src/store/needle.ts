import { escapeText } from "./row.js";

/**
 * A text that is looked for, in any case. The database narrows down with `pattern` what `find` then decides, so that both
 * databases find the same: they know upper and lower case of different alphabets.
 */
export class Needle {
	/** For LIKE with the escape character `LIKE_ESCAPE`, on escaped text. It matches wherever `find` finds, and sometimes elsewhere. */
	readonly pattern: string;
	private readonly folded: string;

	constructor(text: string) {
		this.folded = foldCase(text);
		this.pattern = patternOf(text);
	}

	/** The words around the first place where the text has it, or undefined where it has not. */
	find(text: string): string | undefined {
		const at = foldCase(text).indexOf(this.folded);
		return at === -1 ? undefined : excerptOf(text, at, at + this.folded.length);
	}
}

/** JSON has no use for it, so escaped text holds it no more often than text does. */
export const LIKE_ESCAPE = "~";

function patternOf(text: string): string {
	let pattern = "%";
	for (const character of Array.from(text).slice(0, PATTERN_MAX)) {
		// A pair of surrogates may have come in two pieces, and is then kept as two escapes.
		if (/[\ud800-\udfff]/.test(character)) pattern += "%";
		else if (character > "\x7f" && character.toLowerCase() !== character.toUpperCase()) pattern += "_";
		else pattern += escapeText(character).replaceAll(/[%_~]/g, "~$&");
	}
	return `${pattern}%`;
}

// SQLite takes patterns of 50,000 bytes. A text that is alike in so many characters is hardly ever another one.
const PATTERN_MAX = 1000;

/** The same length in every case, so that a place in it is the place in the text. */
function foldCase(text: string): string {
	const lower = text.toLowerCase();
	const folded = lower.length === text.length ? lower : Array.from(text, foldCharacter).join("");
	// A sigma has two small forms, by where it stands in its word.
	return folded.replaceAll("ς", "σ");
}

function foldCharacter(character: string): string {
	const lower = character.toLowerCase();
	return lower.length === character.length ? lower : character;
}

function excerptOf(text: string, from: number, to: number): string {
	const start = from <= AROUND ? 0 : wordStart(text, from - AROUND, from);
	const end = text.length - to <= AROUND ? text.length : wordEnd(text, to + AROUND, to);
	const words = text.slice(start, end).replaceAll(/\s+/g, " ").trim();
	return `${start > 0 ? "…" : ""}${words}${end < text.length ? "…" : ""}`;
}

/** About half a line of a terminal to each side. */
const AROUND = 40;

/** The first start of a word from `at` on; where there is none, no character is cut in two. */
function wordStart(text: string, at: number, last: number): number {
	for (let i = at; i < last; i++) if (/\s/.test(text.charAt(i - 1))) return i;
	return isLowSurrogate(text, at) ? at + 1 : at;
}

function wordEnd(text: string, at: number, first: number): number {
	for (let i = at; i > first; i--) if (/\s/.test(text.charAt(i))) return i;
	return isLowSurrogate(text, at) ? at - 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
	return /[\udc00-\udfff]/.test(text.charAt(at));
}
