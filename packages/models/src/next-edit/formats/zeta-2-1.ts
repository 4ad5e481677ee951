import { saidBefore } from "../ending.js";
import type { Reading, Said } from "../format.js";
import { readRewritten } from "../rewritten.js";
import type { Window } from "../window.js";
import { CURSOR, END_OF_SENTENCE, seedFormat } from "./seed-frame.js";

const MARKER = "<|marker_";

/** Zed's model after the second: marks part the region into blocks, and the model writes only those that it changes. */
export const zeta21 = seedFormat({
	name: "zeta-2.1",
	specialTokens: [MARKER],
	stop: [END_OF_SENTENCE],
	write: writeBlocks,
	read,
});

function writeBlocks(window: Window): string {
	const { content, cursorInContent: cursor } = window;
	const marks = marksIn(content);
	// A cursor at a mark stands before it, but for the first.
	const block = Math.max(marks.findIndex((mark, i) => i > 0 && cursor <= mark) - 1, 0);
	const written = marks.map((from, i) => {
		const text = content.slice(from, marks[i + 1] ?? from);
		const at = cursor - from;
		return markerOf(i) + (i === block ? `${text.slice(0, at)}${CURSOR}${text.slice(at)}` : text);
	});
	return `${written.join("")}\n`;
}

function markerOf(index: number): string {
	return `${MARKER}${index + 1}|>`;
}

// As the model was trained: blocks begin after empty lines, and in long stretches without any by force.
const BLOCK_LINES_MIN = 6;
const BLOCK_LINES_MAX = 16;
// How many lines further down a better line is looked for.
const NUDGE_LINES = 5;

/** The offsets of the marks in a region: its beginning, the beginnings of further blocks, and its end. */
function marksIn(content: string): number[] {
	const lines = content.split("\n");
	// What follows the last line end is no line of a block.
	if (lines.length > 1 && lines.at(-1) === "") lines.pop();
	const starts = [0];
	for (let line = 0; line < lines.length; line++) {
		const start = blockStart(lines, starts.at(-1) ?? 0, line);
		if (start === undefined) continue;
		starts.push(start);
		line = start;
	}
	const offsets = starts.map((start) => lines.slice(0, start).reduce((sum, one) => sum + one.length + 1, 0));
	return [...offsets, content.length];
}

/** Where a block begins that would begin at a line; undefined where none should. */
function blockStart(lines: readonly string[], last: number, line: number): number | undefined {
	const isBlank = (at: number) => lines[at]?.trim() === "";
	const better = lines.slice(line, line + NUDGE_LINES).findIndex(beginsBlock);
	const start = line + Math.max(better, 0);
	const isAfterBlank = line > 0 && !isBlank(line) && isBlank(line - 1);
	if (line - last >= BLOCK_LINES_MIN && isAfterBlank && lines.length - start >= BLOCK_LINES_MIN) return start;
	return line - last >= BLOCK_LINES_MAX ? start : undefined;
}

/** Whether a line is not what ends something. */
function beginsBlock(line: string): boolean {
	return !/^\s*($|[}\])]|(break|continue|return|throw|end);*\s*$)/.test(line);
}

/** The text between the first mark and the last is in the place of what was between them. */
function read(window: Window, said: Said): Reading {
	const { content } = window;
	const { text, end } = saidBefore({ ...said, text: said.text.replaceAll(CURSOR, "") }, [END_OF_SENTENCE]);
	const marks = marksIn(content);
	const tags = tagsIn(text);
	const [first] = tags;
	if (first === undefined) return end === undefined ? { hunks: [] } : { nothing: "unreadable-answer" };
	const start = marks[first.mark];
	if (start === undefined) return { nothing: "unreadable-answer" };
	// Nothing can follow the last mark of the region.
	const final = tags.find(({ mark }, i) => i > 0 && mark === marks.length - 1);
	const last = final ?? tags.at(-1) ?? first;
	const isClosed = last !== first && (final !== undefined || text.slice(last.to).trim() === "");
	const blocks = text.slice(first.to, isClosed ? last.from : undefined).replace(TAGS, "");
	const given = content.slice(0, start);
	const written = given + blocks;
	const to = marks[last.mark];
	if (isClosed && (end !== undefined || final !== undefined)) {
		if (last.mark === first.mark && blocks.trim() === "") return { nothing: "no-edit" };
		if (last.mark > first.mark && to !== undefined) {
			return readRewritten(window, { text: written + content.slice(to), end: "stop" }, given);
		}
	} else if (end !== "stop") return { hunks: window.hunksOf({ text: written, end }, given) };
	// What is closed wrongly, or not at all, counts as far as it was clear while it was said.
	const hunks = window.hunksOf({ text: written, end: undefined }, given);
	return hunks.length > 0 ? { hunks } : { nothing: "unreadable-answer" };
}

const TAGS = /<\|marker_(\d+)\|>/g;

/** The marks in an answer, as indexes of those in the region. */
function tagsIn(text: string): { readonly from: number; readonly to: number; readonly mark: number }[] {
	return [...text.matchAll(TAGS)].map(({ 0: tag, 1: number, index }) => {
		return { from: index, to: index + tag.length, mark: Number(number) - 1 };
	});
}
