import { Change, growthOf } from "./change.js";
import { diffLines } from "./diff.js";
import { trim } from "./rebase.js";
import { Summary } from "./summary.js";
import type { Document, Text } from "./text.js";
import { printUnified } from "./unified.js";
import { sameUri } from "./uri.js";

// A longer pause or distance starts a new event. An event shown to a model should be one logical step by the user.
const PAUSE_MS = 1000;
const APART_LINES_MAX = 8;
// Only a macro changes more locations. Each new change would have to be compared with all of them.
const EDITS_MAX = 64;

/** Changes to one document that are close in time and location, merged into one. */
export interface Event {
	readonly uri: string;
	readonly languageId: string;
	readonly before: Text;
	readonly after: Text;
	readonly change: Change;
	/** The time of the last change. */
	readonly atMs: number;
	/** Whether the event consists only of accepted suggestions. If not, it contains none. */
	readonly isAccepted: boolean;
	/** Whether the event inserted lines in one step, as a paste does. Later edits to these lines are separate events. */
	readonly isPaste: boolean;
}

/** One change to a document. */
export interface Step {
	/** The version before the change. */
	readonly document: Document;
	readonly change: Change;
	/** The text after the change. The next step must start from this same object. */
	readonly after: Text;
	readonly atMs: number;
	/** Whether the change is an accepted suggestion or part of one. */
	readonly isAccepted: boolean;
	/** Whether the change must be a separate event. */
	readonly isApart?: boolean;
}

/**
 * Adds a step to the events, which are ordered oldest to newest and limited to `eventsMax`. A step that continues the
 * last event is merged into it, and an event that restores its initial text is removed. The running time does not
 * depend on the size of the document.
 */
export function recordChange(events: readonly Event[], step: Step, eventsMax: number): readonly Event[] {
	const { document, after, atMs, isAccepted } = step;
	const fine = refine(step.change, document.text);
	if (fine.edits.length === 0) return events;
	const last = events.at(-1);
	const { uri, languageId } = document;
	const isPaste = insertsLines(fine, document.text);
	const alone = { uri, languageId, before: document.text, after, change: fine, atMs, isAccepted, isPaste };
	if (isUndone(alone.before, fine, after)) return events;
	const separate = [...events, alone].slice(-eventsMax);
	if (last === undefined || !joins(last, step)) return separate;
	const change = last.change.compose(fine);
	if (isUndone(last.before, change, after)) return events.slice(0, -1);
	if (last.isPaste || isPaste) return separate;
	return [...events.slice(0, -1), { ...alone, before: last.before, change }];
}

/**
 * Whether a change adds lines of text in one piece, as a paste does. The Enter key inserts only white space. Editors
 * that send whole lines or files replace them with as many lines.
 */
export function insertsLines({ edits }: Change, text: Text): boolean {
	const [edit] = edits;
	if (edits.length !== 1 || edit === undefined || !/[\r\n]/.test(edit.insert)) return false;
	const { from, to, insert } = trim(edit, text);
	return insert.trim() !== "" && lineBreaksIn(insert) > lineBreaksIn(text.slice(from, to));
}

function lineBreaksIn(text: string): number {
	return text.match(/\r\n?|\n/g)?.length ?? 0;
}

/**
 * Returns an equivalent change in which multi-line edits are reduced to the lines that differ. Needed for editors that
 * reformat documents or always send the whole text.
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

/** Returns the ranges that a change wrote, as offsets in the text after it. */
export function writtenBy(change: Change): { from: number; to: number }[] {
	let shift = 0;
	return change.edits.map((edit) => {
		const from = edit.from + shift;
		shift += growthOf(edit);
		return { from, to: from + edit.insert.length };
	});
}

/** Whether a step continues the last event. */
function joins(last: Event, { document, change, atMs, isAccepted, isApart }: Step): boolean {
	if (isApart || last.isAccepted !== isAccepted || atMs - last.atMs > PAUSE_MS) return false;
	if (last.change.edits.length > EDITS_MAX) return false;
	// A copy of a document may start out with the same text.
	if (last.after !== document.text || !sameUri(last.uri, document.uri)) return false;
	const place = spanOf(change.edits, document.text);
	const lastPlace = spanOf(writtenBy(last.change), document.text);
	return place.first - lastPlace.last <= APART_LINES_MAX && lastPlace.first - place.last <= APART_LINES_MAX;
}

/** Returns the first and the last line of these ranges. */
function spanOf(ranges: readonly { from: number; to: number }[], text: Text): { first: number; last: number } {
	return { first: text.lineAt(ranges[0]?.from ?? 0), last: text.lineAt(ranges.at(-1)?.to ?? 0) };
}

/** Whether a change restored the initial text. Compares only the changed range. */
function isUndone(before: Text, change: Change, after: Text): boolean {
	if (before.length !== after.length) return false;
	const { from, to } = rangeOf(change);
	return before.slice(from, to) === after.slice(from, to);
}

/** Returns the range from the start of the first edit to the end of the last edit, in the text before the change. */
function rangeOf({ edits }: Change): { from: number; to: number } {
	return { from: edits[0]?.from ?? 0, to: edits.at(-1)?.to ?? 0 };
}

// Number of context lines in a unified diff.
const CONTEXT_LINES = 3;

/**
 * Returns the unified diff of an event. The result is the same as that of `printUnified` for its two texts, but
 * unchanged parts of the texts are not read.
 */
export function printEvent({ before, after, change }: Event, oldPath: string, newPath: string): string {
	// Lines in a diff end only at \n. The text's line numbers are therefore valid only if all of its lines end in \n, too.
	if (LONE_RETURNS.of(before)) return printUnified(before.toString(), after.toString(), oldPath, newPath);
	const { from, to } = rangeOf(change);
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

// All other lines of a hunk start with a mark. `^` would also match after a \r inside a line.
const HUNK_STARTS = /(?<=\n)@@ -(\d+)((?:,\d+)?) \+(\d+)/g;

// Pieces never end inside \r\n.
const LONE_RETURNS = new Summary(
	(piece) => /\r(?!\n)/.test(piece),
	(left, right) => left || right,
);
