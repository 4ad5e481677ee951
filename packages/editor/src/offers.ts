import type { RejectReason } from "@segue/protocol/acp";
import { type Change, type Document, type Event, sameUri, type Text } from "@segue/text";
import { carry, extendsOther, type Suggestion } from "./suggestion.js";

// More than come in an hour. An agent that counts from the beginning again does so earlier.
const IDS_MAX = 10_000;

/** What the user made of a suggestion. Every suggestion that arrives gets one, unless its session ends first. */
export type Verdict = { readonly suggestion: Suggestion } & (
	| {
			readonly kind: "accepted";
			/** Only a part of it was taken. */
			readonly isPartial: boolean;
			/** The user typed it all themselves. */
			readonly isTyped: boolean;
	  }
	| { readonly kind: "rejected"; readonly reason: RejectReason | undefined }
);

/** Who changed a document: the user; a suggestion, by a part that the user took; or others, such as a formatter or undo. */
export type Hand = "user" | "suggestion" | "others";

/** What the user did last before an answer was asked for. What is offered came from it, and goes with it. */
export type Origin = Pick<Event, "uri" | "before">;

/** What an answer was asked for by. */
export interface Asked {
	/** The user asked. */
	readonly isAsked: boolean;
	readonly origin: Origin | undefined;
}

/** A suggestion in front of the user. */
export interface Offer {
	readonly suggestion: Suggestion;
	/** The user took a part of it, and what is here is the rest. */
	readonly isPartlyTaken: boolean;
	/** The user has been there, and has seen what is suggested up to it; undefined where they have not been anywhere. */
	readonly seenTo: number | undefined;
	/** The user edited something else since it was offered. */
	readonly isPassedBy: boolean;
}

/**
 * What is offered to the user: one suggestion in front, and those of the same answer that wait behind it. They live in the
 * documents as these are now, so every change of a document must be told. Each ends in one verdict.
 */
export class Offers {
	private front: Offer | undefined;
	private waiting: readonly Suggestion[] = [];
	/** Of all that is offered now. */
	private origin: Origin | undefined;
	private readonly ids = new Set<string>();

	constructor(private readonly decide: (verdict: Verdict) => void) {}

	get current(): Offer | undefined {
		return this.front;
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
	 * An answer arrived. What the user looks at is replaced only by what says the same or more, so that nothing flickers;
	 * or by anything, when they asked for it or have gone on elsewhere.
	 */
	answered(
		fresh: readonly Suggestion[],
		{ isAsked, origin }: Asked,
		documentOf: (uri: string) => Document | undefined,
	): void {
		const [first, ...rest] = fresh;
		if (first === undefined) return;
		const { front } = this;
		if (front !== undefined) {
			const text = sameUri(front.suggestion.uri, first.uri) ? documentOf(first.uri)?.text : undefined;
			const isMore = text !== undefined && extendsOther(first, front.suggestion, text);
			if (!isMore && !isAsked && !front.isPassedBy) {
				for (const suggestion of fresh) this.decide({ suggestion, kind: "rejected", reason: "replaced" });
				return;
			}
			this.leave("replaced");
		}
		this.drop("replaced");
		this.front = { suggestion: first, isPartlyTaken: false, seenTo: undefined, isPassedBy: false };
		this.waiting = rest;
		this.origin = origin;
	}

	/** A document changed. `before` is its text before. */
	changed(uri: string, change: Change, before: Text, by: Hand): void {
		const { front, origin } = this;
		this.carryAll(uri, change, before, by);
		// Whoever types on as it says has not undone anything, even where that leads to a text that there was before.
		if (by !== "others" && front !== undefined && this.isTypedOn(front)) return;
		if (origin === undefined || !sameUri(origin.uri, uri) || origin.before.length !== change.lengthAfter) return;
		if (change.apply(before).equals(origin.before)) this.dismiss("ignored");
	}

	/** Whether what is in front is the rest of an offer. */
	private isTypedOn({ suggestion }: Offer): boolean {
		const now = this.front?.suggestion;
		return now !== undefined && now.id === suggestion.id && !isElsewhere(now, suggestion);
	}

	private carryAll(uri: string, change: Change, before: Text, by: Hand): void {
		this.waiting = this.waiting.flatMap((one) => {
			if (!sameUri(one.uri, uri)) return [one];
			const carried = carry(one, change, before);
			if (typeof carried !== "string") return [carried];
			this.decide({ suggestion: one, kind: "rejected", reason: undefined });
			return [];
		});
		if (this.front === undefined) return;
		if (!sameUri(this.front.suggestion.uri, uri)) {
			this.front = { ...this.front, isPassedBy: true };
			return;
		}
		const front = by === "suggestion" ? { ...this.front, isPartlyTaken: true } : this.front;
		this.front = front;
		const carried = carry(front.suggestion, change, before);
		switch (carried) {
			case "done":
				this.front = undefined;
				this.decide({
					suggestion: front.suggestion,
					kind: "accepted",
					isPartial: false,
					isTyped: !front.isPartlyTaken,
				});
				this.advance();
				break;
			case "contradicted":
				this.dismiss(by === "user" ? "rejected" : "ignored");
				break;
			case "invalidated":
				this.dismiss("ignored");
				break;
			default:
				this.front = {
					...front,
					suggestion: carried,
					seenTo: front.seenTo === undefined ? undefined : change.map(front.seenTo, "after"),
					isPassedBy: front.isPassedBy || isElsewhere(carried, front.suggestion),
				};
		}
	}

	/**
	 * A file was opened. What was suggested for it holds only for the text that it was read with, and from now on the host
	 * knows it by the name it was opened with.
	 */
	opened({ uri, text }: Document): void {
		const isOfIt = (one: Suggestion) => sameUri(one.uri, uri);
		const isStale = (one: Suggestion) => isOfIt(one) && one.fileText?.equals(text) === false;
		const named = (one: Suggestion) => (isOfIt(one) ? { ...one, uri } : one);
		for (const suggestion of this.waiting.filter(isStale)) {
			this.decide({ suggestion, kind: "rejected", reason: undefined });
		}
		this.waiting = this.waiting.filter((one) => !isStale(one)).map(named);
		if (this.front === undefined) return;
		if (isStale(this.front.suggestion)) this.dismiss("ignored");
		else this.front = { ...this.front, suggestion: named(this.front.suggestion) };
	}

	/** Takes the suggestion away from the user, who wants it: what comes of that is told by `taken` or `failed`. */
	take(): Suggestion | undefined {
		const taken = this.front?.suggestion;
		this.front = undefined;
		return taken;
	}

	/** The user got what they took. The next one that waited comes to the front. */
	taken(suggestion: Suggestion, isPartial: boolean): void {
		this.decide({ suggestion, kind: "accepted", isPartial, isTyped: false });
		this.advance();
	}

	/** What the user wanted to take could not be had, or they thought better of it. */
	failed(suggestion: Suggestion, reason: RejectReason | undefined): void {
		this.decide({ suggestion, kind: "rejected", reason });
		this.drop(undefined);
	}

	/** The user went to a place of it, the first that they had not seen. */
	visit(place: number): void {
		if (this.front !== undefined) this.front = { ...this.front, seenTo: place };
	}

	/** The suggestion goes: the user said no, or, without a reason, it could not be done. */
	dismiss(reason: RejectReason | undefined): void {
		this.leave(reason);
		this.drop(undefined);
	}

	/** A document was closed, and with it what was suggested for it. */
	closed(uri: string): void {
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
		this.front = { suggestion: next, isPartlyTaken: false, seenTo: undefined, isPassedBy: false };
	}

	/** Ends the suggestion in front, for a reason. One of which a part was taken counts as accepted. */
	private leave(reason: RejectReason | undefined): void {
		const { front } = this;
		if (front === undefined) return;
		this.front = undefined;
		const { suggestion, isPartlyTaken } = front;
		if (isPartlyTaken) this.decide({ suggestion, kind: "accepted", isPartial: true, isTyped: false });
		else this.decide({ suggestion, kind: "rejected", reason });
	}

	/** Ends those that wait. Nobody saw them, so without a reason they count for nothing. */
	private drop(reason: RejectReason | undefined): void {
		for (const suggestion of this.waiting) this.decide({ suggestion, kind: "rejected", reason });
		this.waiting = [];
	}
}

/** Whether a change that a suggestion was carried over had nothing to do with it: then it says as much as before. */
function isElsewhere(now: Suggestion, before: Suggestion): boolean {
	if (now.kind !== "edit" || before.kind !== "edit" || now.edits.length !== before.edits.length) {
		return now.kind !== "edit";
	}
	return now.edits.every(({ from, to, insert }, i) => {
		const old = before.edits[i];
		return old !== undefined && insert === old.insert && to - from === old.to - old.from;
	});
}
