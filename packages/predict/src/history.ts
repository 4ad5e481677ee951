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

// A prompt takes about six events. The rest are kept so that what was undone is known for longer.
const EVENTS_MAX = 32;
// A change that reaches further than this is done by now, or is not one that repeats.
const FILES_MAX = 32;
// More places than this in one document are not edited by hand; the oldest are forgotten first.
const TOUCHES_MAX = 100;

/** What the user changed, newest last. A value: every change makes another history. */
export class History {
	static readonly empty = new History([], [], 0);

	/**
	 * The history that a client tells instead of showing it: documents as they are now, and unified diffs that led
	 * there, newest last. They are taken back one after the other; a diff that does not fit is passed over. The client
	 * does not say which of them are suggestions that were accepted; who made those can tell.
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
		/** The documents that were changed, the most recently changed last. */
		readonly files: readonly EditedFile[],
		readonly events: readonly Event[],
		/** How many changes there were: what orders the touches of all documents. */
		private readonly count: number,
	) {}

	/** The user, or an accepted suggestion, changed a document. `document` is the version before. */
	changed(document: Document, change: Change, circumstances: Circumstances): History {
		return this.opened(document).add(document, change, circumstances);
	}

	/** A document was opened. If its text is not the one that was left, it was changed by others, and is begun anew. */
	opened(document: Document): History {
		const file = this.fileOf(document.uri);
		if (file === undefined || file.now.equals(document.text)) return this;
		const events = this.events.filter((event) => !sameUri(event.uri, document.uri));
		return new History(without(this.files, file), events, this.count);
	}

	/**
	 * This history and one of other documents, which was told. When those were changed is not known but for one thing:
	 * whether the newest change of all is among them.
	 */
	joined(told: History, newest: "here" | "told"): History {
		if (told.files.length === 0) return this;
		// Those told are moved, because what is known of a file is kept by its identity.
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

	/** `document` has the text that is known for it, if any is. */
	private add(document: Document, change: Change, circumstances: Circumstances): History {
		const { uri, languageId, text } = document;
		const file = this.fileOf(uri) ?? { uri, languageId, start: text, now: text, touches: [], removals: [] };
		const fine = refine(change, text);
		if (fine.edits.length === 0) return this;
		const order = this.count + 1;
		const now = circumstances.after ?? fine.apply(file.now);
		const deed = { order, isAccepted: circumstances.isAccepted };
		const touches = touch(file.touches, fine, text, now, deed);
		const removals = remove(file.removals, fine, text, deed);
		const files = [...without(this.files, file), { ...file, now, touches, removals }];
		const step = { document: { ...document, text: file.now }, change, ...circumstances, after: now };
		return new History(files.slice(-FILES_MAX), recordChange(this.events, step, EVENTS_MAX), order);
	}
}

interface Circumstances {
	readonly atMs: number;
	/** The change is an accepted suggestion, or a part of one. */
	readonly isAccepted: boolean;
	/** It is an event of its own, whatever happened before it. */
	readonly isApart?: boolean;
	/** The text after the change, where somebody has it: what is known of a text is kept by its identity. */
	readonly after?: Text;
}

/** A document that the user changed. */
export interface EditedFile {
	readonly uri: string;
	readonly languageId: string;
	/** The text when editing began. */
	readonly start: Text;
	readonly now: Text;
	/** Where the user has been: stretches of the present text, also those that are again as they were. Newest last. */
	readonly touches: readonly Touch[];
	/** Where whole lines went: offsets of the present text, as empty stretches. Newest last. */
	readonly removals: readonly Touch[];
}

/** An empty stretch is of the line that it lies on. */
export interface Touch {
	readonly from: number;
	readonly to: number;
	readonly order: number;
	/** All that was written there are accepted suggestions; nothing is by the user's own hand. */
	readonly isAccepted: boolean;
}

/** Tells which lines of a document the user has been on: what is there now is meant, even if it is as it was before. */
export function touchedIn(history: History, document: Document): (line: number) => boolean {
	const { touches = [] } = history.fileOf(document.uri) ?? {};
	const spans = touches.map((one) => editedLinesOf(one, document.text));
	return (line) => spans.some(({ first, last }) => first <= line && line <= last);
}

/** The lines that a touch is of, both included. */
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

/** Carries touches over a change and adds its own. One that shares a line with a new one is part of it from now on. */
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
		// Where whole lines went, the line that moved up is not touched.
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

/** Carries removals over a change and adds its own. */
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

/** A touch at another place. To spread it instead takes a microsecond, for each of a hundred with every keystroke. */
function movedTo(one: Touch, from: number, to: number): Touch {
	return from === one.from && to === one.to ? one : { from, to, order: one.order, isAccepted: one.isAccepted };
}

/** Whether an edit takes whole lines away and leaves nothing. */
function isRemoval({ from, to, insert }: Edit, before: Text): boolean {
	return insert === "" && to > from && isLineStart(before, from) && isLineStart(before, to);
}

function isLineStart(text: Text, offset: number): boolean {
	return text.locate(offset).start === offset;
}

/** The text before a diff, undefined where the diff cannot be read or has not led to this text. */
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
