import type { SuggestionOffer } from "@segue/agent/next-edit/offers";
import type { NextEditSession } from "@segue/agent/next-edit/session";
import { Change, type Document, sameUri, type Text, uriKey } from "@segue/text";
import { joinedEdit } from "./to-wire.js";

// A client may apply a suggestion in parts, for example as a deletion and an insertion. More changes mean that the user
// is typing.
const CHANGES_TO_APPLY_MAX = 2;

// A user who continues typing sooner than this has not read the suggestion.
const READ_MS = 2_000;

/**
 * The kind of request. A client may use several kinds, and a suggestion replaces only the previous one of the same
 * kind.
 */
export type AnswerKind = "completion" | "edit" | "action";

/**
 * Infers the outcomes of suggestions, because LSP clients report only some of them. A suggestion counts as accepted if
 * the document's text becomes the suggested text. It counts as ignored if the user writes something else in its place,
 * or makes a change elsewhere after having had time to read it.
 */
export class FeedbackTracker {
	private readonly current = new Map<AnswerKind, Current>();
	/**
	 * Versions of documents that an accepted edit will replace, by `uriKey`. Some clients report the change after the
	 * command.
	 */
	private readonly outdated = new Map<string, number>();
	/** Whether the client reports which suggestions it shows. If so, the user has not seen the others. */
	private reportsShown = false;

	constructor(
		private readonly session: Pick<NextEditSession, "accept" | "reject" | "held">,
		private readonly now: () => number,
	) {}

	/** Called for each response, with the suggestion it contains. */
	answered(method: AnswerKind, offer: SuggestionOffer | undefined): void {
		const current = this.current.get(method);
		// Keep the suggestion while the user is typing its text. The client sends requests in the meantime.
		if (current !== undefined && current.changes > 0 && current.isBeingApplied) return;
		// The same suggestion can be sent again after the cursor moves. The client may refer to either id.
		const isAgain = current !== undefined && offer?.suggestion.key === current.offer.suggestion.key;
		if (current !== undefined && !isAgain) this.replace(current);
		const next = offer && currentOf(offer);
		if (next === undefined) this.current.delete(method);
		else {
			this.current.set(method, {
				...next,
				// Code actions are hidden until the user opens the menu.
				isShown: method !== "action" && !this.reportsShown,
				sinceMs: isAgain ? current.sinceMs : this.now(),
				isIgnored: isAgain && current.isIgnored,
			});
		}
	}

	shown(id: string): void {
		this.reportsShown = true;
		this.change(id, (current) => ({ ...current, isShown: true }));
	}

	/**
	 * Whether an edit to this version of the document was accepted, which makes other suggestions for the version stale.
	 */
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
			const isInPlace = edits.some((edit) => edit.from <= current.to && edit.to >= current.from);
			const isOnlyInPlace = edits.every((edit) => edit.from >= current.from && edit.to <= current.to);
			const [from, to] = [change.map(current.from, "before"), change.map(current.to, "after")];
			const written = after.text.slice(from, to);
			const isPart = current.insert.startsWith(written) || current.old.startsWith(written);
			const isBeingApplied = current.isBeingApplied && isOnlyInPlace && isPart;
			const wasRead = this.now() - current.sinceMs >= READ_MS;
			const isIgnored = !isBeingApplied && (current.isIgnored || isInPlace || wasRead);
			this.current.set(method, { ...current, from, to, changes, isBeingApplied, isIgnored });
		}
	}

	/** `documents` are the documents that the client changes. */
	accepted(id: string, documents: readonly Document[]): void {
		for (const { uri, version } of documents) {
			if (this.session.held(uri)?.document.version === version) this.outdated.set(uriKey(uri), version);
		}
		this.forget(id);
		this.session.accept(id, { isPartial: false, isTyped: false });
	}

	/** Records a partial acceptance. The user may still accept the rest. */
	acceptedPartly(id: string): void {
		const isCurrent = this.change(id, (current) => ({ ...current, isPartlyAccepted: true }));
		if (!isCurrent) this.session.accept(id, { isPartial: true, isTyped: false });
	}

	rejected(id: string, reason: "rejected" | "ignored"): void {
		this.forget(id);
		this.session.reject(id, reason);
	}

	private change(id: string, update: (current: Current) => Current): boolean {
		for (const [method, current] of this.current) {
			if (current.offer.id !== id) continue;
			this.current.set(method, update(current));
			return true;
		}
		return false;
	}

	private forget(id: string): void {
		for (const [method, { offer }] of this.current) if (offer.id === id) this.current.delete(method);
	}

	private replace({ offer, isShown, isIgnored, isPartlyAccepted }: Current): void {
		if (isPartlyAccepted) this.session.accept(offer.id, { isPartial: true, isTyped: false });
		else this.session.reject(offer.id, isShown && isIgnored ? "ignored" : "replaced");
	}
}

/** The last suggestion sent, which has no outcome yet. */
interface Current {
	readonly offer: SuggestionOffer;
	/** The text of the document after the suggestion is applied. */
	readonly target: Text;
	/** The current range, from the first edit to the last. */
	readonly from: number;
	readonly to: number;
	/** The text of the range before and after the suggestion is applied. */
	readonly old: string;
	readonly insert: string;
	readonly isShown: boolean;
	/** The time when the suggestion was first sent. */
	readonly sinceMs: number;
	/** The number of changes to its document since then. */
	readonly changes: number;
	/**
	 * Whether all changes since then lead towards the suggested text, because the user is typing the text or the client
	 * is applying it in parts.
	 */
	readonly isBeingApplied: boolean;
	/** Whether the user wrote something else instead. */
	readonly isIgnored: boolean;
	readonly isPartlyAccepted: boolean;
}

function currentOf(offer: SuggestionOffer): Current | undefined {
	const { suggestion, document } = offer;
	const edit = joinedEdit(offer);
	if (suggestion.kind !== "edit" || edit === undefined) return undefined;
	const { from, to, insert } = edit;
	const target = Change.of(suggestion.edits, document.text.length).apply(document.text);
	return {
		...{ offer, target, from, to, old: document.text.slice(from, to), insert },
		...{ isShown: false, sinceMs: 0, changes: 0, isBeingApplied: true, isIgnored: false, isPartlyAccepted: false },
	};
}
