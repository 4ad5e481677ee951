import type * as acp from "@segue/protocol/acp";
import { type Change, type Document, type Edit, sameUri, type Text } from "@segue/text";
import type { Origin } from "./origin.js";
import { carrySuggestion, type EditorSuggestion, extendsOther } from "./suggestion.js";

// More than come in an hour. An agent that counts from the beginning again does so earlier.
const IDS_MAX = 10_000;

/** What the user made of a suggestion. Every suggestion that arrives gets one, unless its session ends first. */
export type UserDecision = { readonly suggestion: EditorSuggestion } & (
	| {
			readonly kind: "accepted";
			/** Only a part of it was taken. */
			readonly isPartial: boolean;
			/** The user typed it all themselves. */
			readonly isTyped: boolean;
	  }
	| { readonly kind: "rejected"; readonly reason: acp.RejectReason | undefined }
);

/** Who changed a document: the user; a suggestion, by a part that the user took; or others, such as a formatter or undo. */
export type ChangeAuthor = "user" | "suggestion" | "others";

/** The request that an answer belongs to. */
interface AnsweredRequest {
	/** The user asked. */
	readonly isManual: boolean;
	/** The user's last edits before the request. */
	readonly origin: Origin | undefined;
	/** Since the request, the user has made edits other than typing its first suggestion. */
	readonly isOutdated: boolean;
}

/** A suggestion in front of the user. */
export interface CurrentSuggestion {
	readonly suggestion: EditorSuggestion;
	/** The user took a part of it, and what is here is the rest. */
	readonly isPartlyTaken: boolean;
	/** The user has been there, and has seen what is suggested up to it; undefined where they have not been anywhere. */
	readonly seenTo: number | undefined;
}

/**
 * The suggestions of one answer: the first is shown, and the others wait behind it. Their offsets are those of the documents
 * as they are now, so every change of a document must be reported. Each suggestion ends in one verdict.
 *
 * An answer is for the text of its request. It stays up to date while the user types or accepts the suggestion that is
 * shown. After any other edit, also one made while a suggestion is being accepted, and when the document of its origin closes,
 * it is out of date: it stays until the next answer, which replaces or withdraws it.
 */
export class SuggestionQueue {
	private front: CurrentSuggestion | undefined;
	private waiting: readonly EditorSuggestion[] = [];
	/** The edits that the answer is derived from. */
	private origin: Origin | undefined;
	private isStale = false;
	private readonly ids = new Set<string>();

	constructor(private readonly decide: (verdict: UserDecision) => void) {}

	get current(): CurrentSuggestion | undefined {
		return this.front;
	}

	/** Whether something is shown that was suggested for an earlier text, so that the agent must be asked again. */
	get isOutdated(): boolean {
		return this.front !== undefined && this.isStale;
	}

	/** Whether a suggestion is the first of its id. A second one would get a second verdict, and nobody could tell of which. */
	isFirst(id: string): boolean {
		if (this.ids.has(id)) return false;
		this.ids.add(id);
		const [oldest] = this.ids;
		if (this.ids.size > IDS_MAX && oldest !== undefined) this.ids.delete(oldest);
		return true;
	}

	/**
	 * An answer arrived, for a later request than that of the suggestion shown. A suggestion that is up to date gives way
	 * only to one that says the same or more, or that the user asked for, so that nothing flickers. An outdated one gives
	 * way to any other, and goes when the answer is empty.
	 */
	answered(
		fresh: readonly EditorSuggestion[],
		{ isManual, origin, isOutdated }: AnsweredRequest,
		documentOf: (uri: string) => Document | undefined,
	): void {
		const [first, ...rest] = fresh;
		if (first === undefined) {
			this.withdrawOutdated();
			return;
		}
		const { front } = this;
		if (front !== undefined) {
			const text = sameUri(front.suggestion.uri, first.uri) ? documentOf(first.uri)?.text : undefined;
			const isMore = text !== undefined && extendsOther(first, front.suggestion, text);
			if (!isMore && !isManual && !this.isStale) {
				for (const suggestion of fresh) this.decide({ suggestion, kind: "rejected", reason: "replaced" });
				return;
			}
			this.leave("replaced");
		}
		this.drop("replaced");
		this.front = { suggestion: first, isPartlyTaken: false, seenTo: undefined };
		this.waiting = rest;
		this.origin = origin;
		this.isStale = isOutdated;
	}

	/** Nothing supports an outdated suggestion any more: the answer for the later text is empty, or none will come. */
	withdrawOutdated(): void {
		// The user did nothing to the suggestion, so its end says nothing against it.
		if (this.isStale) this.dismiss(undefined);
	}

	/** A document changed. `before` is its text before. */
	changed(uri: string, change: Change, before: Text, by: ChangeAuthor): void {
		const { front, origin } = this;
		const elsewhere = this.carryAll(uri, change, before, by);
		this.origin = origin?.carry(uri, change);
		// Typing the suggestion is not undoing, even if it leads to an earlier text.
		const isTyped = front !== undefined && front.suggestion.id === this.front?.suggestion.id && elsewhere.length === 0;
		if (isTyped && by !== "others") return;
		if (origin?.isUndoneBy(uri, change, before)) this.dismiss("ignored");
		// The user is still typing or correcting the words, which says nothing about the suggestion.
		else if (by !== "suggestion" && origin?.isRewrittenBy(uri, elsewhere, before)) this.dismiss(undefined);
	}

	/** Carries all suggestions over a change, and returns the edits of it that did not type the one that is shown. */
	private carryAll(uri: string, change: Change, before: Text, by: ChangeAuthor): readonly Edit[] {
		this.waiting = this.waiting.flatMap((one) => {
			if (!sameUri(one.uri, uri)) return [one];
			const carried = carrySuggestion(one, change, before);
			if (typeof carried !== "string" && carried.suggestion !== undefined) return [carried.suggestion];
			this.decide({ suggestion: one, kind: "rejected", reason: undefined });
			return [];
		});
		if (this.front === undefined) {
			// While the first suggestion is being accepted, all other edits are made elsewhere.
			if (by === "suggestion" || this.waiting.length === 0) return [];
			this.isStale = true;
			return change.edits;
		}
		if (!sameUri(this.front.suggestion.uri, uri)) {
			this.isStale = true;
			return change.edits;
		}
		const front = by === "suggestion" ? { ...this.front, isPartlyTaken: true } : this.front;
		this.front = front;
		const carried = carrySuggestion(front.suggestion, change, before);
		if (carried === "contradicted" || carried === "invalidated") {
			this.dismiss(carried === "contradicted" && by === "user" ? "rejected" : "ignored");
			return [];
		}
		const { suggestion, elsewhere } = carried;
		if (elsewhere.length > 0) this.isStale = true;
		if (suggestion === undefined) {
			this.front = undefined;
			const isTyped = !front.isPartlyTaken;
			this.decide({ suggestion: front.suggestion, kind: "accepted", isPartial: false, isTyped });
			this.advance();
		} else {
			const seenTo = front.seenTo === undefined ? undefined : change.map(front.seenTo, "after");
			this.front = { ...front, suggestion, seenTo };
		}
		return elsewhere;
	}

	/**
	 * A file was opened. What was suggested for it holds only for the text that it was read with, and from now on the host
	 * knows it by the name it was opened with.
	 */
	opened({ uri, text }: Document): void {
		const isOfIt = (one: EditorSuggestion) => sameUri(one.uri, uri);
		const isStale = (one: EditorSuggestion) => isOfIt(one) && one.fileText?.equals(text) === false;
		const named = (one: EditorSuggestion) => (isOfIt(one) ? { ...one, uri } : one);
		for (const suggestion of this.waiting.filter(isStale)) {
			this.decide({ suggestion, kind: "rejected", reason: undefined });
		}
		this.waiting = this.waiting.filter((one) => !isStale(one)).map(named);
		if (this.front === undefined) return;
		if (isStale(this.front.suggestion)) this.dismiss("ignored");
		else this.front = { ...this.front, suggestion: named(this.front.suggestion) };
	}

	/** Takes the suggestion away from the user, who wants it: what comes of that is told by `taken` or `failed`. */
	take(): EditorSuggestion | undefined {
		const taken = this.front?.suggestion;
		this.front = undefined;
		return taken;
	}

	/** The user got what they took. The next one that waited comes to the front. */
	taken(suggestion: EditorSuggestion, isPartial: boolean): void {
		this.decide({ suggestion, kind: "accepted", isPartial, isTyped: false });
		this.advance();
	}

	/** What the user wanted to take could not be had, or they thought better of it. */
	failed(suggestion: EditorSuggestion, reason: acp.RejectReason | undefined): void {
		this.decide({ suggestion, kind: "rejected", reason });
		this.drop(undefined);
	}

	/** The user went to a place of it, the first that they had not seen. */
	visit(place: number): void {
		if (this.front !== undefined) this.front = { ...this.front, seenTo: place };
	}

	/** The suggestion goes: the user said no, or, without a reason, it could not be done. */
	dismiss(reason: acp.RejectReason | undefined): void {
		this.leave(reason);
		this.drop(undefined);
	}

	/**
	 * A document was closed: its suggestions go. Those derived from an edit of it are outdated, because the edit may not
	 * have been saved.
	 */
	closed(uri: string): void {
		if (this.origin !== undefined && sameUri(this.origin.uri, uri)) {
			this.origin = undefined;
			this.isStale = true;
		}
		for (const suggestion of this.waiting.filter((one) => sameUri(one.uri, uri))) {
			this.decide({ suggestion, kind: "rejected", reason: undefined });
		}
		this.waiting = this.waiting.filter((one) => !sameUri(one.uri, uri));
		if (this.front === undefined || !sameUri(this.front.suggestion.uri, uri)) return;
		this.dismiss("ignored");
	}

	private advance(): void {
		const [next, ...rest] = this.waiting;
		if (next === undefined || this.front !== undefined) return;
		this.waiting = rest;
		this.front = { suggestion: next, isPartlyTaken: false, seenTo: undefined };
	}

	/** Ends the suggestion in front, for a reason. One of which a part was taken counts as accepted. */
	private leave(reason: acp.RejectReason | undefined): void {
		const { front } = this;
		if (front === undefined) return;
		this.front = undefined;
		const { suggestion, isPartlyTaken } = front;
		if (isPartlyTaken) this.decide({ suggestion, kind: "accepted", isPartial: true, isTyped: false });
		else this.decide({ suggestion, kind: "rejected", reason });
	}

	/** Ends those that wait. Nobody saw them, so without a reason they count for nothing. */
	private drop(reason: acp.RejectReason | undefined): void {
		for (const suggestion of this.waiting) this.decide({ suggestion, kind: "rejected", reason });
		this.waiting = [];
	}
}
