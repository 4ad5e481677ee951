import type { PromptEdit, PromptParts } from "@segue/models/prompts";
import { PatchError, parseUnified } from "@segue/text";

// A prompt contains a window of the current file, excerpts from other files, and diffs whose line numbers refer to the
// complete files. We reconstruct each file from its fragments: the window or excerpts, and the lines of hunks outside
// them. Then we undo the edits, newest first, so they can be replayed in order.

/** The parts of a file that a prompt contains. */
interface FragmentedFile {
	readonly path: string;
	/** The text before the first edit. */
	readonly text: string;
}

/** A replacement in a file. Offsets are in UTF-16 code units and refer to the text after the previous edits. */
interface FragmentEdit {
	readonly path: string;
	/** Edits with the same number belong to the same diff. */
	readonly step: number;
	readonly from: number;
	readonly to: number;
	/** The text from `from` to `to`. */
	readonly old: string;
	readonly insert: string;
}

export interface Fragments {
	/** The prompt's own document is first. */
	readonly files: readonly FragmentedFile[];
	/** Oldest first. */
	readonly edits: readonly FragmentEdit[];
	/** The start of the window in the text after all edits. */
	readonly windowAt: number;
}

// About as many edits as editors send. Older edits rarely affect the next one.
const EDITS_MAX = 8;
// Each hunk has to be located in its file, so the sizes of hunks and files are limited to keep the search fast. Users
// don't type longer hunks by hand.
const HUNKS_MAX = 32;
const HUNK_LINES_MAX = 200;
const FILE_LINES_MAX = 20_000;
// Limit for excerpts from other files. Editors send about ten.
const FILES_MAX = 100;
// Limit for line comparisons when locating the hunks of a prompt. Typical prompts need a few thousand; the limit takes
// about 50 ms.
const COMPARISONS_MAX = 1_000_000;
// A line that represents omitted lines in an excerpt.
const GAP = "...";

/** Reconstructs the files in a prompt. Skips edits that cannot be located. */
export function fragmentsOf({ path = UNTITLED, before, region, after, files, edits }: PromptParts): Fragments {
	// Prompts always end with a newline, even if the file does not.
	const text = `${before}${region}${after === "\n" ? "" : after}`;
	const window: Piece = { lines: text.split("\n"), line: undefined, added: false };
	const all = new Map<string, Piece[]>([[path, [window]]]);
	for (const { path: other, text: excerpts } of files.slice(0, FILES_MAX)) {
		all.set(other, [...excerptsIn(excerpts), ...(all.get(other) ?? [])]);
	}
	const done: Undone[] = [];
	let hunksLeft = HUNKS_MAX;
	const budget = { comparisons: COMPARISONS_MAX };
	for (const [step, edit] of [...edits.slice(-EDITS_MAX).entries()].toReversed()) {
		const pieces = all.get(edit.path) ?? [];
		for (const hunk of hunksOf(edit).toReversed()) {
			if (hunksLeft-- <= 0 || hunk.now.length > HUNK_LINES_MAX || hunk.old.length > HUNK_LINES_MAX) continue;
			const place = find(hunk, pieces, window, budget) ?? addPiece(hunk, pieces, window);
			if (place === undefined) continue;
			const { piece, at, clipped } = place;
			const old = hunk.old.slice(clipped.start, hunk.old.length - clipped.end);
			const now = hunk.now.slice(clipped.start, hunk.now.length - clipped.end);
			piece.lines.splice(at, now.length, ...old);
			piece.line ??= hunk.newLine === undefined ? undefined : hunk.newLine + clipped.start - at;
			done.push({ path: edit.path, step, piece, at, old, now });
		}
		if (pieces.length > 0) all.set(edit.path, pieces);
	}
	const shown = [...all].map(([one, pieces]) => ({ path: one, pieces: ordered(pieces, window) }));
	const texts = shown.map((file) => ({ path: file.path, text: textOf(file.pieces) }));
	const replayed = done.toReversed().flatMap((one) => {
		const file = shown.find((other) => other.path === one.path);
		return file === undefined ? [] : [redo(one, file.pieces)];
	});
	const own = shown.find((file) => file.path === path)?.pieces ?? [];
	return { files: texts, edits: replayed, windowAt: offsetOf(own, window, 0) };
}

/** The path for a document if the prompt does not contain one. */
const UNTITLED = "untitled";

/** Consecutive lines of a file. */
interface Piece {
	lines: string[];
	/** The 1-based number of the first line in the file, known once a hunk has been located in the piece. */
	line: number | undefined;
	/** Whether the piece was created from a hunk. */
	readonly added: boolean;
}

interface Hunk {
	readonly old: readonly string[];
	readonly now: readonly string[];
	/** The number of context lines at the start and end. */
	readonly context: { readonly start: number; readonly end: number };
	/** The 1-based line where the hunk starts after the edit. */
	readonly newLine: number | undefined;
}

interface Undone {
	readonly path: string;
	readonly step: number;
	readonly piece: Piece;
	readonly at: number;
	readonly old: readonly string[];
	readonly now: readonly string[];
}

function excerptsIn(text: string): Piece[] {
	const pieces: Piece[] = [{ lines: [], line: undefined, added: false }];
	for (const line of text.replace(/\n$/, "").split("\n").slice(0, FILE_LINES_MAX)) {
		if (line === GAP) pieces.push({ lines: [], line: undefined, added: false });
		else pieces.at(-1)?.lines.push(line);
	}
	return pieces.filter(({ lines }) => lines.some((line) => line.trim() !== ""));
}

function hunksOf(edit: PromptEdit): Hunk[] {
	if (!("diff" in edit)) return [hunkOf(edit.old.split("\n"), edit.now.split("\n"), edit.span?.first)];
	try {
		return parseUnified(edit.diff).hunks.map(({ newStart, lines }) => {
			const old = lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
			const now = lines.filter(({ kind }) => kind !== "removed").map(({ text }) => text);
			return hunkOf(old, now, newStart);
		});
	} catch (error) {
		if (error instanceof PatchError) return [];
		throw error;
	}
}

function hunkOf(old: readonly string[], now: readonly string[], newLine: number | undefined): Hunk {
	const most = Math.min(old.length, now.length);
	let start = 0;
	while (start < most && old[start] === now[start]) start++;
	let end = 0;
	while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
	return { old, now, context: { start, end }, newLine };
}

interface Place {
	readonly piece: Piece;
	readonly at: number;
	/** The number of context lines at the start and end of the hunk that are outside the piece. */
	readonly clipped: { readonly start: number; readonly end: number };
}

/** Locates the new side of a hunk. Its context may extend beyond a piece. */
function find(hunk: Hunk, pieces: readonly Piece[], window: Piece, budget: { comparisons: number }): Place | undefined {
	const { now, context, newLine } = hunk;
	// A deletion is located only by its context, so the context must be complete on one side.
	const needed = now.length - context.start - context.end > 0 ? 1 : Math.max(context.start, context.end, 1);
	for (const piece of pieces) {
		const { lines } = piece;
		if (lines.length > FILE_LINES_MAX) continue;
		const places: Place[] = [];
		for (let at = -context.start; at <= lines.length - (now.length - context.end); at++) {
			const start = Math.max(-at, 0);
			const end = Math.max(at + now.length - lines.length, 0);
			if (end > context.end || now.length - start - end < needed) continue;
			let i = start;
			while (i < now.length - end && now[i] === lines[at + i]) i++;
			budget.comparisons -= i - start + 1;
			if (budget.comparisons < 0) return undefined;
			if (i === now.length - end) places.push({ piece, at: at + start, clipped: { start, end } });
		}
		const expected = piece.line !== undefined && newLine !== undefined ? newLine - piece.line : undefined;
		// The newest edit is usually near the cursor, and the cursor near the middle of the window.
		const near = expected ?? (piece === window ? lines.length / 2 : 0);
		const distance = ({ at, clipped }: Place) => Math.abs(at - clipped.start - near);
		const [best] = places.toSorted((a, b) => distance(a) - distance(b));
		if (best !== undefined) return best;
	}
	return undefined;
}

/** Creates a piece from a hunk outside all other pieces. Returns undefined for a hunk that should be in the window. */
function addPiece(hunk: Hunk, pieces: Piece[], window: Piece): Place | undefined {
	const { now, newLine } = hunk;
	if (pieces.includes(window) && newLine !== undefined && window.line !== undefined) {
		if (newLine < window.line + window.lines.length && newLine + now.length > window.line) return undefined;
	}
	if (now.length === 0) return undefined;
	const piece: Piece = { lines: [...now], line: newLine, added: true };
	pieces.push(piece);
	return { piece, at: 0, clipped: { start: 0, end: 0 } };
}

/** Sorts pieces by line. Pieces with an unknown line come before the window. */
function ordered(pieces: readonly Piece[], window: Piece): Piece[] {
	const lineOf = (piece: Piece) => piece.line ?? (piece === window ? Number.MAX_SAFE_INTEGER : 0);
	return pieces.toSorted((a, b) => lineOf(a) - lineOf(b));
}

/** Joins pieces with an empty line between them. */
function textOf(pieces: readonly Piece[]): string {
	return pieces.map(({ lines }) => lines.join("\n")).join("\n\n");
}

function offsetOf(pieces: readonly Piece[], piece: Piece, line: number): number {
	let offset = 0;
	for (const one of pieces) {
		if (one === piece) break;
		offset += one.lines.join("\n").length + 2;
	}
	return offset + piece.lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
}

/** Reapplies an undone edit and returns the replacement. */
function redo({ path, step, piece, at, old, now }: Undone, pieces: readonly Piece[]): FragmentEdit {
	const from = offsetOf(pieces, piece, at);
	const isLast = at + old.length >= piece.lines.length;
	piece.lines.splice(at, old.length, ...now);
	// Lines include their trailing newline or, at the end of a piece, the newline before them.
	const lead = isLast && at > 0 ? "\n" : "";
	const tail = isLast ? "" : "\n";
	const joined = (lines: readonly string[]) => (lines.length === 0 ? "" : `${lead}${lines.join("\n")}${tail}`);
	const start = from - lead.length;
	const removed = joined(old);
	return { path, step, from: start, to: start + removed.length, old: removed, insert: joined(now) };
}
