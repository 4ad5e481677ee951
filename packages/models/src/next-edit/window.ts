import type { ModelHunk } from "@segue/predict";
import { diffItems, type Edit, type Replaced, splitsCharacter, type Text, trim } from "@segue/text";
import type { ModelOutput, OffsetRange } from "./format.js";
import { type Indent, indentStyleOf, withBlanksOf } from "./indentation.js";
import { estimateTokens } from "./token-budget.js";

/** Some whole lines of a text around a cursor, as a model is shown them: with \n between them and none at the end. */
export class Window implements OffsetRange {
	/** So many lines above the cursor's and below it. */
	static ofLines(text: Text, cursor: number, above: number, below: number): Window {
		const line = text.lineAt(cursor);
		return new Window(text, cursor, Math.max(line - above, 0), Math.min(line + below, text.lineCount - 1));
	}

	/** As many lines as have about so many tokens, evenly above and below. The cursor's own is always there. */
	static ofTokens(text: Text, cursor: number, tokens: number): Window {
		const line = text.lineAt(cursor);
		return new Window(text, cursor, line, line).grown(tokens - estimateTokens(text.line(line)));
	}

	readonly from: number;
	readonly to: number;
	private indented: { readonly as: Indent | undefined } | undefined;

	private constructor(
		readonly text: Text,
		readonly cursor: number,
		/** The first line and the last, counted from 0. */
		readonly first: number,
		readonly last: number,
	) {
		this.from = text.lineStart(first);
		this.to = text.lineEnd(last);
	}

	/** The window with so many tokens more around it. */
	grown(tokens: number): Window {
		let { first, last } = this;
		let left = tokens;
		let [canAbove, canBelow] = [true, true];
		while (canAbove || canBelow) {
			canAbove = canAbove && first > 0;
			if (canAbove) {
				const cost = estimateTokens(this.text.line(first - 1)) + 1;
				canAbove = cost <= left;
				if (canAbove) [first, left] = [first - 1, left - cost];
			}
			canBelow = canBelow && last < this.text.lineCount - 1;
			if (canBelow) {
				const cost = estimateTokens(this.text.line(last + 1)) + 1;
				canBelow = cost <= left;
				if (canBelow) [last, left] = [last + 1, left - cost];
			}
		}
		return new Window(this.text, this.cursor, first, last);
	}

	get lines(): readonly string[] {
		return linesOf(this.text, this.first, this.last);
	}

	get content(): string {
		return this.lines.join("\n");
	}

	/** Where the cursor is in the content. */
	get cursorInContent(): number {
		const { line, start } = this.text.locate(this.cursor);
		const above = linesOf(this.text, this.first, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
		return above + Math.min(this.cursor - start, this.text.line(line).length);
	}

	/** How the lines here are indented, where they agree. */
	get indent(): Indent | undefined {
		this.indented ??= { as: indentStyleOf(this.text, this.first, this.last) };
		return this.indented.as;
	}

	/** The content with a mark at the cursor. */
	withCursor(mark: string): string {
		const at = this.cursorInContent;
		return `${this.content.slice(0, at)}${mark}${this.content.slice(at)}`;
	}

	/** What stands between the start of a wider window and this one: whole lines, each with its end. */
	before({ first }: Window): string {
		return linesOf(this.text, first, this.first - 1)
			.map((line) => `${line}\n`)
			.join("");
	}

	/** What stands between this window and the end of a wider one: whole lines, each with the end before it. */
	after({ last }: Window): string {
		return linesOf(this.text, this.last + 1, last)
			.map((line) => `\n${line}`)
			.join("");
	}

	/**
	 * What another content for the window changes, as hunks in the order of their lines. Blanks at the ends of lines, those
	 * of lines that hold nothing else, and another way to indent change nothing. While more may come, only what is settled:
	 * hunks behind which the content goes on as the window does. How the content begins may have been given to who wrote it.
	 */
	hunksOf({ text: content, end }: ModelOutput, given = ""): ModelHunk[] {
		const old = this.lines.map((line) => (line.trim() === "" ? "" : line));
		const said = content.split(/\r\n|\r|\n/);
		// The last line may be only the beginning of one.
		if (end === undefined) said.pop();
		const now = withBlanksOf(old, this.indent, said, countBegun(given));
		const { changed, oldAt, nowAt } = goAlong(old, now);
		const settled = changed.flatMap((one) => this.hunksIn(one, old, now));
		if (end === undefined) return settled;
		// An answer that was cut off says nothing of the lines that it did not get to.
		const to = end === "stop" ? old.length : Math.min(oldAt + now.length - nowAt, old.length);
		const rest = this.hunksIn({ from: oldAt, to, newFrom: nowAt, newTo: now.length }, old, now);
		return [...settled, ...rest.map((hunk) => ({ ...hunk, isCut: end === "length" }))];
	}

	private hunksIn({ from, to, newFrom, newTo }: Replaced, old: readonly string[], now: readonly string[]): ModelHunk[] {
		return diffItems(old.slice(from, to), now.slice(newFrom, newTo)).flatMap((one) => {
			const lines = now.slice(newFrom + one.newFrom, newFrom + one.newTo);
			const edits = this.editsOf(from + one.from, from + one.to, lines);
			return edits.length === 0 ? [] : [{ edits, isCut: false }];
		});
	}

	/** The edits that put other lines in the place of some of the window's, from one to before another. */
	private editsOf(from: number, to: number, lines: readonly string[]): Edit[] {
		const { text, first } = this;
		// Where as many come as go, each is a change of its own line.
		if (to - from === lines.length) {
			return lines.flatMap((insert, i) => {
				const line = first + from + i;
				return trimmed({ from: text.lineStart(line), to: text.lineEnd(line), insert }, text);
			});
		}
		const eol = lineEndingOf(text);
		const insert = lines.join(eol);
		if (lines.length === 0) return trimmed(this.removal(first + from, first + to), text);
		if (from < to) {
			return trimmed({ from: text.lineStart(first + from), to: text.lineEnd(first + to - 1), insert }, text);
		}
		// Lines that come between two others.
		const isAtEnd = first + from >= text.lineCount || first + from > this.last;
		const at = isAtEnd ? this.to : text.lineStart(first + from);
		return trimmed({ from: at, to: at, insert: isAtEnd ? `${eol}${insert}` : `${insert}${eol}` }, text);
	}

	/** Takes lines away with the line end behind them, or with the one before them where they end the window. */
	private removal(from: number, to: number): Edit {
		const { text, first, last } = this;
		if (to <= last) return { from: text.lineStart(from), to: text.lineStart(to), insert: "" };
		return { from: from > first ? text.lineEnd(from - 1) : this.from, to: this.to, insert: "" };
	}
}

function linesOf(text: Text, first: number, last: number): string[] {
	return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => text.line(first + i));
}

/** How many lines a text begins. */
function countBegun(text: string): number {
	return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** How the lines of a text end. */
export function lineEndingOf(text: Text): string {
	if (text.lineCount === 1) return "\n";
	return text.slice(text.lineEnd(0), text.lineStart(1));
}

function trimmed(edit: Edit, text: Text): Edit[] {
	const core = trim(edit, text);
	if (core.from === core.to && core.insert === "") return [];
	return [splitsCharacter(text, core.from) || splitsCharacter(text, core.to) ? edit : core];
}

// One line that is as it was may be so by chance, as a lone bracket is.
const SAME_LINES = 2;
// How many lines more may go than come before both go on alike. Further below, it is by chance that they do.
const GONE_MAX = 8;

/**
 * Goes along the lines of a window and those that come instead, as long as it is clear which belong together. Every line
 * that comes is looked at once, so what was found is found again when more have come.
 */
function goAlong(
	old: readonly string[],
	now: readonly string[],
): { changed: readonly Replaced[]; oldAt: number; nowAt: number } {
	const changed: Replaced[] = [];
	let [oldAt, nowAt] = [0, 0];
	while (oldAt < old.length && nowAt < now.length) {
		if (old[oldAt] === now[nowAt]) {
			oldAt++;
			nowAt++;
			continue;
		}
		const next = nextAlike(old, oldAt, now, nowAt);
		if (next === undefined) break;
		changed.push({ from: oldAt, to: next.old, newFrom: nowAt, newTo: next.now });
		[oldAt, nowAt] = [next.old, next.now];
	}
	return { changed, oldAt, nowAt };
}

/** The first of the lines that come from which on both go on alike. */
function nextAlike(
	old: readonly string[],
	oldFrom: number,
	now: readonly string[],
	nowFrom: number,
): { old: number; now: number } | undefined {
	for (let n = nowFrom; n + SAME_LINES <= now.length; n++) {
		const last = Math.min(old.length - SAME_LINES, oldFrom + n - nowFrom + GONE_MAX);
		for (let o = oldFrom; o <= last; o++) {
			const isAlike = old[o] === now[n] && old[o + 1] === now[n + 1];
			if (isAlike && /\w{2}/.test(`${old[o]}\n${old[o + 1]}`)) return { old: o, now: n };
		}
	}
	return undefined;
}
