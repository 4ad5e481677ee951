import { documentOf, type Scene, type Suggestion } from "@segue/predict";
import { Change, type Document, type Edit, sameUri, splitsCharacter, type Text } from "@segue/text";
import type { RequestObservation } from "./observer.js";
import { EDIT_HISTORY_MAX } from "./request.js";

// An editor shows the first suggestion and queues the others until the first is accepted. By then, any further
// suggestions would be outdated.
export const OFFERS_MAX = 3;
// The suggestions from ten responses. No feedback arrives for older ones.
const OFFERED_MAX = 10 * OFFERS_MAX;

// A change event reports each change once, but an edit history repeats the last few changes.
const ACCEPTED_MAX = EDIT_HISTORY_MAX;

/** A suggestion, and the document that its offsets refer to. */
export interface SuggestionOffer {
	readonly id: string;
	readonly suggestion: Suggestion;
	/** The version is NaN if the document was attached to a request that gave no version. */
	readonly document: Document;
}

/** A suggestion that is waiting for the client's feedback. */
interface OfferRecord {
	readonly suggestion: Suggestion;
	readonly document: Document;
	/** Receives the outcome. */
	readonly observation: RequestObservation | undefined;
	/** The number of the response that contained the suggestion. */
	readonly answer: number;
}

/** The suggestions that a session has sent: those that have no feedback yet, and the last accepted ones. */
export class Offers {
	/** Suggestions without feedback, by id. */
	private readonly offered = new Map<string, OfferRecord>();
	/** The last accepted suggestions, oldest first. The change may arrive before or after the feedback. */
	private accepted: readonly OfferRecord[] = [];
	private count = 0;

	add(offered: OfferRecord): SuggestionOffer {
		const id = `suggestion_${++this.count}`;
		this.offered.set(id, offered);
		for (const old of [...this.offered.keys()].slice(0, -OFFERED_MAX)) this.offered.delete(old);
		return { id, suggestion: offered.suggestion, document: offered.document };
	}

	/** Returns undefined for an unknown id and after feedback. */
	find(id: string): OfferRecord | undefined {
		return this.offered.get(id);
	}

	/** Removes and returns an offer when its feedback arrives. */
	take(id: string): OfferRecord | undefined {
		const offer = this.offered.get(id);
		this.offered.delete(id);
		return offer;
	}

	/** Like `take`, but for an offer that the user accepted. */
	accept(id: string): OfferRecord | undefined {
		const offer = this.take(id);
		if (offer !== undefined) this.accepted = [...this.accepted, offer].slice(-ACCEPTED_MAX);
		return offer;
	}

	/** Whether a change has the same result as a suggestion that was offered for this text. */
	includes(before: Document, change: Change): boolean {
		return [...this.offered.values(), ...this.accepted].some(({ suggestion, document }) => {
			if (suggestion.kind !== "edit" || !sameUri(document.uri, before.uri)) return false;
			const growth = suggestion.edits.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0);
			if (growth !== change.lengthAfter - change.lengthBefore) return false;
			if (!document.text.equals(before.text)) return false;
			return Change.of(suggestion.edits, before.text.length).apply(before.text).equals(change.apply(before.text));
		});
	}
}

/** Returns one offer, or none if the suggestion is invalid or of a kind that the editor does not support. */
export function offerOf(
	suggestion: Suggestion,
	{ scene, ...answer }: { readonly scene: Scene } & Pick<OfferRecord, "observation" | "answer">,
): OfferRecord[] {
	const document = documentOf(scene, suggestion.uri);
	if (document === undefined) return [];
	const isKnown = suggestion.kind === "edit" || scene.kinds.has(suggestion.kind);
	return isKnown && isFit(suggestion, document.text) ? [{ suggestion, document, ...answer }] : [];
}

/** Whether the client can apply a suggestion. Predictors can be wrong, and this is the last check. */
function isFit(suggestion: Suggestion, text: Text): boolean {
	switch (suggestion.kind) {
		case "edit": {
			const after = changed(suggestion.edits, text);
			return after !== undefined && isIn(after, suggestion.cursor);
		}
		case "jump":
			return isIn(text, suggestion.at);
		case "rename":
			return isIn(text, suggestion.at) && suggestion.newName !== "";
		case "searchAndReplace":
			return suggestion.search !== "" && (!suggestion.isRegex || isPattern(suggestion.search));
	}
}

/** Applies the edits. Returns undefined if they overlap, are out of range, split a character or change nothing. */
function changed(edits: readonly Edit[], text: Text): Text | undefined {
	try {
		const change = Change.of(edits, text.length);
		const splits = change.edits.some(({ from, to }) => splitsCharacter(text, from) || splitsCharacter(text, to));
		const after = change.apply(text);
		return splits || after.equals(text) ? undefined : after;
	} catch {
		return undefined;
	}
}

function isIn(text: Text, offset: number): boolean {
	return Number.isInteger(offset) && offset >= 0 && offset <= text.length;
}

/** Whether clients can compile the search as an ECMAScript pattern with the flags `g`, `u` and `m`. */
function isPattern(search: string): boolean {
	try {
		new RegExp(search, "gum");
		return true;
	} catch {
		return false;
	}
}
