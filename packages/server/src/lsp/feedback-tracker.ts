import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import { Change, type Document, sameUri, type Text, uriKey } from "@segue/text";
import { joinedEdit } from "./to-wire.js";

// A client that takes a suggestion apart, for example deletes and then inserts, needs few changes. More are typing.
const CHANGES_TO_APPLY_MAX = 2;

// A user who types on sooner has not read it.
const READ_MS = 2_000;

/** How clients ask. One may ask in several ways, and each answer ends only the one before it of the same kind. */
export type AnswerKind = "completion" | "edit" | "action";

/**
 * Finds out what became of suggestions. Clients of LSP report some verdicts and leave out others, so they are inferred. A document
 * that has become what was suggested means that it was accepted. A user who wrote something else in its place, or somewhere else
 * after having had the time to read it, has ignored it.
 */
export class FeedbackTracker {
	private readonly current = new Map<AnswerKind, Current>();
	/** Versions of documents that an accepted edit will replace, by `uriKey`. Some clients report the change after the command. */
	private readonly outdated = new Map<string, number>();
	/** The client reports what it shows. Then what it does not report was not seen. */
	private reportsShown = false;

	constructor(
		private readonly session: Pick<NextEditSession, "accept" | "reject" | "held">,
		private readonly now: () => number,
	) {}

	/** An answer has this suggestion, or none. */
	answered(method: AnswerKind, offer: SuggestionOffer | undefined): void {
		const current = this.current.get(method);
		// The user is typing what was suggested, and the client asks meanwhile.
		if (current !== undefined && current.changes > 0 && current.isOnItsWay) return;
		// The same suggestion, after the cursor has moved. Both ids may come back.
		const isAgain = current !== undefined && offer?.suggestion.key === current.offer.suggestion.key;
		if (current !== undefined && !isAgain) this.leave(current);
		const made = offer && currentOf(offer);
		if (made === undefined) this.current.delete(method);
		else {
			this.current.set(method, {
				...made,
				// A menu is not shown before the user opens it.
				isShown: method !== "action" && !this.reportsShown,
				sinceMs: isAgain ? current.sinceMs : this.now(),
				isPassedOver: isAgain && current.isPassedOver,
			});
		}
	}

	shown(id: string): void {
		this.reportsShown = true;
		this.change(id, (current) => ({ ...current, isShown: true }));
	}

	/** Whether an edit of this version was accepted, so that another would be of a text that is gone. */
	isOutdated({ uri, version }: Document): boolean {
		return this.outdated.get(uriKey(uri)) === version;
	}

	closed(uri: string): void {
		this.outdated.delete(uriKey(uri));
	}

	changed(change: Change, after: Document): void {
		this.outdated.delete(uriKey(after.uri));
		for (const [method, current] of this.current) {
			if (!sameUri(current.offer.document.uri, after.uri)) continue;
			const changes = current.changes + 1;
			if (after.text.equals(current.target)) {
				this.current.delete(method);
				this.session.accept(current.offer.id, { isPartial: false, isTyped: changes > CHANGES_TO_APPLY_MAX });
				continue;
			}
			const { edits } = change;
			const isThere = edits.some((edit) => edit.from <= current.to && edit.to >= current.from);
			const isOnlyThere = edits.every((edit) => edit.from >= current.from && edit.to <= current.to);
			const [from, to] = [change.map(current.from, "before"), change.map(current.to, "after")];
			const written = after.text.slice(from, to);
			const isPart = current.insert.startsWith(written) || current.old.startsWith(written);
			const isOnItsWay = current.isOnItsWay && isOnlyThere && isPart;
			const wasRead = this.now() - current.sinceMs >= READ_MS;
			const isPassedOver = !isOnItsWay && (current.isPassedOver || isThere || wasRead);
			this.current.set(method, { ...current, from, to, changes, isOnItsWay, isPassedOver });
		}
	}

	/** `documents` are those that the client changes by it. */
	accepted(id: string, documents: readonly Document[]): void {
		for (const { uri, version } of documents) {
			if (this.session.held(uri)?.document.version === version) this.outdated.set(uriKey(uri), version);
		}
		this.forget(id);
		this.session.accept(id, { isPartial: false, isTyped: false });
	}

	/** The user took some of it, and may take the rest. */
	acceptedPartly(id: string): void {
		const isCurrent = this.change(id, (current) => ({ ...current, isPartlyTaken: true }));
		if (!isCurrent) this.session.accept(id, { isPartial: true, isTyped: false });
	}

	rejected(id: string, reason: "rejected" | "ignored"): void {
		this.forget(id);
		this.session.reject(id, reason);
	}

	private change(id: string, how: (current: Current) => Current): boolean {
		for (const [method, current] of this.current) {
			if (current.offer.id !== id) continue;
			this.current.set(method, how(current));
			return true;
		}
		return false;
	}

	private forget(id: string): void {
		for (const [method, { offer }] of this.current) if (offer.id === id) this.current.delete(method);
	}

	private leave({ offer, isShown, isPassedOver, isPartlyTaken }: Current): void {
		if (isPartlyTaken) this.session.accept(offer.id, { isPartial: true, isTyped: false });
		else this.session.reject(offer.id, isShown && isPassedOver ? "ignored" : "replaced");
	}
}

/** What the client was given last and has no verdict yet. */
interface Current {
	readonly offer: SuggestionOffer;
	/** The text of its document, once it is accepted. */
	readonly target: Text;
	/** Where it is by now, from the first of its edits to the last. */
	readonly from: number;
	readonly to: number;
	/** The text there, before and after. */
	readonly old: string;
	readonly insert: string;
	readonly isShown: boolean;
	/** When the client got it first. */
	readonly sinceMs: number;
	/** How often its document was changed since. */
	readonly changes: number;
	/** The document is between what it was and what is suggested: the user is typing it, or the client applies it in parts. */
	readonly isOnItsWay: boolean;
	/** The user wrote something else instead. */
	readonly isPassedOver: boolean;
	readonly isPartlyTaken: boolean;
}

function currentOf(offer: SuggestionOffer): Current | undefined {
	const { suggestion, document } = offer;
	const edit = joinedEdit(offer);
	if (suggestion.kind !== "edit" || edit === undefined) return undefined;
	const { from, to, insert } = edit;
	const target = Change.of(suggestion.edits, document.text.length).apply(document.text);
	return {
		...{ offer, target, from, to, old: document.text.slice(from, to), insert },
		...{ isShown: false, sinceMs: 0, changes: 0, isOnItsWay: true, isPassedOver: false, isPartlyTaken: false },
	};
}
