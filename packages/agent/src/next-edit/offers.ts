import { documentOf, type Scene, type Suggestion } from "@segue/predict";
import { Change, type Document, type Edit, sameUri, splitsCharacter, type Text } from "@segue/text";
import type { RequestObservation } from "./observer.js";
import { EDIT_HISTORY_MAX } from "./request.js";

// An editor shows the first and keeps the others for when it is accepted; more would be out of date by then.
export const OFFERS_MAX = 3;
// Those of ten answers. What is older than these has no verdict to come.
const OFFERED_MAX = 10 * OFFERS_MAX;

// An event tells of a change once, an edit history tells of the last few again and again.
const ACCEPTED_MAX = EDIT_HISTORY_MAX;

/** A suggestion, and the document that its offsets are of. */
export interface SuggestionOffer {
	readonly id: string;
	readonly suggestion: Suggestion;
	/** Its version is not a number where the document was attached to a request without one. */
	readonly document: Document;
}

/** What is kept of a suggestion until its verdict comes. */
interface OfferRecord {
	readonly suggestion: Suggestion;
	readonly document: Document;
	/** Who is told what becomes of it. */
	readonly observation: RequestObservation | undefined;
	/** The number of the answer that it is part of. */
	readonly answer: number;
}

/** The suggestions that a session has offered: those without a verdict, and those that were accepted last. */
export class Offers {
	/** What was offered and has no verdict yet, by id. */
	private readonly offered = new Map<string, OfferRecord>();
	/** What was accepted last, newest last. A change may come after its verdict or before it. */
	private accepted: readonly OfferRecord[] = [];
	private count = 0;

	add(offered: OfferRecord): SuggestionOffer {
		const id = `suggestion_${++this.count}`;
		this.offered.set(id, offered);
		for (const old of [...this.offered.keys()].slice(0, -OFFERED_MAX)) this.offered.delete(old);
		return { id, suggestion: offered.suggestion, document: offered.document };
	}

	/** Undefined for an id that was never offered, or has its verdict. */
	find(id: string): OfferRecord | undefined {
		return this.offered.get(id);
	}

	/** Finds an offer whose verdict has come, and is then not found again. */
	take(id: string): OfferRecord | undefined {
		const offer = this.offered.get(id);
		this.offered.delete(id);
		return offer;
	}

	/** Takes an offer that the user accepted. */
	accept(id: string): OfferRecord | undefined {
		const offer = this.take(id);
		if (offer !== undefined) this.accepted = [...this.accepted, offer].slice(-ACCEPTED_MAX);
		return offer;
	}

	/** Whether a change of a document is one that was offered. */
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

/** A suggestion as it may go out; none where it is of a kind that the editor does not show, or makes no sense. */
export function offerOf(
	suggestion: Suggestion,
	{ scene, ...answer }: { readonly scene: Scene } & Pick<OfferRecord, "observation" | "answer">,
): OfferRecord[] {
	const document = documentOf(scene, suggestion.uri);
	if (document === undefined) return [];
	const isKnown = suggestion.kind === "edit" || scene.kinds.has(suggestion.kind);
	return isKnown && isFit(suggestion, document.text) ? [{ suggestion, document, ...answer }] : [];
}

/** Whether the client can do what is suggested. Whoever predicts may be wrong, and only here is it seen in time. */
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

/** The text after edits that are apart, lie in it, split no character of it, and change it; else undefined. */
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

/** Whether a search is what clients take for one: a pattern of ECMAScript with the flags `g`, `u` and `m`. */
function isPattern(search: string): boolean {
	try {
		new RegExp(search, "gum");
		return true;
	} catch {
		return false;
	}
}
