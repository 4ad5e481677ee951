import { type Change, type Document, uriKey } from "@segue/text";

/** A document of the editor. */
export interface OpenDocument {
	readonly document: Document;
	/** When the user turned to it last; when it was opened, if they never did. */
	readonly lastFocusedMs: number;
	/** Nothing of a private one goes to an agent. Until it is known, it counts as private. */
	readonly isPrivate: boolean | undefined;
}

/** The documents that are open in the editor, and which of them has the focus. */
export class OpenDocuments {
	/** By `uriKey`, the most recently focused last. */
	private readonly open = new Map<string, OpenDocument>();
	private activeKey: string | undefined;

	get active(): OpenDocument | undefined {
		return this.activeKey === undefined ? undefined : this.open.get(this.activeKey);
	}

	find(uri: string): OpenDocument | undefined {
		return this.open.get(uriKey(uri));
	}

	/** Most recently focused first. */
	recent(): OpenDocument[] {
		return [...this.open.values()].reverse();
	}

	opened(document: Document, atMs: number): void {
		const key = uriKey(document.uri);
		this.open.delete(key);
		this.open.set(key, { document, lastFocusedMs: atMs, isPrivate: undefined });
	}

	/** Returns the document before. Throws a RangeError where edits do not fit it: then the plugin lost track of it. */
	changed(uri: string, version: number, change: (before: Document) => Change): { before: Document; change: Change } {
		const open = this.known(uri);
		const before = open.document;
		if (version <= before.version) {
			throw new RangeError(`${uri} has version ${before.version}, and version ${version} cannot follow it`);
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
