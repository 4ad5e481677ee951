import { type Change, type Document, uriKey } from "@segue/text";

export interface OpenDocument {
	readonly document: Document;
	/** The time when the user last focused it, or when it was opened. */
	readonly lastFocusedMs: number;
	/** Private documents are not sent to agents. Undefined while the check is running, which counts as private. */
	readonly isPrivate: boolean | undefined;
}

/** The documents open in the editor, and which of them is focused. */
export class OpenDocuments {
	/** Keyed by `uriKey`, the most recently focused last. */
	private readonly open = new Map<string, OpenDocument>();
	private activeKey: string | undefined;

	get active(): OpenDocument | undefined {
		return this.activeKey === undefined ? undefined : this.open.get(this.activeKey);
	}

	find(uri: string): OpenDocument | undefined {
		return this.open.get(uriKey(uri));
	}

	/** Returns all documents, most recently focused first. */
	recent(): OpenDocument[] {
		return [...this.open.values()].reverse();
	}

	opened(document: Document, atMs: number): void {
		const key = uriKey(document.uri);
		this.open.delete(key);
		this.open.set(key, { document, lastFocusedMs: atMs, isPrivate: undefined });
	}

	/**
	 * Applies a change. Returns the change and the document before it. Throws a RangeError if the edits do not fit,
	 * because then the plugin and the library are out of sync.
	 */
	changed(uri: string, version: number, change: (before: Document) => Change): { before: Document; change: Change } {
		const open = this.known(uri);
		const before = open.document;
		if (version <= before.version) {
			throw new RangeError(`${uri} is at version ${before.version}; version ${version} is not newer`);
		}
		const made = change(before);
		this.open.set(uriKey(uri), { ...open, document: { ...before, version, text: made.apply(before.text) } });
		return { before, change: made };
	}

	closed(uri: string): void {
		const key = uriKey(uri);
		this.open.delete(key);
		if (this.activeKey === key) this.activeKey = undefined;
	}

	focused(uri: string, atMs: number): void {
		const key = uriKey(uri);
		const open = this.known(uri);
		this.open.delete(key);
		this.open.set(key, { ...open, lastFocusedMs: atMs });
		this.activeKey = key;
	}

	judged(uri: string, isPrivate: boolean): void {
		this.open.set(uriKey(uri), { ...this.known(uri), isPrivate });
	}

	private known(uri: string): OpenDocument {
		const open = this.open.get(uriKey(uri));
		if (open === undefined) throw new RangeError(`${uri} is not open: call didOpen first`);
		return open;
	}
}
