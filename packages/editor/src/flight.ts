import { Change, type Document, uriKey } from "@segue/text";
import type { Origin } from "./offers.js";

/**
 * A request for suggestions that has no answer yet: the documents as the agent knows them, and what has become of them
 * since. Whatever the answer says, it says of those.
 */
export class Flight {
	/** By `uriKey`. */
	private readonly documents = new Map<string, Document>();
	private readonly changes = new Map<string, Change>();
	private readonly closedKeys = new Set<string>();
	private readonly controller = new AbortController();
	private from: Origin | undefined;

	constructor(
		/** The user asked for it. */
		readonly isAsked: boolean,
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

	/**
	 * The request is sent, after what the user did last, and these are the documents as the agent knows them, under the
	 * versions that it was told.
	 */
	leave(documents: readonly Document[], origin: Origin | undefined): void {
		this.from = origin;
		for (const document of documents) this.documents.set(uriKey(document.uri), document);
	}

	get origin(): Origin | undefined {
		return this.from;
	}

	/** Whether the user has undone what it was asked after. */
	get isUndone(): boolean {
		const since = this.from && this.changeOf(this.from.uri);
		if (since === undefined || since.change.lengthAfter !== this.from?.before.length) return false;
		return since.change.apply(since.document.text).equals(this.from.before);
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

	/** Whether the agent knows a document that is gone. What is opened under its name again may be another text. */
	hasLost(uri: string): boolean {
		return this.closedKeys.has(uriKey(uri));
	}

	/** The document as it was when the request was sent, and the change from then to now; undefined if it was not open. */
	changeOf(uri: string): { readonly document: Document; readonly change: Change } | undefined {
		const key = uriKey(uri);
		const document = this.documents.get(key);
		if (document === undefined) return undefined;
		return { document, change: this.changes.get(key) ?? Change.of([], document.text.length) };
	}
}
