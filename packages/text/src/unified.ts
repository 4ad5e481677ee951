import { diffItems, type Replaced } from "./diff.js";

// Unified diffs in the format of `diff -u` and git. Lines end only at \n; a \r before it is part of the line, so that
// files with any line endings are preserved byte for byte.

/** A unified diff of one file. Line numbers count from 1. */
export interface Patch {
	/** The paths in the headers; undefined if there are no headers. */
	readonly oldPath: string | undefined;
	readonly newPath: string | undefined;
	readonly hunks: readonly Hunk[];
}

export interface Hunk {
	readonly oldStart: number;
	readonly newStart: number;
	readonly lines: readonly PatchLine[];
}

export interface PatchLine {
	readonly kind: "context" | "removed" | "added";
	readonly text: string;
	/** Whether the line is followed by "\ No newline at end of file". */
	readonly isUnterminated: boolean;
}

/** Thrown for a diff that cannot be parsed or does not match the text it is applied to. */
export class PatchError extends Error {
	override readonly name = "PatchError";
}

const CONTEXT_LINES = 3;
const UNTERMINATED = "\\ No newline at end of file";
const SEVERAL_FILES = "the diff contains more than one file";
const MARKS = { context: " ", removed: "-", added: "+" } as const;

/** Returns the unified diff of two texts, or "" if they are equal. */
export function printUnified(before: string, after: string, oldPath: string, newPath: string): string {
	const old = readFile(before);
	const now = readFile(after);
	// An unterminated last line must differ from the same line with a newline.
	const replaced = diffItems(keysOf(old), keysOf(now));
	if (replaced.length === 0) return "";
	const hunks = group(replaced).map((replacements) => printHunk(old, now, replacements));
	return `--- ${oldPath}\n+++ ${newPath}\n${hunks.join("")}`;
}

function keysOf(file: File): string[] {
	return file.lines.map((line, i) => (isUnterminatedLine(file, i) ? line : `${line}\n`));
}

function group(replaced: readonly Replaced[]): Replaced[][] {
	const groups: Replaced[][] = [];
	for (const replacement of replaced) {
		const last = groups.at(-1)?.at(-1);
		if (last !== undefined && replacement.from - last.to <= 2 * CONTEXT_LINES) groups.at(-1)?.push(replacement);
		else groups.push([replacement]);
	}
	return groups;
}

function printHunk(old: File, now: File, replacements: readonly Replaced[]): string {
	const first = replacements[0] as Replaced;
	const last = replacements.at(-1) as Replaced;
	const from = Math.max(first.from - CONTEXT_LINES, 0);
	const to = Math.min(last.to + CONTEXT_LINES, old.lines.length);
	const newFrom = first.newFrom - (first.from - from);
	const newTo = last.newTo + (to - last.to);
	let body = "";
	const print = (kind: PatchLine["kind"], file: File, start: number, end: number) => {
		for (let i = start; i < end; i++) {
			body += `${MARKS[kind]}${file.lines[i]}\n`;
			if (isUnterminatedLine(file, i)) body += `${UNTERMINATED}\n`;
		}
	};
	let at = from;
	for (const replacement of replacements) {
		print("context", old, at, replacement.from);
		print("removed", old, replacement.from, replacement.to);
		print("added", now, replacement.newFrom, replacement.newTo);
		at = replacement.to;
	}
	print("context", old, at, to);
	return `@@ -${printSpan(from, to)} +${printSpan(newFrom, newTo)} @@\n${body}`;
}

/** Formats one side of a hunk header. An empty side has the number of the line before it. */
function printSpan(from: number, to: number): string {
	if (to - from === 1) return `${from + 1}`;
	return `${to === from ? from : from + 1},${to - from}`;
}

/** Parses the unified diff of one file. Skips any lines before the headers. The headers may be missing. */
export function parseUnified(diff: string): Patch {
	const lines = diff.split("\n");
	if (lines.at(-1) === "") lines.pop();
	let oldPath: string | undefined;
	let newPath: string | undefined;
	const hunks: Hunk[] = [];
	let at = 0;
	while (at < lines.length) {
		const line = lines[at] as string;
		if (line.startsWith("@@")) {
			const hunk = parseHunk(lines, at);
			hunks.push(hunk);
			at += 1 + hunk.lines.length + hunk.lines.filter((l) => l.isUnterminated).length;
		} else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
			if (hunks.length > 0 || oldPath !== undefined) throw new PatchError(`line ${at + 1}: ${SEVERAL_FILES}`);
			oldPath = parsePath(line);
			newPath = parsePath(lines[at + 1] as string);
			at += 2;
		} else if (line === "-- ") {
			break; // the mail signature that git writes after a patch
		} else if (hunks.length > 0 && line.trim() !== "") {
			const isNextFile = line.startsWith("diff ");
			throw new PatchError(`line ${at + 1}: ${isNextFile ? SEVERAL_FILES : "expected a hunk that starts with @@"}`);
		} else at++;
	}
	if (hunks.length === 0 && diff.trim() !== "") throw new PatchError("the diff contains no hunk that starts with @@");
	return { oldPath, newPath, hunks };
}

function parsePath(header: string): string {
	return header.slice(4).replace(/\t.*$/, "").trimEnd();
}

function parseHunk(lines: readonly string[], at: number): Hunk {
	const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] as string);
	if (header === null) throw new PatchError(`line ${at + 1}: a hunk must start with "@@ -1,2 +1,2 @@"`);
	const oldCount = Number(header[2] ?? 1);
	const newCount = Number(header[4] ?? 1);
	const body: PatchLine[] = [];
	let oldSeen = 0;
	let newSeen = 0;
	for (let i = at + 1; oldSeen < oldCount || newSeen < newCount; i++) {
		const line = lines[i];
		const kind = line === undefined ? undefined : kindOf(line);
		if (line === undefined || kind === undefined) {
			const expected = `${oldCount} old and ${newCount} new lines`;
			throw new PatchError(
				`line ${at + 1}: the hunk header specifies ${expected}, but the hunk has ${oldSeen} and ${newSeen}`,
			);
		}
		if (kind !== "added") oldSeen++;
		if (kind !== "removed") newSeen++;
		const isUnterminated = lines[i + 1]?.startsWith("\\") ?? false;
		if (isUnterminated) i++;
		const text = isTrimmed(line) ? line : line.slice(1);
		body.push({ kind, text, isUnterminated });
	}
	return { oldStart: Number(header[1]), newStart: Number(header[3]), lines: body };
}

function kindOf(line: string): PatchLine["kind"] | undefined {
	if (line.startsWith("+")) return "added";
	if (line.startsWith("-")) return "removed";
	return line.startsWith(" ") || isTrimmed(line) ? "context" : undefined;
}

/** Whether a line is an empty context line whose mark was trimmed by an editor or mailer. */
function isTrimmed(line: string): boolean {
	return line === "" || line === "\r";
}

/**
 * Applies a patch to a text. If one side of a hunk is empty, its line number is ignored, because tools disagree on it.
 * If the diff does not say whether the last line is terminated, the line's ending stays unchanged. Throws a PatchError
 * that names the first line that does not match.
 */
export function applyUnified(before: string, patch: Patch): string {
	const file = readFile(before);
	const result: string[] = [];
	let at = 0;
	let isEndRemoved = false;
	let unterminated: number | undefined; // the result's line that the diff leaves without a newline, from 1
	const keepUpTo = (end: number) => {
		while (at < end) result.push(file.lines[at++] as string);
	};
	for (const hunk of patch.hunks) {
		const old = hunk.lines.filter((line) => line.kind !== "added");
		const start = old.length > 0 ? hunk.oldStart - 1 : at + (hunk.newStart - 1 - result.length);
		if (start < at || start + old.length > file.lines.length) {
			throw new PatchError(`line ${start + 1}: the hunk is outside the text or before the previous hunk`);
		}
		keepUpTo(start);
		for (const line of hunk.lines) {
			if (line.kind !== "added") {
				const isPlace = file.lines[at] === line.text && (!line.isUnterminated || isUnterminatedLine(file, at));
				if (!isPlace) throw new PatchError(`line ${at + 1}: the text does not match the diff`);
				at++;
			}
			if (line.kind !== "removed") result.push(line.text);
			if (!line.isUnterminated) continue;
			if (line.kind === "removed") isEndRemoved = true;
			else unterminated = result.length;
		}
	}
	keepUpTo(file.lines.length);
	if (unterminated !== undefined && unterminated < result.length) {
		throw new PatchError(`line ${unterminated}: the diff removes its newline, but other lines follow`);
	}
	return printFile({ lines: result, isTerminated: unterminated === undefined && (isEndRemoved || file.isTerminated) });
}

interface File {
	readonly lines: readonly string[];
	readonly isTerminated: boolean;
}

function readFile(text: string): File {
	if (text === "") return { lines: [], isTerminated: true };
	const lines = text.split("\n");
	const isTerminated = lines.at(-1) === "";
	if (isTerminated) lines.pop();
	return { lines, isTerminated };
}

function printFile(file: File): string {
	return file.lines.join("\n") + (file.isTerminated && file.lines.length > 0 ? "\n" : "");
}

function isUnterminatedLine(file: File, line: number): boolean {
	return !file.isTerminated && line === file.lines.length - 1;
}
