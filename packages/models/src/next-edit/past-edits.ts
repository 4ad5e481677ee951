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

/** The hunks of an event's unified diff, from the first `@@` on. Empty if its two texts are equal. */
export function hunksOf(event: Event): string {
	const diff = printEvent(event, "a", "b");
	const start = diff.indexOf("@@ ");
	return start < 0 ? "" : diff.slice(start);
}

// Prompts have \n at the end of every line, both in documents and in diffs.

/** The hunks of an edit's unified diff. Each head has both line counts, even where they are 1: `@@ -7,1 +7,1 @@`. */
export function unifiedOf({ diff }: PastEdit): string {
	const plain = diff.replaceAll("\r\n", "\n").replaceAll(UNTERMINATED, "\n");
	return plain.replace(HEADS, (_, old, oldCount = ",1", now, nowCount = ",1") => {
		return `@@ -${old}${oldCount} +${now}${nowCount} @@`;
	});
}

// Models are not shown whether the last line of a file has an end.
const UNTERMINATED = "\n\\ No newline at end of file\n";
// Every other line of a diff begins with a mark. `^` with the flag m would also match behind a \r inside such a line.
const HEADS = /(?<![^\n])@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@/g;

/** The same hunks without context, each changed place under a head of its own. Lines count from 0, as Copilot and Inception number them. */
export function bareUnifiedOf(edit: PastEdit): string {
	return parseUnified(unifiedOf(edit)).hunks.flatMap(placesIn).join("");
}

function placesIn({ oldStart, newStart, lines }: Hunk): string[] {
	const places: string[] = [];
	const startOf = (start: number, other: PatchLine["kind"]) => {
		// A unified diff names a side without lines by the line before it.
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

/** Lines of a file before an edit and after it. */
interface Sides {
	readonly path: string;
	/** Where they are in the file before, both included, counted from 1. */
	readonly first: number;
	readonly last: number;
	readonly old: string;
	readonly now: string;
}

// A change of more lines than this is a paste or a generated file; its beginning is enough.
const SIDE_LINES_MAX = 40;

/** The lines before and after each changed place of some edits, with a few lines of context. */
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

/** The lines of a window before the latest edit of the document; as they are where nothing is known of one. */
export function contentBefore(input: PromptInput, { from, to, content }: Window): string {
	const event = latestEvent(input);
	if (event === undefined) return content;
	const back = event.change.invert(event.before);
	const lineOf = (offset: number, side: Side) => event.before.lineAt(back.map(offset, side));
	const first = lineOf(from, "before");
	return Window.ofLines(event.before, event.before.lineStart(first), 0, lineOf(to, "after") - first).content;
}

/** Whether the latest edit of the document wrote something above the cursor's line. */
export function wroteAbove(input: PromptInput): boolean {
	const event = latestEvent(input);
	const last = event === undefined ? undefined : writtenBy(event.change).at(-1);
	if (last === undefined || last.from === last.to) return false;
	return input.text.lineAt(last.to) < input.text.lineAt(input.cursor);
}

/** The document as it was before all that is known of what the user did to it. */
export function textAtFirst(input: PromptInput): Text {
	return input.edits.find((edit) => isOwn(edit, input))?.event.before ?? input.text;
}

/** Whether an edit belongs to the document. An edit of another file can have the same path. */
export function isOwn({ event }: PastEdit, { uri }: PromptInput): boolean {
	return sameUri(event.uri, uri);
}

/** The event that led to the present text. */
function latestEvent(input: PromptInput): PastEdit["event"] | undefined {
	const event = input.edits.findLast((edit) => isOwn(edit, input))?.event;
	return event?.after.equals(input.text) ? event : undefined;
}
