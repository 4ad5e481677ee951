import type { ModelHunk, ModelWithoutEdit, NoModelEditReason } from "@segue/predict";
import { Change, type Edit, rebase, sameUri, type Text } from "@segue/text";
import type { EditReply } from "./edit-model.js";
import type { OffsetRange } from "./format.js";

// Enough for the versions that a user is likely to return to with undo. They share the memory for their common text.
const ANSWERS_MAX = 50;

/** Caches a model's recent replies by document and text. */
export class AnswerCache {
	/** Least recently used first. */
	private readonly answers = new Set<CachedAnswer>();

	/** Adds a reply, which may still be pending. Evicts the least recently used reply. */
	add(answer: CachedAnswer): void {
		this.answers.delete(answer);
		this.answers.add(answer);
		const [oldest] = this.answers;
		if (this.answers.size > ANSWERS_MAX && oldest !== undefined) this.answers.delete(oldest);
	}

	delete(answer: CachedAnswer): void {
		this.answers.delete(answer);
	}

	/**
	 * Returns the replies that apply to this version of a document. Replies requested for exactly this version come
	 * first, then the most recent ones.
	 */
	find(uri: string, text: Text): readonly RebasedAnswer[] {
		const found = [...this.answers]
			.filter((answer) => sameUri(answer.uri, uri))
			.toReversed()
			.flatMap((answer) => answer.rebasedTo(text) ?? []);
		for (const { answer } of found.toReversed()) this.add(answer);
		return [...found.filter(({ isExact }) => isExact), ...found.filter(({ isExact }) => !isExact)];
	}
}

/**
 * A reply adjusted to a version of the document: the version it was requested for, or a later one in which the user has
 * made part of the suggested changes. Its offsets refer to that version.
 */
export interface RebasedAnswer {
	readonly answer: CachedAnswer;
	/** Whether the reply was requested for exactly this version. */
	readonly isExact: boolean;
	readonly window: OffsetRange;
	/** The remaining hunks, without those the user rejected. */
	readonly hunks: readonly RebasedHunk[];
}

interface RebasedHunk extends ModelHunk {
	/** The index of the hunk in the reply. */
	readonly index: number;
}

/** Why a model suggested no edit, with an optional message for the user. */
export interface AnswerFailure {
	readonly silence: NoModelEditReason;
	readonly detail?: string;
	readonly model?: ModelWithoutEdit;
}

/** A model's reply for one version of a document. Grows until the reply ends. */
export class CachedAnswer {
	/** The hunks received so far. They no longer change. */
	private hunks: readonly ModelHunk[] = [];
	private window: OffsetRange;
	private readonly rejected = new Set<number>();
	private why: AnswerFailure | undefined;
	private over = false;
	private whole = false;
	/** The provider's id of the reply, if any. */
	id: string | undefined;

	constructor(
		readonly uri: string,
		readonly text: Text,
		cursor: number,
	) {
		const line = text.lineAt(cursor);
		// Assume that the window is the cursor's line until the model reports it.
		this.window = { from: text.lineStart(line), to: text.lineEnd(line) };
	}

	/** Whether nothing more will arrive. */
	get isOver(): boolean {
		return this.over;
	}

	/** Whether the model completed its reply. */
	get isWhole(): boolean {
		return this.whole;
	}

	get isEmpty(): boolean {
		return this.hunks.length === 0;
	}

	/** Why the reply contains no edit. */
	get failure(): AnswerFailure | undefined {
		return this.why;
	}

	/** Whether the offset is inside the window that the model could edit. */
	covers(offset: number): boolean {
		return this.window.from <= offset && offset <= this.window.to;
	}

	grow(reply: EditReply): void {
		this.window = reply.window;
		this.whole = reply.isWhole;
		this.id = reply.id;
		if ("hunks" in reply) this.hunks = reply.hunks;
		else this.why = { silence: reply.nothing };
	}

	end(failure?: AnswerFailure): void {
		this.over = true;
		this.why ??= failure;
	}

	/** Drops a rejected hunk and any remainder of it. */
	reject(index: number): void {
		this.rejected.add(index);
	}

	/**
	 * Returns the reply adjusted to a later version, if the user's changes are all part of the reply: complete hunks,
	 * and at most one partial hunk. Applying the rest then leads to the same result. Returns undefined if the user's
	 * changes lead to a different result.
	 */
	rebasedTo(text: Text): RebasedAnswer | undefined {
		const { window } = this;
		if (this.text.equals(text)) return this.rebased(true, window, this.parts());
		const parts = rebaseParts(this.parts(), this.text, text);
		const to = window.to + text.length - this.text.length;
		return parts && this.rebased(false, { from: window.from, to: Math.max(window.from, to) }, parts);
	}

	private parts(): Part[] {
		return this.hunks.flatMap(({ edits }, index) => edits.map((edit) => ({ edit, index })));
	}

	private rebased(isExact: boolean, window: OffsetRange, parts: readonly Part[]): RebasedAnswer {
		const hunks = this.hunks.flatMap(({ isCut }, index) => {
			const edits = parts.filter((part) => part.index === index).map(({ edit }) => edit);
			return edits.length === 0 || this.rejected.has(index) ? [] : [{ index, isCut, edits }];
		});
		return { answer: this, isExact, window, hunks };
	}
}

/** An edit and the index of the hunk it belongs to. */
interface Part {
	readonly edit: Edit;
	readonly index: number;
}

/** Returns the rest of the edits for a later version, or undefined if the user also made other changes. */
function rebaseParts(parts: readonly Part[], before: Text, text: Text): readonly Part[] | undefined {
	let goal: Text | undefined;
	for (const left of remainders(parts, before, text)) {
		goal ??= changeOf(parts, before).apply(before);
		if (leadsTo(goal, left, text)) return left;
	}
	return undefined;
}

/**
 * Yields candidates for the remaining edits. If several lines are identical, it is unclear which of them the user
 * wrote, so a candidate can be wrong.
 */
function* remainders(parts: readonly Part[], before: Text, text: Text): Generator<readonly Part[]> {
	yield* remaindersOfOne(parts, before, text);
	const made = withoutMade(parts, before, text);
	if (made.parts.length < parts.length) yield* remaindersOfOne(made.parts, made.before, text);
}

/** Yields candidates if at most one of the edits was made, completely or partially. */
function* remaindersOfOne(parts: readonly Part[], before: Text, text: Text): Generator<readonly Part[]> {
	const difference = differenceOf(before, text);
	if (difference === undefined) {
		yield parts;
		return;
	}
	const { from, to } = difference;
	const typed = { from, to, insert: text.slice(from, to + text.length - before.length) };
	for (const edit of [typed, leftmost(typed, before)]) {
		yield* remaindersAfter(Change.of([edit], before.length), parts, before);
	}
}

/** Yields candidates if the change is the start of one of the edits. Adjusts the offsets of the others. */
function* remaindersAfter(change: Change, parts: readonly Part[], before: Text): Generator<readonly Part[]> {
	for (const started of parts) {
		const rebased = rebase([started.edit], change, before);
		if (rebased.kind !== "rebased" || rebased.elsewhere.length > 0) continue;
		yield parts.flatMap((part) => {
			const edits = part === started ? rebased.edits : [change.mapEdit(part.edit, "after")];
			return edits.flatMap((edit) => (edit === undefined ? [] : [{ edit, index: part.index }]));
		});
	}
}

/** Whether the edits are in order and turn the text into the goal. */
function leadsTo(goal: Text, parts: readonly Part[], text: Text): boolean {
	if (!parts.every(({ edit }, i) => edit.from >= (parts[i - 1]?.edit.to ?? 0))) return false;
	const change = changeOf(parts, text);
	return change.lengthAfter === goal.length && change.apply(text).equals(goal);
}

function changeOf(parts: readonly Part[], text: Text): Change {
	return Change.of(
		parts.map(({ edit }) => edit),
		text.length,
	);
}

/**
 * Moves an insertion as far left as possible. Comparing two versions does not show how a line was inserted: as a line
 * break followed by the line, or as the line followed by its break.
 */
function leftmost({ from, to, insert }: Edit, text: Text): Edit {
	if (from !== to) return { from, to, insert };
	let steps = 0;
	while (steps < insert.length && steps < from) {
		if (text.codeAt(from - steps - 1) !== insert.charCodeAt(insert.length - steps - 1)) break;
		steps++;
	}
	const kept = insert.length - steps;
	return { from: from - steps, to: from - steps, insert: insert.slice(kept) + insert.slice(0, kept) };
}

/** Applies the edits that the user made completely, and returns the others with offsets in the resulting text. */
function withoutMade(parts: readonly Part[], text: Text, wanted: Text): { parts: readonly Part[]; before: Text } {
	const left: Part[] = [];
	let before = text;
	let shift = 0;
	for (const { edit, index } of parts) {
		const [from, to] = [edit.from + shift, edit.to + shift];
		const moved = { from, to, insert: edit.insert };
		const made = before.replace(from, to, edit.insert);
		const untouched = differenceOf(before, wanted);
		const done = differenceOf(made, wanted);
		const isUntouched = untouched === undefined || untouched.to < from || to < untouched.from;
		const isMade = done === undefined || done.to <= from || from + edit.insert.length <= done.from;
		if (isUntouched || !isMade) left.push({ edit: moved, index });
		else {
			shift += made.length - before.length;
			before = made;
		}
	}
	return { parts: left, before };
}

/** Returns the range in which one text differs from another. */
function differenceOf(text: Text, other: Text): OffsetRange | undefined {
	const { head, tail } = text.common(other);
	if (head === text.length && head === other.length) return undefined;
	return { from: head, to: text.length - tail };
}
