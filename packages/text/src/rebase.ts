import { Change, type Edit, growthOf, wholeEdits } from "./change.js";
import { isPair } from "./rope.js";
import type { Text } from "./text.js";

/**
 * What became of a suggestion when the user changed the text under it:
 * - `rebased`: it still leads to the same place; `edits` is what is left of it, empty once the user typed it all;
 * - `contradicted`: the user typed something else where it would write;
 * - `invalidated`: the text that it rests on is gone.
 */
export type Rebased =
	| { readonly kind: "rebased"; readonly edits: readonly Edit[] }
	| { readonly kind: "contradicted" }
	| { readonly kind: "invalidated" };

/**
 * Carries the edits of a suggestion over what the user did. Typing the beginning of what an edit would write shortens
 * it, deleting what it would delete does too, and a change elsewhere moves it; everything else ends it. Both the edits
 * and the change refer to `text`.
 */
export function rebase(edits: readonly Edit[], change: Change, text: Text): Rebased {
	let left: readonly Edit[] = wholeEdits(Change.of(edits, text.length).edits, text); // apart, so that what is typed counts for one of them only
	let before = text;
	let shift = 0;
	for (const { from, to, insert } of change.edits) {
		const typed = { from: from + shift, to: to + shift, insert };
		const next: Edit[] = [];
		for (const edit of left) {
			const result = rebaseEdit(edit, typed, before);
			if (typeof result === "string") return { kind: result };
			next.push(result);
		}
		left = next;
		before = before.replace(typed.from, typed.to, insert);
		shift += growthOf(typed);
	}
	return { kind: "rebased", edits: left.filter((edit) => before.slice(edit.from, edit.to) !== edit.insert) };
}

function rebaseEdit(edit: Edit, typed: Edit, text: Text): Edit | "contradicted" | "invalidated" {
	const growth = growthOf(typed);
	if (typed.to < edit.from) return { ...edit, from: edit.from + growth, to: edit.to + growth };
	if (typed.from > edit.to) return edit;
	if (typed.from < edit.from || typed.to > edit.to) return "invalidated";

	if (typed.insert === "") {
		return wouldGoAnyway(typed, trim(edit, text), text) ? { ...edit, to: edit.to + growth } : "invalidated";
	}
	const soFar = text.slice(edit.from, typed.from) + typed.insert;
	if (!edit.insert.startsWith(soFar)) return "contradicted";
	return { from: edit.from + soFar.length, to: edit.to + growth, insert: edit.insert.slice(soFar.length) };
}

/**
 * Whether a deletion lies inside what an edit replaces, or could as well: in a run of equal characters it makes no
 * difference which of them are deleted.
 */
function wouldGoAnyway(typed: Edit, core: Edit, text: Text): boolean {
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
 * The same edit without what it shares with the old text at either end. It splits no character and no line end: half
 * of one cannot be said in positions.
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
