import {
	applyUnified,
	Change,
	type Document,
	diffLines,
	type Edit,
	type Event,
	type Patch,
	PatchError,
	parseUnified,
	recordChange,
	refine,
	sameUri,
	Text,
	writtenBy,
} from "@segue/text";

// A prompt uses about six events. The others let the gate recognize reverted edits for longer.
const EVENTS_MAX = 32;
// A change that spans more files than this is either finished or not a repeated change.
const FILES_MAX = 32;
// Users don't edit more ranges than this in one document by hand. The oldest are dropped first.
const TOUCHES_MAX = 100;

/** The user's edits, newest last. Immutable: each change returns a new history. */
export class History {
	static readonly empty = new History([], [], 0);

	/**
	 * Rebuilds a history from the current documents and the unified diffs that led to them, newest last, for clients
	 * that send diffs instead of change events. The diffs are undone one by one; those that do not apply are skipped.
	 * The diffs don't identify accepted suggestions, so `wasAccepted` does.
	 */
	static told(
		documents: readonly Document[],
		diffs: readonly { readonly uri: string; readonly diff: string }[],
		wasAccepted: (before: Document, change: Change) => boolean,
	): History {
		const texts = new Map(documents.map((document) => [document, document.text]));
		const steps: { document: Document; after: Text }[] = [];
		for (const { uri, diff } of diffs.toReversed()) {
			const document = documents.find((one) => sameUri(one.uri, uri));
			const after = document && texts.get(document);
			if (document === undefined || after === undefined) continue;
			const before = takeBack(after, diff);
			if (before === undefined) continue;
			texts.set(document, before);
			steps.push({ document: { ...document, text: before }, after });
		}
		return steps.reduceRight<History>((history, { document, after }) => {
			const change = changeBetween(document.text, after);
			const circumstances = { atMs: 0, isAccepted: wasAccepted(document, change), isApart: true };
			return history.add(document, change, circumstances);
		}, History.empty);
	}

	private constructor(
		/** The edited documents, the most recently edited last. */
		readonly files: readonly EditedFile[],
		readonly events: readonly Event[],
		/** Total number of changes. Orders touches across documents. */
		private readonly count: number,
	) {}

	/** Adds a change by the user or an accepted suggestion. `document` is the version before the change. */
	changed(document: Document, change: Change, circumstances: Circumstances): History {
		return this.opened(document).add(document, change, circumstances);
	}

	/** Records that a document was opened. If its text differs from the last known one, its history is dropped. */
	opened(document: Document): History {
		const file = this.fileOf(document.uri);
		if (file === undefined || file.now.equals(document.text)) return this;
		const events = this.events.filter((event) => !sameUri(event.uri, document.uri));
		return new History(without(this.files, file), events, this.count);
	}

	/**
	 * Merges this history with a history of other documents that was rebuilt from diffs. Diffs have no timestamps, so
	 * `newest` specifies which of the two contains the latest change.
	 */
	joined(told: History, newest: "here" | "told"): History {
		if (told.files.length === 0) return this;
		// Renumbers the rebuilt files but leaves our own files as they are, because caches are keyed by their identity.
		const shift = newest === "told" ? this.count : -told.count;
		const files = told.files.map((file) => {
			const moved = (one: Touch) => ({ ...one, order: one.order + shift });
			return { ...file, touches: file.touches.map(moved), removals: file.removals.map(moved) };
		});
		const inOrder = <T>(here: readonly T[], others: readonly T[]) => {
			return newest === "told" ? [...here, ...others] : [...others, ...here];
		};
		return new History(
			inOrder(this.files, files).slice(-FILES_MAX),
			inOrder(this.events, told.events).slice(-EVENTS_MAX),
			this.count + (newest === "told" ? told.count : 0),
		);
	}

	fileOf(uri: string): EditedFile | undefined {
		return this.files.find((file) => sameUri(file.uri, uri));
	}

	/** The text of `document` must equal the last known text, if there is one. */
	private add(document: Document, change: Change, circumstances: Circumstances): History {
		const { uri, languageId, text } = document;
		const file = this.fileOf(uri) ?? { uri, languageId, start: text, now: text, touches: [], removals: [] };
		const fine = refine(change, text);
		if (fine.edits.length === 0) return this;
		const order = this.count + 1;
		const now = circumstances.after ?? fine.apply(file.now);
		const origin = { order, isAccepted: circumstances.isAccepted };
		const touches = touch(file.touches, fine, text, now, origin);
		const removals = remove(file.removals, fine, text, origin);
		const files = [...without(this.files, file), { ...file, now, touches, removals }];
		const step = { document: { ...document, text: file.now }, change, ...circumstances, after: now };
		return new History(files.slice(-FILES_MAX), recordChange(this.events, step, EVENTS_MAX), order);
	}
}

interface Circumstances {
	readonly atMs: number;
	/** The change is an accepted suggestion, or part of one. */
	readonly isAccepted: boolean;
	/** Never merge the change with the event before it. */
	readonly isApart?: boolean;
	/** The text after the change, if the caller has it. Caches are keyed by its identity. */
	readonly after?: Text;
}

/** A document that the user edited. */
export interface EditedFile {
	readonly uri: string;
	readonly languageId: string;
	/** The text when editing began. */
	readonly start: Text;
	readonly now: Text;
	/** Ranges in the current text that the user edited, including those edited back to the original. Newest last. */
	readonly touches: readonly Touch[];
	/** The positions at which whole lines were deleted, as empty ranges in the current text. Newest last. */
	readonly removals: readonly Touch[];
}

/** An edited range. An empty range stands for its whole line. */
export interface Touch {
	readonly from: number;
	readonly to: number;
	readonly order: number;
	/** All text in the range is from accepted suggestions; the user typed nothing. */
	readonly isAccepted: boolean;
}

/**
 * Returns a test for lines that the user has edited. Their current text is intended, even if it equals the original.
 */
export function touchedIn(history: History, document: Document): (line: number) => boolean {
	const { touches = [] } = history.fileOf(document.uri) ?? {};
	const spans = touches.map((one) => editedLinesOf(one, document.text));
	return (line) => spans.some(({ first, last }) => first <= line && line <= last);
}

/** The first and last line of a touch, inclusive. */
export function editedLinesOf(
	touch: { readonly from: number; readonly to: number },
	text: Text,
): { first: number; last: number } {
	const first = text.lineAt(touch.from);
	return { first, last: touch.to > touch.from ? text.lineAt(touch.to - 1) : first };
}

function without<T>(items: readonly T[], item: T): T[] {
	return items.filter((one) => one !== item);
}

/**
 * Maps touches through a change and adds the touches made by the change. Old touches that share a line with a new one
 * are merged into it.
 */
function touch(
	touches: readonly Touch[],
	change: Change,
	before: Text,
	now: Text,
	{ order, isAccepted }: Pick<Touch, "order" | "isAccepted">,
): Touch[] {
	let old: Touch[] = [];
	for (const one of touches) {
		const to = change.map(one.to, "before");
		const from = one.from === one.to ? to : change.map(one.from, "after");
		if (from < to || one.from === one.to) old.push(movedTo(one, from, to));
	}
	const added: Touch[] = [];
	for (const [i, written] of writtenBy(change).entries()) {
		const edit = change.edits[i] as Edit;
		// Deleting whole lines does not touch the line that moves up.
		if (isRemoval(edit, before)) continue;
		let fresh: Touch = { ...written, order, isAccepted };
		const { first, last } = editedLinesOf(fresh, now);
		const start = now.lineStart(first);
		const end = last + 1 < now.lineCount ? now.lineStart(last + 1) : Number.POSITIVE_INFINITY;
		old = old.filter((one) => {
			if (Math.max(one.to - 1, one.from) < start || one.from >= end) return true;
			const [from, to] = [Math.min(one.from, fresh.from), Math.max(one.to, fresh.to)];
			fresh = { from, to, order, isAccepted: fresh.isAccepted && one.isAccepted };
			return false;
		});
		added.push(fresh);
	}
	return [...old, ...added].slice(-TOUCHES_MAX);
}

/** Maps removals through a change and adds the removals made by the change. */
function remove(
	removals: readonly Touch[],
	change: Change,
	before: Text,
	{ order, isAccepted }: Pick<Touch, "order" | "isAccepted">,
): readonly Touch[] {
	const old = removals.map((one) => {
		const at = change.map(one.from, "after");
		return movedTo(one, at, at);
	});
	const added = change.edits
		.filter((edit) => isRemoval(edit, before))
		.map((edit) => change.map(edit.from, "before"))
		.map((at) => ({ from: at, to: at, order, isAccepted }));
	return [...old, ...added].slice(-TOUCHES_MAX);
}

/**
 * Moves a touch. Copying it with spread syntax would take a microsecond, and a keystroke can move a hundred touches.
 */
function movedTo(one: Touch, from: number, to: number): Touch {
	return from === one.from && to === one.to ? one : { from, to, order: one.order, isAccepted: one.isAccepted };
}

/** Whether an edit deletes whole lines and inserts nothing. */
function isRemoval({ from, to, insert }: Edit, before: Text): boolean {
	return insert === "" && to > from && isLineStart(before, from) && isLineStart(before, to);
}

function isLineStart(text: Text, offset: number): boolean {
	return text.locate(offset).start === offset;
}

/** Returns the text before a diff, or undefined if the diff is invalid or does not apply in reverse. */
function takeBack(after: Text, diff: string): Text | undefined {
	try {
		return Text.of(applyUnified(after.toString(), invert(parseUnified(diff))));
	} catch (error) {
		if (error instanceof PatchError) return undefined;
		throw error;
	}
}

const OPPOSITE = { context: "context", removed: "added", added: "removed" } as const;

function invert({ oldPath, newPath, hunks }: Patch): Patch {
	return {
		oldPath: newPath,
		newPath: oldPath,
		hunks: hunks.map(({ oldStart, newStart, lines }) => ({
			oldStart: newStart,
			newStart: oldStart,
			lines: lines.map((line) => ({ ...line, kind: OPPOSITE[line.kind] })),
		})),
	};
}

function changeBetween(before: Text, after: Text): Change {
	return Change.of(diffLines(before.toString(), after.toString()), before.length);
}
