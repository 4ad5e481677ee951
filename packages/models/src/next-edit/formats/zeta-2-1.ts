import { outputBefore } from "../end-tokens.js";
import type { ModelOutput, ParsedOutput } from "../format.js";
import type { PromptAnswer, RegionEdit } from "../prompt-parts.js";
import { readRewritten } from "../reply.js";
import type { Window } from "../window.js";
import { CURSOR, END_OF_SENTENCE, type SeedRegion, seedFormat, seedPrompt } from "./seed-frame.js";

const MARKER = "<|marker_";

/**
 * The format for Zed's successor to Zeta 2. Marks split the region into blocks, and the model writes only the blocks
 * that it changes.
 */
export const zeta21 = seedFormat({
	name: "zeta-2.1",
	specialTokens: [MARKER],
	stop: [END_OF_SENTENCE],
	regionOf: ({ content, cursorInContent }) => ({ region: content, cursor: cursorInContent, marks: marksIn(content) }),
	encode,
	read,
});

/** Reads the marks from the prompt, so it also decodes variants with different block lengths. */
export const zeta21Prompt = seedPrompt({ name: "zeta-2.1", marks: [MARKER], encode, decode, answer });

function encode({ region, cursor, marks }: SeedRegion): string {
	// A cursor at a mark is placed before it, except at the first mark.
	const block = cursor === undefined ? -1 : Math.max(marks.findIndex((mark, i) => i > 0 && cursor <= mark) - 1, 0);
	const written = marks.map((from, i) => {
		const text = region.slice(from, marks[i + 1] ?? from);
		const at = (cursor ?? 0) - from;
		return markerOf(i) + (i === block ? `${text.slice(0, at)}${CURSOR}${text.slice(at)}` : text);
	});
	return `${written.join("")}\n`;
}

function decode(text: string): (SeedRegion & { readonly before: string }) | undefined {
	const start = text.indexOf(markerOf(0));
	if (start < 0 || !text.endsWith("|>\n")) return undefined;
	const tags = tagsIn(text.slice(start, -1));
	const last = tags.at(-1);
	// The tags are numbered consecutively, and the last one ends the region.
	if (tags.length < 2 || last?.to !== text.length - 1 - start || tags.some(({ mark }, i) => mark !== i))
		return undefined;
	const marks: number[] = [];
	let region = "";
	let cursor: number | undefined;
	for (const [i, { to }] of tags.entries()) {
		marks.push(region.length);
		const block = text.slice(start + to, start + (tags[i + 1]?.from ?? to));
		const at = cursor === undefined ? block.indexOf(CURSOR) : -1;
		if (at >= 0) cursor = region.length + at;
		region += at < 0 ? block : block.slice(0, at) + block.slice(at + CURSOR.length);
	}
	return { before: text.slice(0, start), region, cursor, marks };
}

/** Writes all blocks from the first to the last that an edit touches. */
function answer({ region, marks }: SeedRegion, edits: readonly RegionEdit[]): PromptAnswer {
	const [from, to] = [edits[0]?.from, edits.at(-1)?.to];
	if (from === undefined || to === undefined) return { text: markerOf(0).repeat(2), end: END_OF_SENTENCE };
	// No block follows the last mark.
	const first = Math.min(
		marks.findLastIndex((mark) => mark <= from),
		marks.length - 2,
	);
	const last = marks.findIndex((mark, i) => i > first && mark >= to);
	let text = markerOf(first);
	let at = marks[first] ?? 0;
	let mark = first + 1;
	const keepUpTo = (offset: number) => {
		for (; mark < last && (marks[mark] ?? 0) <= offset; mark++) {
			text += region.slice(at, marks[mark]) + markerOf(mark);
			at = marks[mark] ?? at;
		}
		text += region.slice(at, offset);
		at = offset;
	};
	for (const edit of edits) {
		keepUpTo(edit.from);
		text += edit.insert;
		at = edit.to;
		// A mark inside replaced text is dropped.
		while (mark < last && (marks[mark] ?? 0) < edit.to) mark++;
	}
	keepUpTo(marks[last] ?? region.length);
	return { text: text + markerOf(last), end: END_OF_SENTENCE };
}

function markerOf(index: number): string {
	return `${MARKER}${index + 1}|>`;
}

// The rules used in training: a block starts after empty lines, or when the previous block reaches a maximum length.
const BLOCK_LINES_MIN = 6;
const BLOCK_LINES_MAX = 16;
// How many lines ahead to search for a better line to start a block.
const NUDGE_LINES = 5;

/** Returns the offsets of the marks in a region: the start of each block, and the end of the region. */
function marksIn(content: string): number[] {
	const lines = content.split("\n");
	// The empty string after the last line break is not a line.
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

/** Returns where a block starts at or after a line, or undefined if no block should start here. */
function blockStart(lines: readonly string[], last: number, line: number): number | undefined {
	const isBlank = (at: number) => lines[at]?.trim() === "";
	const better = lines.slice(line, line + NUDGE_LINES).findIndex(beginsBlock);
	const start = line + Math.max(better, 0);
	const isAfterBlank = line > 0 && !isBlank(line) && isBlank(line - 1);
	if (line - last >= BLOCK_LINES_MIN && isAfterBlank && lines.length - start >= BLOCK_LINES_MIN) return start;
	return line - last >= BLOCK_LINES_MAX ? start : undefined;
}

/** Whether a line can start a block. A line that closes or leaves a block cannot. */
function beginsBlock(line: string): boolean {
	return !/^\s*($|[}\])]|(break|continue|return|throw|end);*\s*$)/.test(line);
}

/** Reads a reply, which replaces the text between its first and last mark. */
function read(window: Window, output: ModelOutput): ParsedOutput {
	const { content } = window;
	const { text, end } = outputBefore({ ...output, text: output.text.replaceAll(CURSOR, "") }, [END_OF_SENTENCE]);
	const marks = marksIn(content);
	const tags = tagsIn(text);
	const [first] = tags;
	if (first === undefined) return end === undefined ? { hunks: [] } : { nothing: "unreadable-answer" };
	const start = marks[first.mark];
	if (start === undefined) return { nothing: "unreadable-answer" };
	// Nothing can follow the region's last mark.
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
	// If the end mark is wrong or missing, keep the hunks that were final before the reply ended.
	const hunks = window.hunksOf({ text: written, end: undefined }, given);
	return hunks.length > 0 ? { hunks } : { nothing: "unreadable-answer" };
}

const TAGS = /<\|marker_(\d+)\|>/g;

/** Finds the marks in a reply and returns them as indices of the region's marks. */
function tagsIn(text: string): { readonly from: number; readonly to: number; readonly mark: number }[] {
	return [...text.matchAll(TAGS)].map(({ 0: tag, 1: number, index }) => {
		return { from: index, to: index + tag.length, mark: Number(number) - 1 };
	});
}
