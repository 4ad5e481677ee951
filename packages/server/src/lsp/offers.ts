import type { Offer, Session } from "@segue/agent/next-edit/session";
import { Change, type Document, sameUri, type Text } from "@segue/text";

// A client that takes a suggestion apart, for example deletes and then inserts, needs few changes. More are typing.
const CHANGES_TO_APPLY_MAX = 2;

/**
 * Finds out what became of suggestions. Clients of LSP report some verdicts and leave out others, so they are inferred: a document
 * that has become what was suggested means that it was accepted, and a user who changed something else has ignored it.
 */
export class Offers {
	private current: Current | undefined;
	/** The client reports what it shows. Then what it does not report was not seen. */
	private reportsShown = false;

	constructor(private readonly session: Pick<Session, "accept" | "reject">) {}

	/** An answer has this suggestion, or none. `isShown` tells whether clients show such an answer without being asked to. */
	answered(offer: Offer | undefined, isShown: boolean): void {
		const { current } = this;
		// The same suggestion, after the cursor has moved. Both ids may come back.
		const isAgain = current !== undefined && offer?.suggestion.key === current.offer.suggestion.key;
		if (current !== undefined && !isAgain) this.leave(current);
		const target = offer && textAfter(offer);
		this.current = offer && target && { offer, target, isShown: isShown && !this.reportsShown, changes: 0 };
	}

	shown(id: string): void {
		this.reportsShown = true;
		if (this.current?.offer.id === id) this.current = { ...this.current, isShown: true };
	}

	changed(after: Document): void {
		const { current } = this;
		if (current === undefined || !sameUri(current.offer.document.uri, after.uri)) return;
		const changes = current.changes + 1;
		if (!after.text.equals(current.target)) this.current = { ...current, changes };
		else {
			this.current = undefined;
			this.session.accept(current.offer.id, { isPartial: false, isTyped: changes > CHANGES_TO_APPLY_MAX });
		}
	}

	accepted(id: string, isPartial = false): void {
		this.forget(id);
		this.session.accept(id, { isPartial, isTyped: false });
	}

	rejected(id: string, reason: "rejected" | "ignored"): void {
		this.forget(id);
		this.session.reject(id, reason);
	}

	private forget(id: string): void {
		if (this.current?.offer.id === id) this.current = undefined;
	}

	private leave({ offer, isShown, changes }: Current): void {
		this.session.reject(offer.id, isShown && changes > 0 ? "ignored" : "replaced");
	}
}

/** What the client was given last and has no verdict yet. */
interface Current {
	readonly offer: Offer;
	/** The text of its document, once it is accepted. */
	readonly target: Text;
	readonly isShown: boolean;
	/** How often its document was changed since. */
	readonly changes: number;
}

function textAfter({ suggestion, document }: Offer): Text | undefined {
	if (suggestion.kind !== "edit") return undefined;
	return Change.of(suggestion.edits, document.text.length).apply(document.text);
}
