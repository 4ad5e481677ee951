import { WordIndex } from "@segue/predict";
import { type Change, type Document, refine, Text, uriKey } from "@segue/text";
import type { DocumentUpdate } from "./request.js";

// More documents than an editor keeps open. The one unused for longest is forgotten, and counts as unknown from then on.
const DOCUMENTS_MAX = 1000;

/** What became of an event: a change of a known document, nothing to speak of, or why the document is lost. */
export type SyncResult =
	| { readonly kind: "changed"; readonly before: Document; readonly change: Change; readonly after: Document }
	| { readonly kind: "done" }
	| { readonly kind: "lost"; readonly why: string };

/** A document as the mirror has it. Where events did not fit, its text is not the editor's and must not be used. */
export interface MirroredDocument {
	readonly document: Document;
	readonly isLost: boolean;
}

/** The agent's copies of the editor's documents, those of one session. */
export class Mirror {
	/** Says which of them have a word. Those that are lost are not in it. */
	readonly wordIndex = new WordIndex();
	/** By `uriKey`, the most recently used last. */
	private readonly documents = new Map<string, MirroredDocument>();
	/** All that are known but for one, as they were asked for last. */
	private others: { readonly key: string; readonly documents: readonly Document[] } | undefined;

	/** A second opening of a document replaces its text. */
	open(document: Document): SyncResult {
		const isKnown = this.documents.has(uriKey(document.uri));
		this.keep({ document, isLost: false });
		this.wordIndex.open(document);
		return isKnown ? { kind: "lost", why: "opened twice; the new text replaces the old one" } : { kind: "done" };
	}

	/** What cannot be applied leaves the document lost, until its whole text comes. A whole text also opens a document. */
	change({ uri, version, change: told, isWhole }: DocumentUpdate): SyncResult {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined && version <= known.document.version) {
			return this.lose(uri, `version ${version} after version ${known.document.version}`);
		}
		if ((known === undefined || known.isLost) && !isWhole) return this.lose(uri, "a range of a text that is not known");

		const length = known?.document.text.length ?? 0;
		if (told.lengthBefore !== length) return this.lose(uri, `a change of a text with ${told.lengthBefore} characters`);
		const before = known?.document ?? { uri, languageId: "plaintext", version, text: Text.empty };
		// What an editor sends as a whole is most often what was there with a letter more, and shares the rest of it.
		const change = refine(told, before.text);
		const after = { ...before, version, text: change.apply(before.text) };
		this.keep({ document: after, isLost: false });
		if (known === undefined || known.isLost) this.wordIndex.open(after);
		else this.wordIndex.change(after, change);
		return known === undefined || known.isLost ? { kind: "done" } : { kind: "changed", before, change, after };
	}

	close(uri: string): void {
		this.forget(uriKey(uri));
	}

	/** An event of this document was missed, so its text is not the editor's any more. */
	lose(uri: string, why: string): SyncResult {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) {
			this.documents.set(uriKey(uri), { ...known, isLost: true });
			this.wordIndex.close(uri);
			this.others = undefined;
		}
		return { kind: "lost", why };
	}

	/** Something was missed that may have been a change of any of them. */
	loseAll(): void {
		for (const { document } of this.documents.values()) this.lose(document.uri, "");
	}

	/** The user turned to a document; nothing is kept of one that was never opened. */
	focus(uri: string): void {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) this.keep(known);
	}

	/** All of them, the most recently used last. */
	all(): readonly MirroredDocument[] {
		return [...this.documents.values()];
	}

	find(uri: string): MirroredDocument | undefined {
		return this.documents.get(uriKey(uri));
	}

	/** A document whose text is the editor's. */
	textOf(uri: string): Document | undefined {
		const mirrored = this.find(uri);
		return mirrored?.isLost === false ? mirrored.document : undefined;
	}

	/**
	 * The other documents whose text is known, most recently used first. While only this one changes, they are the very
	 * same array, and what is known of it need not be found out anew.
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
