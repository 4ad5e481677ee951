import type { ModelHunk } from "@segue/predict";
import { diffItems, type Edit, type Replaced, splitsCharacter, type Text, trim } from "@segue/text";
import type { ModelOutput, OffsetRange } from "./format.js";
import { type Indent, indentStyleOf, withBlanksOf } from "./indentation.js";
import { estimateTokens } from "./token-budget.js";

/** A range of whole lines around a cursor, in the form used in prompts: separated by \n, without a \n at the end. */
export class Window implements OffsetRange {
	/** Creates a window with this many lines above and below the cursor's line. */
	static ofLines(text: Text, cursor: number, above: number, below: number): Window {
		const line = text.lineAt(cursor);
		return new Window(text, cursor, Math.max(line - above, 0), Math.min(line + below, text.lineCount - 1));
	}

	/**
	 * Creates a window of about this many tokens, with lines taken evenly from above and below the cursor's line, which
	 * is always included.
	 */
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
		/** Inclusive, zero-based. */
		readonly first: number,
		readonly last: number,
	) {
		this.from = text.lineStart(first);
		this.to = text.lineEnd(last);
	}

	/** Returns this window extended by about this many tokens. */
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

	/** Offset of the cursor in `content`. */
	get cursorInContent(): number {
		const { line, start } = this.text.locate(this.cursor);
		const above = linesOf(this.text, this.first, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
		return above + Math.min(this.cursor - start, this.text.line(line).length);
	}

	/** The indentation style of the lines, if it is consistent. */
	get indent(): Indent | undefined {
		this.indented ??= { as: indentStyleOf(this.text, this.first, this.last) };
		return this.indented.as;
	}

	/** Returns the content with a mark at the cursor. */
	withCursor(mark: string): string {
		const at = this.cursorInContent;
		return `${this.content.slice(0, at)}${mark}${this.content.slice(at)}`;
	}

	/** Returns the lines from the start of a wider window to this one, each with a line break after it. */
	before({ first }: Window): string {
		return linesOf(this.text, first, this.first - 1)
			.map((line) => `${line}\n`)
			.join("");
	}

	/** Returns the lines from this window to the end of a wider one, each with a line break before it. */
	after({ last }: Window): string {
		return linesOf(this.text, this.last + 1, last)
			.map((line) => `\n${line}`)
			.join("");
	}

	/**
	 * Compares new content with the window and returns the changes as hunks in line order. Ignores trailing whitespace,
	 * whitespace-only lines and a different indentation style. While more may arrive, returns only final hunks: those
	 * after which the content matches the window again. `given` is the start of the content, which was part of the prompt.
	 */
	hunksOf({ text: content, end }: ModelOutput, given = ""): ModelHunk[] {
		const old = this.lines.map((line) => (line.trim() === "" ? "" : line));
		const lines = content.split(/\r\n|\r|\n/);
		// The last line may be incomplete.
		if (end === undefined) lines.pop();
		const now = withBlanksOf(old, this.indent, lines, countLines(given));
		const { changed, oldAt, nowAt } = alignLines(old, now);
		const settled = changed.flatMap((one) => this.hunksIn(one, old, now));
		if (end === undefined) return settled;
		// A truncated reply says nothing about the lines it did not reach.
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

	/** Returns the edits that replace the window's lines from `from` up to, but not including, `to`. */
	private editsOf(from: number, to: number, lines: readonly string[]): Edit[] {
		const { text, first } = this;
		// If the line counts are equal, each line is edited separately.
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
		// Insert the lines between two existing ones.
		const isAtEnd = first + from >= text.lineCount || first + from > this.last;
		const at = isAtEnd ? this.to : text.lineStart(first + from);
		return trimmed({ from: at, to: at, insert: isAtEnd ? `${eol}${insert}` : `${insert}${eol}` }, text);
	}

	/**
	 * Removes lines including the line break after them. At the end of the window, removes the line break before them
	 * instead.
	 */
	private removal(from: number, to: number): Edit {
		const { text, first, last } = this;
		if (to <= last) return { from: text.lineStart(from), to: text.lineStart(to), insert: "" };
		return { from: from > first ? text.lineEnd(from - 1) : this.from, to: this.to, insert: "" };
	}
}

function linesOf(text: Text, first: number, last: number): string[] {
	return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => text.line(first + i));
}

/** Counts the lines in a string, including a partial last line. */
function countLines(text: string): number {
	return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** Returns the line break used in a text. */
export function lineEndingOf(text: Text): string {
	if (text.lineCount === 1) return "\n";
	return text.slice(text.lineEnd(0), text.lineStart(1));
}

function trimmed(edit: Edit, text: Text): Edit[] {
	const core = trim(edit, text);
	if (core.from === core.to && core.insert === "") return [];
	return [splitsCharacter(text, core.from) || splitsCharacter(text, core.to) ? edit : core];
}

// A single equal line can be a coincidence, such as a lone bracket.
const SAME_LINES = 2;
// Maximum number of removed lines before the old and new lines match again. Equal lines further down are likely a
// coincidence.
const REMOVED_MAX = 8;

/**
 * Aligns old and new lines for as long as the alignment is clear. Looks at every new line only once, so the result
 * stays the same when more lines arrive.
 */
function alignLines(
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
		const next = nextMatch(old, oldAt, now, nowAt);
		if (next === undefined) break;
		changed.push({ from: oldAt, to: next.old, newFrom: nowAt, newTo: next.now });
		[oldAt, nowAt] = [next.old, next.now];
	}
	return { changed, oldAt, nowAt };
}

/** Finds the first new line from which old and new lines match again. */
function nextMatch(
	old: readonly string[],
	oldFrom: number,
	now: readonly string[],
	nowFrom: number,
): { old: number; now: number } | undefined {
	for (let n = nowFrom; n + SAME_LINES <= now.length; n++) {
		const last = Math.min(old.length - SAME_LINES, oldFrom + n - nowFrom + REMOVED_MAX);
		for (let o = oldFrom; o <= last; o++) {
			const isAlike = old[o] === now[n] && old[o + 1] === now[n + 1];
			if (isAlike && /\w{2}/.test(`${old[o]}\n${old[o + 1]}`)) return { old: o, now: n };
		}
	}
	return undefined;
}
