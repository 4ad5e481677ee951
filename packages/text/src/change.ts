import { roundDown, roundUp } from "./position.js";
import type { Text } from "./text.js";

/** Replaces the text from one offset to another. */
export interface Edit {
	readonly from: number;
	readonly to: number;
	readonly insert: string;
}

/** The side to which an offset moves when text is inserted exactly there. */
export type Side = "before" | "after";

/**
 * Edits that turn one version of a text into the next. All offsets refer to the version before the edits, which are
 * sorted and do not overlap.
 */
export class Change {
	/**
	 * Validates and sorts edits by LSP's rules for arrays of edits: every range is inside the original text, no ranges
	 * overlap, and insertions at the same offset keep their order in the array. Throws a RangeError that names the
	 * invalid edit.
	 */
	static of(edits: readonly Edit[], lengthBefore: number): Change {
		for (const edit of edits) {
			const { from, to } = edit;
			if (!(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= lengthBefore)) {
				throw new RangeError(`edit ${from}–${to} is not in a text of length ${lengthBefore}`);
			}
		}
		const sorted: Edit[] = [];
		for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
			const last = sorted.at(-1);
			if (last !== undefined && edit.from < last.to) {
				throw new RangeError(`edit ${edit.from}–${edit.to} overlaps edit ${last.from}–${last.to}`);
			}
			if (edit.from === edit.to && edit.insert === "") continue;
			if (last !== undefined && last.from === edit.from) {
				sorted[sorted.length - 1] = { from: edit.from, to: edit.to, insert: last.insert + edit.insert };
			} else sorted.push(edit);
		}
		return new Change(sorted, lengthBefore);
	}

	readonly lengthAfter: number;

	private constructor(
		readonly edits: readonly Edit[],
		readonly lengthBefore: number,
	) {
		this.lengthAfter = edits.reduce((length, edit) => length + growthOf(edit), lengthBefore);
	}

	apply(text: Text): Text {
		this.checkLength(text.length);
		return this.edits.reduceRight((result, edit) => result.replace(edit.from, edit.to, edit.insert), text);
	}

	/** Returns the change that undoes this one. `text` is the version before this change. */
	invert(text: Text): Change {
		this.checkLength(text.length);
		let shift = 0;
		const edits = this.edits.map((edit) => {
			const from = edit.from + shift;
			shift += growthOf(edit);
			return { from, to: from + edit.insert.length, insert: text.slice(edit.from, edit.to) };
		});
		return Change.of(edits, this.lengthAfter); // adjacent deletions become several edits at the same offset
	}

	/** Returns this change followed by `next` as one change. */
	compose(next: Change): Change {
		next.checkLength(this.lengthAfter);
		return new Change(composeEdits(this, next), this.lengthBefore);
	}

	/**
	 * Maps an offset from the version before this change to the version after it. If text was inserted exactly at the
	 * offset, `side` decides whether the offset ends up before or after it. The start of replaced text stays at the
	 * start of the new text. An offset inside replaced text moves to the start or the end of the new text, depending on
	 * `side`.
	 */
	map(offset: number, side: Side): number {
		if (!(offset >= 0 && offset <= this.lengthBefore)) {
			throw new RangeError(`offset ${offset} is not in a text of length ${this.lengthBefore}`);
		}
		let shift = 0;
		for (const edit of this.edits) {
			if (edit.from > offset) break;
			const isInside = offset < edit.to || (edit.from === edit.to && offset === edit.to && side === "before");
			if (isInside) {
				const toStart = offset === edit.from || side === "before";
				return edit.from + shift + (toStart ? 0 : edit.insert.length);
			}
			shift += growthOf(edit);
		}
		return offset + shift;
	}

	/**
	 * Maps an edit from the version before this change to the version after it. Returns undefined if this change
	 * touched the text that the edit replaces. If both insert at the same offset, `side` decides the order.
	 */
	mapEdit(edit: Edit, side: Side): Edit | undefined {
		if (this.edits.some((own) => own.from < edit.to && own.to > edit.from)) return undefined;
		if (edit.from === edit.to) {
			const at = this.map(edit.from, side);
			return { from: at, to: at, insert: edit.insert };
		}
		return { from: this.map(edit.from, "after"), to: this.map(edit.to, "before"), insert: edit.insert };
	}

	private checkLength(length: number): void {
		if (length !== this.lengthBefore) {
			throw new RangeError(
				`a change to a text of length ${this.lengthBefore} cannot be applied to a text of length ${length}`,
			);
		}
	}
}

/** Returns the change in text length that an edit causes. */
export function growthOf(edit: Edit): number {
	return edit.insert.length - (edit.to - edit.from);
}

/**
 * Returns equivalent edits in ascending order. No two of them touch, and none starts or ends inside a character or a
 * line ending. Only such edits can be sent as positions, one after the other, without affecting each other.
 */
export function wholeEdits(edits: readonly Edit[], text: Text): Edit[] {
	const apart: Edit[] = [];
	for (const edit of edits) {
		const last = apart.at(-1);
		if (last !== undefined && roundDown(text, edit.from) <= roundUp(text, last.to)) {
			const insert = last.insert + text.slice(last.to, edit.from) + edit.insert;
			apart[apart.length - 1] = { from: last.from, to: edit.to, insert };
		} else apart.push(edit);
	}
	return apart.map((edit) => {
		const from = roundDown(text, edit.from);
		const to = roundUp(text, edit.to);
		return { from, to, insert: text.slice(from, edit.from) + edit.insert + text.slice(edit.to, to) };
	});
}

/** A section of a text that a change keeps or, with `edit`, replaces. */
interface Section {
	readonly length: number;
	readonly edit: Edit | undefined;
}

function sectionsOf(edits: readonly Edit[], lengthBefore: number, lengthOf: (edit: Edit) => number): Section[] {
	const sections: Section[] = [];
	let at = 0;
	for (const edit of edits) {
		sections.push({ length: edit.from - at, edit: undefined }, { length: lengthOf(edit), edit });
		at = edit.to;
	}
	sections.push({ length: lengthBefore - at, edit: undefined });
	return sections;
}

/**
 * Composes two changes. Splits the version between them into sections twice: by whether the first change kept or
 * inserted them, and by whether the second change keeps or removes them. Then walks over both lists in parallel. Merges
 * edits that touch.
 */
function composeEdits(first: Change, second: Change): Edit[] {
	const written = sectionsOf(first.edits, first.lengthBefore, (edit) => edit.insert.length);
	const read = sectionsOf(second.edits, second.lengthBefore, (edit) => edit.to - edit.from);
	const result: Edit[] = [];
	let before = 0; // offset in the version before both changes
	const add = (removed: number, insert: string) => {
		if (removed === 0 && insert === "") return;
		const last = result.at(-1);
		if (last?.to === before) {
			result[result.length - 1] = { from: last.from, to: before + removed, insert: last.insert + insert };
		} else result.push({ from: before, to: before + removed, insert });
		before += removed;
	};

	let i = -1;
	let j = -1;
	let writtenLeft = 0;
	let readLeft = 0;
	for (;;) {
		while (writtenLeft === 0 && i < written.length - 1) {
			const { length, edit } = written[++i] as Section;
			writtenLeft = length;
			if (edit !== undefined) add(edit.to - edit.from, "");
		}
		while (readLeft === 0 && j < read.length - 1) {
			const { length, edit } = read[++j] as Section;
			readLeft = length;
			if (edit !== undefined) add(0, edit.insert);
		}
		const length = Math.min(writtenLeft, readLeft);
		if (length === 0) return result;
		const write = written[i]?.edit;
		const isKept = read[j]?.edit === undefined;
		if (write === undefined) {
			if (isKept) before += length;
			else add(length, "");
		} else if (isKept) {
			const at = write.insert.length - writtenLeft;
			add(0, write.insert.slice(at, at + length));
		}
		writtenLeft -= length;
		readLeft -= length;
	}
}
