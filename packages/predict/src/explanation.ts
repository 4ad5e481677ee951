import { type Document, type Edit, fileNameOf, sameUri } from "@segue/text";
import type { Scene } from "./scene.js";
import type { Proposal } from "./suggestion.js";

// The suggestions in one answer are shown one at a time, each after the previous one was accepted. Their reasons are
// therefore worded as if the earlier suggestions had been applied.

/**
 * Returns the reason for a suggestion, worded as if the `taken` proposals had been accepted. Does not count rejected
 * sites.
 */
export type Explanation = (taken: readonly Proposal[], isRejected?: (place: RemainingSite) => boolean) => string;

/** A site that a rule has not changed yet. */
export interface RemainingSite {
	readonly document: Document;
	readonly from: number;
	readonly to: number;
	/** All edits proposed for the line, for checking whether the user has rejected them. */
	readonly edits?: readonly Edit[];
}

// From this count on, the explanation says "at least". The search may stop there, and users don't need the exact
// number.
const COUNTED_MAX = 30;

/** "Renaming `cnt` to `count`: 3 more in this file", or with a noun "`f` now takes `id`: 2 calls left in this file". */
export function explanationOf(
	scene: Scene,
	change: string,
	left: readonly RemainingSite[],
	noun?: string,
): Explanation {
	// The returned function outlives the request and must not retain the scene.
	const { uri } = scene.document;
	return (taken, isRejected = () => false) => {
		const isDone = (place: RemainingSite) => taken.some((one) => does(one, place));
		// The user has visited the target of an accepted jump, so it does not count as left.
		const isSeen = (place: RemainingSite) => taken.some((one) => leadsTo(one, place));
		const remaining = left.filter((place) => !isDone(place) && !isSeen(place) && !isRejected(place));
		// An accepted edit moves the cursor to its document.
		const here = taken.findLast(({ kind }) => kind !== "jump")?.uri ?? uri;
		return `${change}: ${remainingIn(remaining, here, noun)}`;
	};
}

/** "3 more in this file", "1 more in `cart.ts`", or "3 calls left in 2 files". */
function remainingIn(left: readonly RemainingSite[], here: string, noun?: string): string {
	const count = left.length < COUNTED_MAX ? `${left.length}` : `at least ${COUNTED_MAX}`;
	const more = noun === undefined ? "more" : `${left.length === 1 ? noun : `${noun}s`} left`;
	const files = new Set(left.map(({ document }) => document.uri));
	const [uri = here] = files;
	// Another file is named, because the user reads the same sentence before and after going there.
	const where = files.size > 1 ? `${files.size} files` : uri === here ? "this file" : `\`${fileNameOf(uri)}\``;
	return `${count} ${more} in ${where}`;
}

/** Converts sites, each with the edits to a line, to remaining sites. */
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

/** Whether accepting a proposal would change a site. */
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
