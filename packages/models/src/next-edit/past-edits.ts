import {
	type Event,
	type Hunk,
	type PatchLine,
	parseUnified,
	printEvent,
	type Side,
	sameUri,
	type Text,
	writtenBy,
} from "@segue/text";
import type { PastEdit, PromptInput } from "./format.js";
import { Window } from "./window.js";

/** Returns the hunks of an event's unified diff, starting with the first `@@`. Empty if nothing changed. */
export function hunksOf(event: Event): string {
	const diff = printEvent(event, "a", "b");
	const start = diff.indexOf("@@ ");
	return start < 0 ? "" : diff.slice(start);
}

// Prompts use \n as the line break, in documents and in diffs.

/**
 * Returns the hunks of an edit's unified diff. Headers always have both line counts, even if they are 1: `@@ -7,1 +7,1
 * @@`.
 */
export function unifiedOf({ diff }: PastEdit): string {
	const plain = diff.replaceAll("\r\n", "\n").replaceAll(UNTERMINATED, "\n");
	return plain.replace(HEADS, (_, old, oldCount = ",1", now, nowCount = ",1") => {
		return `@@ -${old}${oldCount} +${now}${nowCount} @@`;
	});
}

// Prompts don't show whether the last line of a file is terminated.
const UNTERMINATED = "\n\\ No newline at end of file\n";
// Every other line in a diff starts with a prefix character. `^` with the m flag would also match after a \r inside
// such a line.
const HEADS = /(?<![^\n])@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@/g;

/**
 * Returns the same hunks without context, one for each change. Line numbers are zero-based, as in prompts for Copilot
 * and Inception.
 */
export function bareUnifiedOf(edit: PastEdit): string {
	return parseUnified(unifiedOf(edit)).hunks.flatMap(placesIn).join("");
}

function placesIn({ oldStart, newStart, lines }: Hunk): string[] {
	const places: string[] = [];
	const startOf = (start: number, other: PatchLine["kind"]) => {
		// In a unified diff, an empty side has the number of the line before it.
		return lines.every(({ kind }) => kind === other) ? start : start - 1;
	};
	let [oldLine, newLine] = [startOf(oldStart, "added"), startOf(newStart, "removed")];
	let [removed, added]: [string[], string[]] = [[], []];
	const end = () => {
		if (removed.length + added.length === 0) return;
		const head = `@@ -${oldLine},${removed.length} +${newLine},${added.length} @@\n`;
		places.push([head, ...removed.map((line) => `-${line}\n`), ...added.map((line) => `+${line}\n`)].join(""));
		[oldLine, newLine] = [oldLine + removed.length, newLine + added.length];
		[removed, added] = [[], []];
	};
	for (const { kind, text } of lines) {
		if (kind === "context") {
			end();
			[oldLine, newLine] = [oldLine + 1, newLine + 1];
		} else (kind === "removed" ? removed : added).push(text);
	}
	end();
	return places;
}

/** Lines in a file before and after an edit. */
interface Sides {
	readonly path: string;
	/** The line range in the old file, inclusive, one-based. */
	readonly first: number;
	readonly last: number;
	readonly old: string;
	readonly now: string;
}

// Longer changes are pastes or generated files; their start is enough.
const SIDE_LINES_MAX = 40;

/** Returns the old and new lines of each change, with a few lines of context. */
export function sidesOf(edits: readonly PastEdit[]): Sides[] {
	return edits.flatMap((edit) => {
		return parseUnified(unifiedOf(edit)).hunks.map(({ oldStart, lines }) => {
			const old = lines.filter(({ kind }) => kind !== "added").map(({ text }) => text);
			const now = lines.filter(({ kind }) => kind !== "removed").map(({ text }) => text);
			return {
				path: edit.path,
				first: oldStart,
				last: oldStart + Math.max(old.length - 1, 0),
				old: old.slice(0, SIDE_LINES_MAX).join("\n"),
				now: now.slice(0, SIDE_LINES_MAX).join("\n"),
			};
		});
	});
}

/**
 * Returns the lines of a window as they were before the latest edit to the document, or the current lines if no edit is
 * known.
 */
export function contentBefore(input: PromptInput, { from, to, content }: Window): string {
	const event = latestEvent(input);
	if (event === undefined) return content;
	const back = event.change.invert(event.before);
	const lineOf = (offset: number, side: Side) => event.before.lineAt(back.map(offset, side));
	const first = lineOf(from, "before");
	return Window.ofLines(event.before, event.before.lineStart(first), 0, lineOf(to, "after") - first).content;
}

/** Whether the latest edit to the document inserted text above the cursor's line. */
export function wroteAbove(input: PromptInput): boolean {
	const event = latestEvent(input);
	const last = event === undefined ? undefined : writtenBy(event.change).at(-1);
	if (last === undefined || last.from === last.to) return false;
	return input.text.lineAt(last.to) < input.text.lineAt(input.cursor);
}

/** Returns the document as it was before the user's first known edit. */
export function textAtFirst(input: PromptInput): Text {
	return input.edits.find((edit) => isOwn(edit, input))?.event.before ?? input.text;
}

/** Whether an edit belongs to the document. An edit to another file can have the same path. */
export function isOwn({ event }: PastEdit, { uri }: PromptInput): boolean {
	return sameUri(event.uri, uri);
}

/** Returns the event that produced the current text. */
function latestEvent(input: PromptInput): PastEdit["event"] | undefined {
	const event = input.edits.findLast((edit) => isOwn(edit, input))?.event;
	return event?.after.equals(input.text) ? event : undefined;
}
