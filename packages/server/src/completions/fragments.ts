import type { PromptEdit, PromptParts } from "@segue/models/prompts";
import { PatchError, parseUnified } from "@segue/text";

// A prompt shows a window of the current file, excerpts of others, and diffs with the line numbers of whole files. A file is put
// together from its fragments: the window or the excerpts, and the lines of hunks that lie elsewhere. The edits are then undone one
// after the other, newest first, so that they can be played as they happened.

/** A file as far as a prompt shows it. */
interface FragmentedFile {
	readonly path: string;
	/** The text before the first edit. */
	readonly text: string;
}

/** A replacement in a file, in UTF-16 offsets of the text that the edits before it lead to. */
interface FragmentEdit {
	readonly path: string;
	/** Edits with the same number belong to one diff. */
	readonly step: number;
	readonly from: number;
	readonly to: number;
	/** The text from `from` to `to`. */
	readonly old: string;
	readonly insert: string;
}

export interface Fragments {
	/** The document of the prompt is the first. */
	readonly files: readonly FragmentedFile[];
	/** Oldest first. */
	readonly edits: readonly FragmentEdit[];
	/** Where the window begins in the text after all edits. */
	readonly windowAt: number;
}

// As many as editors send. Older ones say little about what comes next.
const EDITS_MAX = 8;
// Each hunk is searched for in its file, so both have a limit that keeps the search short. A longer hunk was not typed.
const HUNKS_MAX = 32;
const HUNK_LINES_MAX = 200;
const FILE_LINES_MAX = 20_000;
// Excerpts of other files. Editors send some ten.
const FILES_MAX = 100;
// For all hunks of a prompt. Usual prompts take some thousand; this many take about 50 ms.
const COMPARISONS_MAX = 1_000_000;
// Lines that stand for rows of a file that are not shown.
const GAP = "...";

/** Puts the files of a prompt together. Edits that do not fit are skipped. */
export function fragmentsOf({ path = UNTITLED, before, region, after, files, edits }: PromptParts): Fragments {
	// Prompts end with a line end, whether the file does or not.
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
	const played = done.toReversed().flatMap((one) => {
		const file = shown.find((other) => other.path === one.path);
		return file === undefined ? [] : [redo(one, file.pieces)];
	});
	const own = shown.find((file) => file.path === path)?.pieces ?? [];
	return { files: texts, edits: played, windowAt: offsetOf(own, window, 0) };
}

/** The path of a document that the prompt does not name. */
const UNTITLED = "untitled";

/** Consecutive lines of a file. */
interface Piece {
	lines: string[];
	/** The number of its first line in the file, counted from 1, if a hunk was found in it. */
	line: number | undefined;
	/** It was made from a hunk. */
	readonly added: boolean;
}

interface Hunk {
	readonly old: readonly string[];
	readonly now: readonly string[];
	/** How many lines at the start and at the end are context. */
	readonly context: { readonly start: number; readonly end: number };
	/** The line of the file after the edit at which it begins, counted from 1. */
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
	/** Lines of context at the start and end of the hunk that lie outside the piece. */
	readonly clipped: { readonly start: number; readonly end: number };
}

/** Where the new side of a hunk is. Its context may reach over the ends of a piece. */
function find(hunk: Hunk, pieces: readonly Piece[], window: Piece, budget: { comparisons: number }): Place | undefined {
	const { now, context, newLine } = hunk;
	// A deletion is found by its context alone, so that has to be whole at one side.
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
		// The newest edit is usually near the cursor, which is near the middle of a window.
		const near = expected ?? (piece === window ? lines.length / 2 : 0);
		const distance = ({ at, clipped }: Place) => Math.abs(at - clipped.start - near);
		const [best] = places.toSorted((a, b) => distance(a) - distance(b));
		if (best !== undefined) return best;
	}
	return undefined;
}

/** Makes a piece of a hunk that lies outside all others. Undefined if it should lie in the window, and so does not fit. */
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

/** Pieces in the order of the file, as far as that is known: those whose place is unknown come before the window. */
function ordered(pieces: readonly Piece[], window: Piece): Piece[] {
	const lineOf = (piece: Piece) => piece.line ?? (piece === window ? Number.MAX_SAFE_INTEGER : 0);
	return pieces.toSorted((a, b) => lineOf(a) - lineOf(b));
}

/** An empty line keeps two pieces apart. */
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

/** Plays an edit again, and says what that replaces. */
function redo({ path, step, piece, at, old, now }: Undone, pieces: readonly Piece[]): FragmentEdit {
	const from = offsetOf(pieces, piece, at);
	const isLast = at + old.length >= piece.lines.length;
	piece.lines.splice(at, old.length, ...now);
	// Whole lines go with the line end behind them, or with the one before them at the end of a piece.
	const lead = isLast && at > 0 ? "\n" : "";
	const tail = isLast ? "" : "\n";
	const written = (lines: readonly string[]) => (lines.length === 0 ? "" : `${lead}${lines.join("\n")}${tail}`);
	const start = from - lead.length;
	const gone = written(old);
	return { path, step, from: start, to: start + gone.length, old: gone, insert: written(now) };
}
