import { type Change, type Document, diffTokens, type Event, sameUri, type Text } from "@segue/text";
import type { Proposal } from "../suggestion.js";
import { type LineRewrite, lineRewriteOf } from "./line-rewrite.js";

// Older events no longer show what the user wants. A prompt contains about this many.
export const RECENT_EVENTS = 6;
// The maximum share of a proposal that may undo the user's edits.
export const REVERSED_MAX = 0.5;
// Comparing longer texts token by token is too slow to do on every keystroke.
const EVENT_CHARACTERS_MAX = 5000;
const CHARACTERS_MAX = 5000;

/**
 * The share of a change that undoes the given events, from 0 to 1: 1 restores the old lines, 0 keeps everything the
 * user wrote. Replacing a word that the user wrote with a third word counts as half.
 */
export function reversalOf(change: Change, { uri, text }: Document, events: readonly Event[]): number {
	const { from, to } = stretchOf(change, text);
	const newTo = change.map(to, "after");
	if (Math.max(to, newTo) - from > CHARACTERS_MAX) return 0;
	const now = text.slice(from, to);
	const next = change.apply(text).slice(from, newTo);
	const done = distance(now, next);
	let before = text;
	let back: Change | undefined;
	let most = 0;
	for (const event of events.filter((one) => sameUri(one.uri, uri)).toReversed()) {
		if (!event.after.equals(before)) break;
		const inverse = event.change.invert(event.before);
		back = back?.compose(inverse) ?? inverse;
		before = event.before;
		const old = before.slice(back.map(from, "before"), back.map(to, "after"));
		if (old.length > CHARACTERS_MAX) break;
		// Triangle inequality: the part of the change that does not lead away from the old text leads back to it.
		if (done > 0) most = Math.max(most, (distance(old, now) + done - distance(old, next)) / 2 / done);
	}
	return most;
}

/** The changed lines and one line on either side, to cover lines that were deleted there. */
function stretchOf({ edits }: Change, text: Document["text"]): { from: number; to: number } {
	const first = text.lineAt(edits[0]?.from ?? 0) - 1;
	const next = text.lineAt(edits.at(-1)?.to ?? 0) + 2;
	return { from: text.lineStart(Math.max(first, 0)), to: next < text.lineCount ? text.lineStart(next) : text.length };
}

/** The number of tokens deleted or inserted between two texts. */
function distance(before: string, after: string): number {
	return diffTokens(before, after).reduce((sum, { from, to, insert }) => {
		return sum + countTokens(before.slice(from, to)) + countTokens(insert);
	}, 0);
}

function countTokens(text: string): number {
	return text.match(/[\p{L}\p{N}\p{M}_$]+|\S/gu)?.length ?? 0;
}

/** A replacement of one string with another. */
interface Swap {
	readonly old: string;
	readonly now: string;
}

export function swapsOf(proposal: Proposal, text: Text): Swap[] {
	switch (proposal.kind) {
		case "edit":
			return proposal.edits.map(({ from, to, insert }) => ({ old: text.slice(from, to), now: insert }));
		case "rename":
			return [{ old: proposal.oldName, now: proposal.newName }];
		case "searchAndReplace":
			// The only pattern that rules propose is a whole word: `\bword\b`.
			return diffSwaps(proposal.isRegex ? proposal.search.slice(2, -2) : proposal.search, proposal.replace);
		case "jump":
			return [];
	}
}

export function swapsOfLines({ oldLines, newLines }: LineRewrite): Swap[] {
	const isLong = oldLines.length + newLines.length > EVENT_CHARACTERS_MAX;
	return isLong ? [] : diffSwaps(oldLines, newLines);
}

function diffSwaps(before: string, after: string): Swap[] {
	return diffTokens(before, after).map(({ from, to, insert }) => ({ old: before.slice(from, to), now: insert }));
}

/**
 * Whether most swaps in a proposal reverse the user's swaps. For each swap the newest event that made it or its
 * opposite decides, so a change that was made, undone and made again can be repeated.
 */
export function takesBack(swaps: readonly Swap[], events: readonly Event[]): boolean {
	const recent = events.slice(-RECENT_EVENTS).map(swapsIn);
	const isSame = (a: Swap, b: Swap) => a.old === b.old && a.now === b.now;
	const reversed = swaps.filter((swap) => {
		const opposite = { old: swap.now, now: swap.old };
		const decisive = recent.findLast((done) => done.some((one) => isSame(one, swap) || isSame(one, opposite)));
		return decisive !== undefined && !decisive.some((one) => isSame(one, swap));
	});
	return reversed.length > swaps.length * REVERSED_MAX;
}

const SWAPS = new WeakMap<Event, readonly Swap[]>();

function swapsIn(event: Event): readonly Swap[] {
	let swaps = SWAPS.get(event);
	if (swaps === undefined) {
		swaps = swapsOfLines(lineRewriteOf(event.change.edits, event.before));
		SWAPS.set(event, swaps);
	}
	return swaps;
}

/** Whether a rewrite restores the text from before one of the events. */
export function returns(document: Document, writing: LineRewrite | undefined, events: readonly Event[]): boolean {
	if (writing === undefined) return false;
	const { change } = writing;
	return events.some(({ uri, before }) => {
		if (before.length !== change.lengthAfter || !sameUri(uri, document.uri)) return false;
		return change.apply(document.text).equals(before);
	});
}
