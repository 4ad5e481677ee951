import type { ModelHunk, ModelWithoutEdit, NoModelEditReason } from "@segue/predict";
import { Change, type Edit, rebase, sameUri, type Text } from "@segue/text";
import type { EditReply } from "./edit-model.js";
import type { OffsetRange } from "./format.js";

// As many texts as somebody comes back to by undoing. What they have in common is held once.
const ANSWERS_MAX = 50;

/** What a model wrote lately, for which text of which document. */
export class AnswerCache {
	/** The one that was of use last comes last. */
	private readonly answers = new Set<CachedAnswer>();

	/** Keeps an answer, also one that is still to come. The one that was of no use for the longest time goes for it. */
	add(answer: CachedAnswer): void {
		this.answers.delete(answer);
		this.answers.add(answer);
		const [oldest] = this.answers;
		if (this.answers.size > ANSWERS_MAX && oldest !== undefined) this.answers.delete(oldest);
	}

	delete(answer: CachedAnswer): void {
		this.answers.delete(answer);
	}

	/** What holds for a text of a document: what was written for this very text first, then what was asked for last. */
	find(uri: string, text: Text): readonly RebasedAnswer[] {
		const held = [...this.answers]
			.filter((answer) => sameUri(answer.uri, uri))
			.toReversed()
			.flatMap((answer) => answer.rebasedTo(text) ?? []);
		for (const { answer } of held.toReversed()) this.add(answer);
		return [...held.filter(({ isExact }) => isExact), ...held.filter(({ isExact }) => !isExact)];
	}
}

/** An answer in the offsets of a text that the user came to by doing a part of it, or nothing yet. */
export interface RebasedAnswer {
	readonly answer: CachedAnswer;
	/** It is the very text that the answer was asked for. */
	readonly isExact: boolean;
	readonly window: OffsetRange;
	/** What is left of its hunks, without those that the user rejected. */
	readonly hunks: readonly RebasedHunk[];
}

interface RebasedHunk extends ModelHunk {
	/** Which one of the answer's it is. */
	readonly index: number;
}

/** Why nothing came of a model, with a sentence for the user where there is more to say. */
export interface AnswerFailure {
	readonly silence: NoModelEditReason;
	readonly detail?: string;
	readonly model?: ModelWithoutEdit;
}

/** What a model writes for one text of a document. It grows until it is over. */
export class CachedAnswer {
	/** What there is so far: hunks that are settled, or why there are none. */
	private hunks: readonly ModelHunk[] = [];
	private window: OffsetRange;
	private readonly rejected = new Set<number>();
	private why: AnswerFailure | undefined;
	private over = false;
	private whole = false;
	/** The provider's name for it, where it has one. */
	id: string | undefined;

	constructor(
		readonly uri: string,
		readonly text: Text,
		cursor: number,
	) {
		const line = text.lineAt(cursor);
		// Until the model's own window is known, it is about the line that it was asked on.
		this.window = { from: text.lineStart(line), to: text.lineEnd(line) };
	}

	/** Nothing more comes. */
	get isOver(): boolean {
		return this.over;
	}

	/** All that the model had to say is there. */
	get isWhole(): boolean {
		return this.whole;
	}

	get isEmpty(): boolean {
		return this.hunks.length === 0;
	}

	/** Why nothing came of it, where nothing did. */
	get failure(): AnswerFailure | undefined {
		return this.why;
	}

	/** Whether it speaks of a place of its text. */
	covers(offset: number): boolean {
		return this.window.from <= offset && offset <= this.window.to;
	}

	grow(answered: EditReply): void {
		this.window = answered.window;
		this.whole = answered.isWhole;
		this.id = answered.id;
		if ("hunks" in answered) this.hunks = answered.hunks;
		else this.why = { silence: answered.nothing };
	}

	end(failure?: AnswerFailure): void {
		this.over = true;
		this.why ??= failure;
	}

	/** The user wants no more of a hunk, whatever is left of it. */
	reject(index: number): void {
		this.rejected.add(index);
	}

	/**
	 * The answer for another text, where all that the user changed is part of it: edits that were made whole, and one that
	 * was begun. It leads to the same text then; what leads elsewhere is no more what the model meant.
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

/** An edit of a hunk. */
interface Part {
	readonly edit: Edit;
	readonly index: number;
}

/** What is left of some edits of one text in another; undefined where the other was come to in another way. */
function rebaseParts(parts: readonly Part[], before: Text, text: Text): readonly Part[] | undefined {
	let goal: Text | undefined;
	for (const left of carriedInSomeWay(parts, before, text)) {
		goal ??= changeOf(parts, before).apply(before);
		if (leadsTo(goal, left, text)) return left;
	}
	return undefined;
}

/**
 * What may be left of them. Where lines are alike it is not seen which ones the user wrote, so that some of it may be in the
 * wrong place.
 */
function* carriedInSomeWay(parts: readonly Part[], before: Text, text: Text): Generator<readonly Part[]> {
	yield* carryBegun(parts, before, text);
	const made = withoutMade(parts, before, text);
	if (made.parts.length < parts.length) yield* carryBegun(made.parts, made.before, text);
}

/** The same where only one of the edits was made or begun. */
function* carryBegun(parts: readonly Part[], before: Text, text: Text): Generator<readonly Part[]> {
	const difference = differenceOf(before, text);
	if (difference === undefined) {
		yield parts;
		return;
	}
	const { from, to } = difference;
	const typed = { from, to, insert: text.slice(from, to + text.length - before.length) };
	for (const edit of [typed, leftmost(typed, before)]) {
		yield* carryOver(Change.of([edit], before.length), parts, before);
	}
}

/** The same where it is known what the user typed: the beginning of one of the edits. The others move. */
function* carryOver(change: Change, parts: readonly Part[], before: Text): Generator<readonly Part[]> {
	for (const begun of parts) {
		const rebased = rebase([begun.edit], change, before);
		if (rebased.kind !== "rebased" || rebased.elsewhere.length > 0) continue;
		yield parts.flatMap((part) => {
			const edits = part === begun ? rebased.edits : [change.mapEdit(part.edit, "after")];
			return edits.flatMap((edit) => (edit === undefined ? [] : [{ edit, index: part.index }]));
		});
	}
}

/** Whether some edits, in this order, make another text of one. */
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
 * The same insertion as far to the left as it can be made. Between two texts it is not seen where something was typed: a line
 * end and a line, or the line and its end.
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

/** Makes those edits that the user has made whole, and has the others in the offsets of the text after that. */
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

/** The stretch of a text in which another differs from it. */
function differenceOf(text: Text, other: Text): OffsetRange | undefined {
	const { head, tail } = text.common(other);
	if (head === text.length && head === other.length) return undefined;
	return { from: head, to: text.length - tail };
}
