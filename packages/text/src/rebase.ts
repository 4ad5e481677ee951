import { Change, type Edit, growthOf, wholeEdits } from "./change.js";
import { splitsCharacter } from "./position.js";
import { isPair } from "./rope.js";
import type { Text } from "./text.js";

/**
 * A suggestion after a change of its text:
 * - `rebased`: it still leads to the same result. `edits` is the rest of it, empty if the user typed all of it, and
 *   `elsewhere` are the edits of the change that did not touch it.
 * - `contradicted`: the user typed something else instead.
 * - `invalidated`: the text it replaces is gone.
 */
export type Rebased =
	| { readonly kind: "rebased"; readonly edits: readonly Edit[]; readonly elsewhere: readonly Edit[] }
	| { readonly kind: "contradicted" }
	| { readonly kind: "invalidated" };

/**
 * Rebases the edits of a suggestion over a user's change. Typing the beginning of an edit's new text shortens the edit,
 * and so does deleting text that it deletes. A change elsewhere moves the edit. Any other change ends the suggestion.
 * Lines inserted at the end of one line could equally be inserted at the start of the next, so typing at either place
 * counts. Both the edits and the change refer to `text`.
 */
export function rebase(edits: readonly Edit[], change: Change, text: Text): Rebased {
	let left: readonly Edit[] = wholeEdits(Change.of(edits, text.length).edits, text); // not touching, so that typed text counts for only one of them
	let before = text;
	let shift = 0;
	const elsewhere: Edit[] = [];
	for (const made of change.edits) {
		const { insert } = made;
		const typed = { from: made.from + shift, to: made.to + shift, insert };
		const isApart = left.every(({ from, to }) => typed.to < from || to < typed.from);
		const slid = isApart ? slideTo(left, typed, before) : undefined;
		if (isApart && slid === undefined) elsewhere.push(made);
		const next: Edit[] = [];
		for (const edit of left) {
			const result = edit === slid?.edit ? slid.rest : rebaseEdit(edit, typed, before);
			if (typeof result === "string") return { kind: result };
			next.push(result);
		}
		left = next;
		before = before.replace(typed.from, typed.to, insert);
		shift += growthOf(typed);
	}
	const rest = left.filter((edit) => before.slice(edit.from, edit.to) !== edit.insert);
	return { kind: "rebased", edits: rest, elsewhere };
}

/**
 * Finds an edit that inserts lines elsewhere but could equally insert them where the user started to type. Returns the
 * edit and what remains of it.
 */
function slideTo(edits: readonly Edit[], typed: Edit, text: Text): { edit: Edit; rest: Edit } | undefined {
	if (typed.from !== typed.to || typed.insert === "") return undefined;
	for (const edit of edits) {
		const core = trim(edit, text);
		// Inside a line, adjacent equal letters are usually unrelated.
		if (core.from !== core.to || !/[\r\n]/.test(core.insert)) continue;
		const distance = typed.from - core.from;
		if (Math.abs(distance) > core.insert.length) continue;
		const [first, last] = distance > 0 ? [core.from, typed.from] : [typed.from, core.from];
		for (let at = first; at <= last; at++) {
			const written = slidInsert(core, at, text);
			const own = slidInsert(typed, at, text);
			if (written === undefined || own === undefined || !written.startsWith(own) || splitsCharacter(text, at)) continue;
			const rest = { from: at + own.length, to: at + own.length, insert: written.slice(own.length) };
			return { edit, rest };
		}
	}
	return undefined;
}

/** Returns the text that has the same effect if inserted at another offset, or undefined if there is none. */
function slidInsert({ from, insert }: Edit, at: number, text: Text): string | undefined {
	const passed = at > from ? text.slice(from, at) : text.slice(at, from);
	if (at >= from) return insert.startsWith(passed) ? insert.slice(passed.length) + passed : undefined;
	return insert.endsWith(passed) ? passed + insert.slice(0, insert.length - passed.length) : undefined;
}

function rebaseEdit(edit: Edit, typed: Edit, text: Text): Edit | "contradicted" | "invalidated" {
	const growth = growthOf(typed);
	if (typed.to < edit.from) return { ...edit, from: edit.from + growth, to: edit.to + growth };
	if (typed.from > edit.to) return edit;
	if (typed.from < edit.from || typed.to > edit.to) return "invalidated";

	if (typed.insert === "") {
		return isPartOf(typed, trim(edit, text), text) ? { ...edit, to: edit.to + growth } : "invalidated";
	}
	const soFar = text.slice(edit.from, typed.from) + typed.insert;
	if (!edit.insert.startsWith(soFar)) return "contradicted";
	return { from: edit.from + soFar.length, to: edit.to + growth, insert: edit.insert.slice(soFar.length) };
}

/**
 * Whether a deletion is inside the text that an edit replaces, or is equivalent to such a deletion. In a run of equal
 * characters, it does not matter which of them are deleted.
 */
function isPartOf(typed: Edit, core: Edit, text: Text): boolean {
	let { from, to } = typed;
	while (from < core.from && to < core.to && text.codeAt(from) === text.codeAt(to)) {
		from++;
		to++;
	}
	while (to > core.to && from > core.from && text.codeAt(from - 1) === text.codeAt(to - 1)) {
		from--;
		to--;
	}
	return core.from <= from && to <= core.to;
}

/**
 * Removes the start and the end that an edit's new text has in common with the text it replaces. Never splits a
 * character or a line ending, because no position can refer to half of one.
 */
export function trim(edit: Edit, text: Text): Edit {
	const old = text.slice(edit.from, edit.to);
	const { insert } = edit;
	const most = Math.min(old.length, insert.length);
	let head = 0;
	while (head < most && old[head] === insert[head]) head++;
	if (head > 0 && (isSplit(old, head) || isSplit(insert, head))) head--;
	let tail = 0;
	while (tail < most - head && old[old.length - 1 - tail] === insert[insert.length - 1 - tail]) tail++;
	if (tail > 0 && (isSplit(old, old.length - tail) || isSplit(insert, insert.length - tail))) tail--;
	return { from: edit.from + head, to: edit.to - tail, insert: insert.slice(head, insert.length - tail) };
}

function isSplit(text: string, at: number): boolean {
	return at > 0 && at < text.length && isPair(text.charCodeAt(at - 1), text.charCodeAt(at));
}
