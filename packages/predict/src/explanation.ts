import { type Document, type Edit, sameUri } from "@segue/text";
import type { Scene } from "./scene.js";
import type { Proposal } from "./suggestion.js";

// Why something is suggested, in words that hold when they are read. The suggestions of one answer are shown one after the
// other, each when the one before it was taken; so what those before it do is told as done.

/**
 * The reason for a suggestion, worded for when some others were accepted, in this order. Places that the user rejected are not
 * counted.
 */
export type Explanation = (taken: readonly Proposal[], isRejected?: (place: RemainingSite) => boolean) => string;

/** Of the places where something was left to do, those where it is done since and those where it still is. */
export interface Tally {
	readonly done: readonly RemainingSite[];
	readonly left: readonly RemainingSite[];
	/** The document that the user is in, by its uri. */
	readonly here: string;
}

/** A place where something is left to do. */
export interface RemainingSite {
	readonly document: Document;
	readonly from: number;
	readonly to: number;
	/** The edits that are proposed there, together with those of other places on the line; a rejection is known by them. */
	readonly edits?: readonly Edit[];
}

// From so many on, they may not all have been looked for; and nobody counts them.
const COUNTED_MAX = 30;

/** What was done how often, and where it is left to do: "`cnt` became `count` at 2 places; 3 are left in this file". */
export function explanationOf(scene: Scene, became: string, done: number, left: readonly RemainingSite[]): Explanation {
	return tallyExplanation(
		scene,
		left,
		(now) => `${became} at ${countNoun(done + now.done.length, "place")}; ${remainingIn(now)}`,
	);
}

/** The same in other words. */
export function tallyExplanation(
	scene: Scene,
	left: readonly RemainingSite[],
	words: (now: Tally) => string,
): Explanation {
	// What is asked for its words later keeps no scene alive.
	const { uri } = scene.document;
	return (taken, isRejected = () => false) => {
		const isDone = (place: RemainingSite) => taken.some((one) => does(one, place));
		// The user has looked at the target of a jump, so it is not left, but nothing was changed there either.
		const isSeen = (place: RemainingSite) => taken.some((one) => leadsTo(one, place));
		const others = left.filter((place) => !isDone(place) && !isSeen(place) && !isRejected(place));
		// An accepted edit puts the cursor into its document.
		const here = taken.findLast(({ kind }) => kind !== "jump")?.uri ?? uri;
		return words({ done: left.filter(isDone), left: others, here });
	};
}

/** How many are left, and in which files: "3 are left in this file". */
export function remainingIn({ left, here }: Tally, what = ""): string {
	const count = left.length < COUNTED_MAX ? `${left.length}` : `${COUNTED_MAX} or more`;
	const noun = what && ` ${left.length === 1 ? what : `${what}s`}`;
	const files = new Set(left.map(({ document }) => document.uri));
	const where = files.size > 1 ? `${files.size} files` : files.has(here) ? "this file" : "another file";
	return `${count}${noun} ${left.length === 1 ? "is" : "are"} left in ${where}`;
}

/** "1 place", "2 places" */
export function countNoun(count: number, noun: string): string {
	return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** Places with edits on some lines, each as one where something is left to do. */
export function remainingSitesOf(
	places: readonly { readonly document: Document; readonly edits: readonly Edit[] }[],
): RemainingSite[] {
	return places.map(({ document, edits }) => {
		return { document, from: edits[0]?.from ?? 0, to: edits.at(-1)?.to ?? 0, edits };
	});
}

function leadsTo(taken: Proposal, { document, from, to }: RemainingSite): boolean {
	return taken.kind === "jump" && sameUri(taken.uri, document.uri) && from <= taken.at && taken.at <= to;
}

/** Whether a place is changed once a proposal is accepted. */
function does(taken: Proposal, { document, from, to }: RemainingSite): boolean {
	if (!sameUri(taken.uri, document.uri)) return false;
	switch (taken.kind) {
		case "edit":
			return taken.edits.some((edit) => edit.from <= to && from <= edit.to);
		case "jump":
			return false;
		case "rename":
			return document.text.slice(from, to) === taken.oldName;
		case "searchAndReplace":
			return taken.search.includes(document.text.slice(from, to));
	}
}
