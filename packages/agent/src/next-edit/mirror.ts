import { WordIndex } from "@segue/predict";
import { type Change, type Document, refine, Text, uriKey } from "@segue/text";
import type { DocumentUpdate } from "./request.js";

// More documents than an editor keeps open. The least recently used one is dropped and then counts as unknown.
const DOCUMENTS_MAX = 1000;

/**
 * The result of an event: a change to a known document, success without a change, or the reason why the document is out
 * of sync.
 */
export type SyncResult =
	| { readonly kind: "changed"; readonly before: Document; readonly change: Change; readonly after: Document }
	| { readonly kind: "done" }
	| { readonly kind: "lost"; readonly why: string };

/** A document in the mirror. If it is lost, its text differs from the editor's and must not be used. */
export interface MirroredDocument {
	readonly document: Document;
	readonly isLost: boolean;
}

/** The agent's copies of the editor's documents in one session. */
export class Mirror {
	/** Finds the documents that contain a word. Excludes lost documents. */
	readonly wordIndex = new WordIndex();
	/** Keyed by `uriKey`, least recently used first. */
	private readonly documents = new Map<string, MirroredDocument>();
	/** Caches the last result of `othersThan`. */
	private others: { readonly key: string; readonly documents: readonly Document[] } | undefined;

	/** Opening a document again replaces its text. */
	open(document: Document): SyncResult {
		const isKnown = this.documents.has(uriKey(document.uri));
		this.keep({ document, isLost: false });
		this.wordIndex.open(document);
		return isKnown ? { kind: "lost", why: "opened twice; the new text replaces the old one" } : { kind: "done" };
	}

	/**
	 * If a change cannot be applied, the document is lost until its whole text arrives. Receiving a document's whole
	 * text also opens it.
	 */
	change({ uri, version, change: sent, isWhole }: DocumentUpdate): SyncResult {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined && version <= known.document.version) {
			return this.lose(uri, `received version ${version} after version ${known.document.version}`);
		}
		if ((known === undefined || known.isLost) && !isWhole)
			return this.lose(uri, "received an incremental change for a document with unknown text");

		const length = known?.document.text.length ?? 0;
		if (sent.lengthBefore !== length) {
			return this.lose(uri, `received a change for a text of length ${sent.lengthBefore} instead of ${length}`);
		}
		const before = known?.document ?? { uri, languageId: "plaintext", version, text: Text.empty };
		// A whole text usually differs from the previous text by one character, so reduce it to the difference.
		const change = refine(sent, before.text);
		const after = { ...before, version, text: change.apply(before.text) };
		this.keep({ document: after, isLost: false });
		if (known === undefined || known.isLost) this.wordIndex.open(after);
		else this.wordIndex.change(after, change);
		return known === undefined || known.isLost ? { kind: "done" } : { kind: "changed", before, change, after };
	}

	close(uri: string): void {
		this.forget(uriKey(uri));
	}

	/** Must be called when an event for this document was missed and its text may differ from the editor's. */
	lose(uri: string, why: string): SyncResult {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) {
			this.documents.set(uriKey(uri), { ...known, isLost: true });
			this.wordIndex.close(uri);
			this.others = undefined;
		}
		return { kind: "lost", why };
	}

	/** Must be called when a missed event may have changed any document. */
	loseAll(): void {
		for (const { document } of this.documents.values()) this.lose(document.uri, "");
	}

	/** Marks a document as recently used. Ignores unknown documents. */
	focus(uri: string): void {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) this.keep(known);
	}

	/** All documents, least recently used first. */
	all(): readonly MirroredDocument[] {
		return [...this.documents.values()];
	}

	find(uri: string): MirroredDocument | undefined {
		return this.documents.get(uriKey(uri));
	}

	/** Returns a document unless it is unknown or lost. */
	textOf(uri: string): Document | undefined {
		const mirrored = this.find(uri);
		return mirrored?.isLost === false ? mirrored.document : undefined;
	}

	/**
	 * The other documents whose text is known, most recently used first. Returns the same array while only this document
	 * changes, so that callers can use it as a cache key.
	 */
	othersThan(uri: string): readonly Document[] {
		const key = uriKey(uri);
		if (this.others?.key !== key) {
			const all = [...this.documents].filter(([other, { isLost }]) => other !== key && !isLost);
			this.others = { key, documents: all.map(([, { document }]) => document).reverse() };
		}
		return this.others.documents;
	}

	private keep(mirrored: MirroredDocument): void {
		const key = uriKey(mirrored.document.uri);
		this.documents.delete(key);
		this.documents.set(key, mirrored);
		const [oldest] = this.documents.keys();
		if (this.documents.size > DOCUMENTS_MAX && oldest !== undefined) this.forget(oldest);
		if (this.others?.key !== key) this.others = undefined;
	}

	private forget(key: string): void {
		const known = this.documents.get(key);
		if (known === undefined) return;
		this.documents.delete(key);
		this.wordIndex.close(known.document.uri);
		this.others = undefined;
	}
}
