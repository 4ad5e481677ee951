import { Change, growthOf } from "./change.js";
import { diffLines } from "./diff.js";
import { Summary } from "./summary.js";
import type { Document, Text } from "./text.js";
import { printUnified } from "./unified.js";
import { sameUri } from "./uri.js";

// A pause this long, or a change further away than this, begins another event. What is shown to a model as one event
// should be one thought of the user.
const PAUSE_MS = 1000;
const APART_LINES_MAX = 8;
// Whoever changes more places than this has a macro do it. Every further change would have to be held against them all.
const EDITS_MAX = 64;

/** Changes of one document, close in time and place, as one. */
export interface Event {
	readonly uri: string;
	readonly languageId: string;
	readonly before: Text;
	readonly after: Text;
	readonly change: Change;
	/** When it ended. */
	readonly atMs: number;
	/** All of it are accepted suggestions; otherwise none of it is. */
	readonly isAccepted: boolean;
}

/** One change of a document, as it was made. */
export interface Step {
	/** The version before. */
	readonly document: Document;
	readonly change: Change;
	/** The text that the change led to: the very value that the next step begins with. */
	readonly after: Text;
	readonly atMs: number;
	/** The change is an accepted suggestion, or a part of one. */
	readonly isAccepted: boolean;
	/** It is an event of its own, whatever happened before it. */
	readonly isApart?: boolean;
}

/**
 * The events after one more step, newest last and at most so many. A step that goes on with the last event becomes part
 * of it, and an event that leads back to where it began disappears. The size of the document makes no difference.
 */
export function recordChange(events: readonly Event[], step: Step, eventsMax: number): readonly Event[] {
	const { document, after, atMs, isAccepted } = step;
	const fine = refine(step.change, document.text);
	if (fine.edits.length === 0) return events;
	const last = events.at(-1);
	const joined = last !== undefined && joins(last, step) ? last : undefined;
	const before = joined?.before ?? document.text;
	const change = joined?.change.compose(fine) ?? fine;
	const others = joined === undefined ? events : events.slice(0, -1);
	if (isUndone(before, change, after)) return others;
	const { uri, languageId } = document;
	return [...others, { uri, languageId, before, after, change, atMs, isAccepted }].slice(-eventsMax);
}

/**
 * The same change, in which an edit of several lines leaves alone what it does not change. An editor that always sends
 * the whole text, or formats it, thus touches only what became different.
 */
export function refine(change: Change, text: Text): Change {
	const edits = change.edits.flatMap((edit) => {
		const old = text.slice(edit.from, edit.to);
		if (!/[\r\n]/.test(old) || !/[\r\n]/.test(edit.insert)) return old === edit.insert ? [] : [edit];
		return diffLines(old, edit.insert).map(({ from, to, insert }) => {
			return { from: edit.from + from, to: edit.from + to, insert };
		});
	});
	return Change.of(edits, text.length);
}

/** The stretches that a change wrote, in the text after it. */
export function writtenBy(change: Change): { from: number; to: number }[] {
	let shift = 0;
	return change.edits.map((edit) => {
		const from = edit.from + shift;
		shift += growthOf(edit);
		return { from, to: from + edit.insert.length };
	});
}

/** Whether a step goes on with the last event. */
function joins(last: Event, { document, change, atMs, isAccepted, isApart }: Step): boolean {
	if (isApart || last.isAccepted !== isAccepted || atMs - last.atMs > PAUSE_MS) return false;
	if (last.change.edits.length > EDITS_MAX) return false;
	// A copy of a document may begin with the very same text.
	if (last.after !== document.text || !sameUri(last.uri, document.uri)) return false;
	const place = spanOf(change.edits, document.text);
	const lastPlace = spanOf(writtenBy(last.change), document.text);
	return place.first - lastPlace.last <= APART_LINES_MAX && lastPlace.first - place.last <= APART_LINES_MAX;
}

/** The lines from the first of some stretches to the last. */
function spanOf(stretches: readonly { from: number; to: number }[], text: Text): { first: number; last: number } {
	return { first: text.lineAt(stretches[0]?.from ?? 0), last: text.lineAt(stretches.at(-1)?.to ?? 0) };
}

/** Whether a change has led to the text that it began with. Only the stretch that it is about is looked at. */
function isUndone(before: Text, change: Change, after: Text): boolean {
	if (before.length !== after.length) return false;
	const { from, to } = stretchOf(change);
	return before.slice(from, to) === after.slice(from, to);
}

/** From the start of the first edit to the end of the last, in the text before. */
function stretchOf({ edits }: Change): { from: number; to: number } {
	return { from: edits[0]?.from ?? 0, to: edits.at(-1)?.to ?? 0 };
}

// As many lines as a unified diff shows around what changed.
const CONTEXT_LINES = 3;

/** The unified diff of an event: what `printUnified` prints of its two texts, without a look at the rest of them. */
export function printEvent({ before, after, change }: Event, oldPath: string, newPath: string): string {
	// The lines of a diff end at \n alone, so those of a text can be counted for it only where all of them end so.
	if (LONE_RETURNS.of(before)) return printUnified(before.toString(), after.toString(), oldPath, newPath);
	const { from, to } = stretchOf(change);
	const firstLine = Math.max(before.lineAt(from) - CONTEXT_LINES, 0);
	const nextLine = before.lineAt(to) + CONTEXT_LINES + 1;
	const start = before.lineStart(firstLine);
	const end = nextLine < before.lineCount ? before.lineStart(nextLine) : before.length;
	const newEnd = after.length - (before.length - end);
	const diff = printUnified(before.slice(start, end), after.slice(start, newEnd), oldPath, newPath);
	return diff.replace(HUNK_STARTS, (_, oldLine, oldCount, newLine) => {
		return `@@ -${Number(oldLine) + firstLine}${oldCount} +${Number(newLine) + firstLine}`;
	});
}

// Every other line of a hunk begins with a mark. `^` would also match behind a \r inside such a line.
const HUNK_STARTS = /(?<=\n)@@ -(\d+)((?:,\d+)?) \+(\d+)/g;

// No piece ends inside \r\n.
const LONE_RETURNS = new Summary(
	(piece) => /\r(?!\n)/.test(piece),
	(left, right) => left || right,
);
