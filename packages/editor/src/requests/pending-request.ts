import { Change, type Document, type Edit, type Event, uriKey } from "@segue/text";
import { Origin } from "../suggestions/origin.js";

/**
 * A request for suggestions that has no response yet, with the documents as sent to the agent and the changes made to
 * them since. The response refers to the documents as sent.
 */
export class PendingRequest {
	/** Keyed by `uriKey`. */
	private readonly documents = new Map<string, Document>();
	private readonly changes = new Map<string, Change>();
	private readonly closedKeys = new Set<string>();
	private readonly controller = new AbortController();
	/** The origin when the request was sent. */
	private sentAfter: Origin | undefined;

	constructor(
		/** Whether the user requested it explicitly. */
		readonly isManual: boolean,
	) {}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	get isCancelled(): boolean {
		return this.controller.signal.aborted;
	}

	cancel(): void {
		this.controller.abort();
	}

	/** Records the documents as sent to the agent, and the user's edits before the request. */
	markSent(documents: readonly Document[], edits: readonly Event[]): void {
		for (const document of documents) this.documents.set(uriKey(document.uri), document);
		const known = edits.filter(({ uri }) => this.documents.has(uriKey(uri)));
		this.sentAfter = Origin.of(known, (uri) => this.documents.get(uriKey(uri))?.text);
	}

	/** The edits before the request, mapped to the current documents. */
	get origin(): Origin | undefined {
		let origin = this.sentAfter;
		if (origin === undefined || this.hasLost(origin.uri)) return undefined;
		for (const [key, change] of this.changes) {
			const document = this.documents.get(key);
			if (document !== undefined) origin = origin.carry(document.uri, change);
		}
		return origin;
	}

	/** Whether the user has undone the edit that came before the request. */
	get isUndone(): boolean {
		const since = this.sentAfter && this.changeOf(this.sentAfter.uri);
		if (since === undefined) return false;
		return this.sentAfter?.isUndoneBy(this.sentAfter.uri, since.change, since.document.text) ?? false;
	}

	/**
	 * Whether the user has changed the words that a suggestion in the response is derived from. `elsewhere` contains
	 * the edits made to its document since the request, except those that typed the suggestion.
	 */
	isRewritten(uri: string, elsewhere: readonly Edit[]): boolean {
		const { sentAfter } = this;
		if (sentAfter === undefined) return false;
		return [...this.changes].some(([key, change]) => {
			const document = this.documents.get(key);
			if (document === undefined) return false;
			const edits = uriKey(uri) === key ? elsewhere : change.edits;
			return sentAfter.isRewrittenBy(document.uri, edits, document.text);
		});
	}

	/**
	 * Whether a document other than this one has changed since the request. Closing the last edited document counts as
	 * a change, because the edit may not have been saved.
	 */
	hasOthersChanged(uri: string): boolean {
		if (this.sentAfter !== undefined && this.hasLost(this.sentAfter.uri)) return true;
		return [...this.changes.keys()].some((key) => key !== uriKey(uri));
	}

	changed(uri: string, change: Change): void {
		const key = uriKey(uri);
		if (this.documents.has(key)) this.changes.set(key, this.changes.get(key)?.compose(change) ?? change);
	}

	closed(uri: string): void {
		const key = uriKey(uri);
		if (this.documents.delete(key)) this.closedKeys.add(key);
		this.changes.delete(key);
	}

	/** Whether a document that was sent has since been closed. If it is opened again, its text may be different. */
	hasLost(uri: string): boolean {
		return this.closedKeys.has(uriKey(uri));
	}

	/** Returns the document as sent and the changes made since; undefined if it was not open. */
	changeOf(uri: string): { readonly document: Document; readonly change: Change } | undefined {
		const key = uriKey(uri);
		const document = this.documents.get(key);
		if (document === undefined) return undefined;
		return { document, change: this.changes.get(key) ?? Change.of([], document.text.length) };
	}
}
