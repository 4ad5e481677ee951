import type * as acp from "@segue/protocol/acp";
import { type Change, type Document, type Edit, sameUri, type Text } from "@segue/text";
import type { Origin } from "./origin.js";
import { carrySuggestion, type EditorSuggestion, extendsOther } from "./suggestion.js";

// More ids than arrive in an hour. An agent that reuses ids does so sooner.
const IDS_MAX = 10_000;

/** The outcome of a suggestion. Each suggestion gets one, unless its session ends first. */
export type UserDecision = { readonly suggestion: EditorSuggestion } & (
	| {
			readonly kind: "accepted";
			/** Only part of it was accepted. */
			readonly isPartial: boolean;
			/** The user typed all of it. */
			readonly isTyped: boolean;
	  }
	| { readonly kind: "rejected"; readonly reason: acp.RejectReason | undefined }
);

/**
 * The author of a change: the user, an accepted part of a suggestion, or anything else, such as a formatter or undo.
 */
export type ChangeAuthor = "user" | "suggestion" | "others";

/** The request that a response belongs to. */
interface AnsweredRequest {
	/** Whether the user requested it explicitly. */
	readonly isManual: boolean;
	/** The user's last edits before the request. */
	readonly origin: Origin | undefined;
	/** Whether the user has made edits since the request, apart from typing its first suggestion. */
	readonly isOutdated: boolean;
}

/** The suggestion being shown. */
export interface CurrentSuggestion {
	readonly suggestion: EditorSuggestion;
	/** Whether the user accepted a part. If so, `suggestion` is the rest. */
	readonly isPartlyTaken: boolean;
	/** The last position visited with Tab; the user has seen everything up to it. Undefined if none. */
	readonly seenTo: number | undefined;
}

/**
 * The suggestions in one response: the first is shown, and the others wait. Their offsets refer to the current
 * documents, so every change to a document must be reported. Each suggestion gets exactly one decision.
 *
 * A response applies to the text at the time of its request. It stays current while the user types or accepts the
 * suggestion shown. Any other edit, including one made while a suggestion is being applied, makes it outdated, and so
 * does closing the document of its origin. An outdated response stays until the next response replaces or withdraws it.
 */
export class SuggestionQueue {
	private front: CurrentSuggestion | undefined;
	private waiting: readonly EditorSuggestion[] = [];
	/** The edits from which the response is derived. */
	private origin: Origin | undefined;
	private isStale = false;
	private readonly ids = new Set<string>();

	constructor(private readonly decide: (verdict: UserDecision) => void) {}

	get current(): CurrentSuggestion | undefined {
		return this.front;
	}

	/** Whether the current suggestion is for an earlier version of the text, so that a new request is needed. */
	get isOutdated(): boolean {
		return this.front !== undefined && this.isStale;
	}

	/** Whether an id is new. A reused id would make the second decision ambiguous. */
	isFirst(id: string): boolean {
		if (this.ids.has(id)) return false;
		this.ids.add(id);
		const [oldest] = this.ids;
		if (this.ids.size > IDS_MAX && oldest !== undefined) this.ids.delete(oldest);
		return true;
	}

	/**
	 * Adds a response to a request that is newer than the suggestion shown. To avoid flicker, an up-to-date suggestion
	 * is replaced only if the new one extends it or the user requested it. An outdated suggestion is replaced by any
	 * other, and withdrawn by an empty response.
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

	/** Withdraws an outdated suggestion because the response for the newer text is empty or will not arrive. */
	withdrawOutdated(): void {
		// The user did not reject the suggestion, so no reason is given.
		if (this.isStale) this.dismiss(undefined);
	}

	/** Updates the suggestions after a change. `before` is the document's text before it. */
	changed(uri: string, change: Change, before: Text, by: ChangeAuthor): void {
		const { front, origin } = this;
		const elsewhere = this.carryAll(uri, change, before, by);
		this.origin = origin?.carry(uri, change);
		// Typing the suggestion is not an undo, even if it restores an earlier text.
		const isTyped = front !== undefined && front.suggestion.id === this.front?.suggestion.id && elsewhere.length === 0;
		if (isTyped && by !== "others") return;
		if (origin?.isUndoneBy(uri, change, before)) this.dismiss("ignored");
		// The user is still typing or correcting the words. That is not a rejection.
		else if (by !== "suggestion" && origin?.isRewrittenBy(uri, elsewhere, before)) this.dismiss(undefined);
	}

	/**
	 * Rebases all suggestions over a change. Returns the edits in the change that did not type the suggestion shown.
	 */
	private carryAll(uri: string, change: Change, before: Text, by: ChangeAuthor): readonly Edit[] {
		this.waiting = this.waiting.flatMap((one) => {
			if (!sameUri(one.uri, uri)) return [one];
			const carried = carrySuggestion(one, change, before);
			if (typeof carried !== "string" && carried.suggestion !== undefined) return [carried.suggestion];
			this.decide({ suggestion: one, kind: "rejected", reason: undefined });
			return [];
		});
		if (this.front === undefined) {
			// While the first suggestion is being applied, no other edit counts as typing it.
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
	 * Updates suggestions for a file that was opened. They stay valid only if the file's text is unchanged since they
	 * were read, and switch to the URI under which the file was opened.
	 */
	opened({ uri, text }: Document): void {
		const isAffected = (one: EditorSuggestion) => sameUri(one.uri, uri);
		const isStale = (one: EditorSuggestion) => isAffected(one) && one.fileText?.equals(text) === false;
		const named = (one: EditorSuggestion) => (isAffected(one) ? { ...one, uri } : one);
		for (const suggestion of this.waiting.filter(isStale)) {
			this.decide({ suggestion, kind: "rejected", reason: undefined });
		}
		this.waiting = this.waiting.filter((one) => !isStale(one)).map(named);
		if (this.front === undefined) return;
		if (isStale(this.front.suggestion)) this.dismiss("ignored");
		else this.front = { ...this.front, suggestion: named(this.front.suggestion) };
	}

	/** Removes and returns the suggestion being shown. The caller applies it, and then calls `taken` or `failed`. */
	take(): EditorSuggestion | undefined {
		const taken = this.front?.suggestion;
		this.front = undefined;
		return taken;
	}

	/** The suggestion was applied. Shows the next one. */
	taken(suggestion: EditorSuggestion, isPartial: boolean): void {
		this.decide({ suggestion, kind: "accepted", isPartial, isTyped: false });
		this.advance();
	}

	/** The suggestion could not be applied, or the user declined. */
	failed(suggestion: EditorSuggestion, reason: acp.RejectReason | undefined): void {
		this.decide({ suggestion, kind: "rejected", reason });
		this.drop(undefined);
	}

	/** Records that the user has moved to the first position not seen before. */
	visit(place: number): void {
		if (this.front !== undefined) this.front = { ...this.front, seenTo: place };
	}

	/** Ends the suggestion shown and drops the others. No reason is given if the user did not reject it. */
	dismiss(reason: acp.RejectReason | undefined): void {
		this.leave(reason);
		this.drop(undefined);
	}

	/**
	 * Drops the suggestions for a closed document. Suggestions derived from an edit in that document become outdated,
	 * because the edit may not have been saved.
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

	/** Ends the suggestion shown. If a part was accepted, it counts as accepted. */
	private leave(reason: acp.RejectReason | undefined): void {
		const { front } = this;
		if (front === undefined) return;
		this.front = undefined;
		const { suggestion, isPartlyTaken } = front;
		if (isPartlyTaken) this.decide({ suggestion, kind: "accepted", isPartial: true, isTyped: false });
		else this.decide({ suggestion, kind: "rejected", reason });
	}

	/** Ends the waiting suggestions, none of which the user has seen. */
	private drop(reason: acp.RejectReason | undefined): void {
		for (const suggestion of this.waiting) this.decide({ suggestion, kind: "rejected", reason });
		this.waiting = [];
	}
}
