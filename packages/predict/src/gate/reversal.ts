import { type Change, type Document, diffTokens, type Event, sameUri } from "@segue/text";

// Longer stretches are not compared token by token: that would take longer than a keystroke may.
const CHARACTERS_MAX = 5000;

/**
 * How much of what a change does takes back what the user did there by some events, from 0 to 1: 1 for what makes the
 * lines as they were, 0 for what only goes on from how they are. What takes away a word of the user's and writes
 * another is half of each.
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
		// Of the way to the new text, what is not further away from the old one leads back to it, and is on both ways.
		if (done > 0) most = Math.max(most, (distance(old, now) + done - distance(old, next)) / 2 / done);
	}
	return most;
}

/** The lines of a change with the one above and the one below, for what was taken away there. */
function stretchOf({ edits }: Change, text: Document["text"]): { from: number; to: number } {
	const first = text.lineAt(edits[0]?.from ?? 0) - 1;
	const next = text.lineAt(edits.at(-1)?.to ?? 0) + 2;
	return { from: text.lineStart(Math.max(first, 0)), to: next < text.lineCount ? text.lineStart(next) : text.length };
}

/** How many tokens go or come between two texts. */
function distance(before: string, after: string): number {
	return diffTokens(before, after).reduce((sum, { from, to, insert }) => {
		return sum + countTokens(before.slice(from, to)) + countTokens(insert);
	}, 0);
}

function countTokens(text: string): number {
	return text.match(/[\p{L}\p{N}\p{M}_$]+|\S/gu)?.length ?? 0;
}
