import type { Offer, Session } from "@segue/agent/next-edit/session";
import { Change, type Document, sameUri, type Text } from "@segue/text";

// A client that takes a suggestion apart, for example deletes and then inserts, needs few changes. More are typing.
const CHANGES_TO_APPLY_MAX = 2;

// A user who types on sooner has not read it.
const READ_MS = 2_000;

/**
 * Finds out what became of suggestions. Clients of LSP report some verdicts and leave out others, so they are inferred. A document
 * that has become what was suggested means that it was accepted. A user who wrote something else in its place, or somewhere else
 * after having had the time to read it, has ignored it.
 */
export class Offers {
	private current: Current | undefined;
	/** The client reports what it shows. Then what it does not report was not seen. */
	private reportsShown = false;

	constructor(
		private readonly session: Pick<Session, "accept" | "reject">,
		private readonly now: () => number,
	) {}

	/** An answer has this suggestion, or none. `isShown` tells whether clients show such an answer without being asked to. */
	answered(offer: Offer | undefined, isShown: boolean): void {
		const { current } = this;
		// The same suggestion, after the cursor has moved. Both ids may come back.
		const isAgain = current !== undefined && offer?.suggestion.key === current.offer.suggestion.key;
		if (current !== undefined && !isAgain) this.leave(current);
		const change = offer && changeOf(offer);
		const [first] = change?.edits ?? [];
		const last = change?.edits.at(-1);
		if (offer === undefined || change === undefined || first === undefined || last === undefined)
			this.current = undefined;
		else {
			this.current = {
				offer,
				target: change.apply(offer.document.text),
				from: first.from,
				to: last.to,
				isShown: isShown && !this.reportsShown,
				sinceMs: isAgain ? current.sinceMs : this.now(),
				changes: 0,
				isPassedOver: isAgain && current.isPassedOver,
			};
		}
	}

	shown(id: string): void {
		this.reportsShown = true;
		if (this.current?.offer.id === id) this.current = { ...this.current, isShown: true };
	}

	changed(change: Change, after: Document): void {
		const { current } = this;
		if (current === undefined || !sameUri(current.offer.document.uri, after.uri)) return;
		const changes = current.changes + 1;
		if (after.text.equals(current.target)) {
			this.current = undefined;
			this.session.accept(current.offer.id, { isPartial: false, isTyped: changes > CHANGES_TO_APPLY_MAX });
			return;
		}
		const { from, to, sinceMs } = current;
		const isThere = change.edits.some((edit) => edit.from <= to && edit.to >= from);
		this.current = {
			...current,
			from: change.map(from, "before"),
			to: change.map(to, "after"),
			changes,
			isPassedOver: current.isPassedOver || isThere || this.now() - sinceMs >= READ_MS,
		};
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

	private leave({ offer, isShown, isPassedOver }: Current): void {
		this.session.reject(offer.id, isShown && isPassedOver ? "ignored" : "replaced");
	}
}

/** What the client was given last and has no verdict yet. */
interface Current {
	readonly offer: Offer;
	/** The text of its document, once it is accepted. */
	readonly target: Text;
	/** Where it is by now. */
	readonly from: number;
	readonly to: number;
	readonly isShown: boolean;
	/** When the client got it first. */
	readonly sinceMs: number;
	/** How often its document was changed since. */
	readonly changes: number;
	/** The user wrote something else instead. */
	readonly isPassedOver: boolean;
}

function changeOf({ suggestion, document }: Offer): Change | undefined {
	return suggestion.kind === "edit" ? Change.of(suggestion.edits, document.text.length) : undefined;
}
