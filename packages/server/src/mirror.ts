import type { DidChange, DidOpen, PositionEncoding } from "@segue/protocol/acp";
import { type Change, type Document, readContentChanges, Text, uriKey } from "@segue/text";

// More documents than an editor keeps open. The one unused for longest is forgotten, and counts as unknown from then on.
const DOCUMENTS_MAX = 1000;

/** What became of an event: a change of a known document, nothing to speak of, or why the document is lost. */
export type Outcome =
	| { readonly kind: "changed"; readonly before: Document; readonly change: Change }
	| { readonly kind: "done" }
	| { readonly kind: "lost"; readonly why: string };

/** A document as the mirror has it. Where events did not fit, its text is not the editor's and must not be used. */
export interface Mirrored {
	readonly document: Document;
	readonly isLost: boolean;
}

/** The agent's copies of the editor's documents, those of one session. */
export class Mirror {
	/** By `uriKey`, the most recently used last. */
	private readonly documents = new Map<string, Mirrored>();

	constructor(private readonly encoding: PositionEncoding) {}

	/** A second opening of a document replaces its text. */
	open({ uri, languageId, version, text }: DidOpen): Outcome {
		if (text === undefined || version === undefined) return this.lose(uri, "an opening that cannot be read");
		const isKnown = this.documents.has(uriKey(uri));
		this.keep({ document: { uri, languageId, version, text: Text.of(text) }, isLost: false });
		return isKnown ? { kind: "lost", why: "opened twice; the new text replaces the old one" } : { kind: "done" };
	}

	/**
	 * All changes of a notification are taken or none. What cannot be taken leaves the document lost, until its whole
	 * text comes again. A whole text also opens a document that never was.
	 */
	change({ uri, version, contentChanges }: DidChange): Outcome {
		const known = this.documents.get(uriKey(uri));
		if (contentChanges === undefined || version === undefined) return this.lose(uri, "a change that cannot be read");
		const isWhole = contentChanges.some((change) => !change.range);
		if (known !== undefined && version <= known.document.version) {
			return this.lose(uri, `version ${version} after version ${known.document.version}`);
		}
		if ((known === undefined || known.isLost) && !isWhole) return this.lose(uri, "a range of a text that is not known");

		const before = known?.document ?? { uri, languageId: "plaintext", version, text: Text.empty };
		const change = readContentChanges(before.text, contentChanges, this.encoding);
		this.keep({ document: { ...before, version, text: change.apply(before.text) }, isLost: false });
		return known === undefined || known.isLost ? { kind: "done" } : { kind: "changed", before, change };
	}

	close(uri: string): void {
		this.documents.delete(uriKey(uri));
	}

	/** Something was missed that may have been a change of any of them. */
	loseAll(): void {
		for (const [key, known] of this.documents) this.documents.set(key, { ...known, isLost: true });
	}

	/** The user turned to a document; nothing is kept of one that was never opened. */
	focus(uri: string): void {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) this.keep(known);
	}

	find(uri: string): Mirrored | undefined {
		return this.documents.get(uriKey(uri));
	}

	/** The documents whose text is known, most recently used first. */
	recent(): Document[] {
		return [...this.documents.values()]
			.filter(({ isLost }) => !isLost)
			.map(({ document }) => document)
			.reverse();
	}

	private keep(mirrored: Mirrored): void {
		const key = uriKey(mirrored.document.uri);
		this.documents.delete(key);
		this.documents.set(key, mirrored);
		const [oldest] = this.documents.keys();
		if (this.documents.size > DOCUMENTS_MAX && oldest !== undefined) this.documents.delete(oldest);
	}

	private lose(uri: string, why: string): Outcome {
		const known = this.documents.get(uriKey(uri));
		if (known !== undefined) this.documents.set(uriKey(uri), { ...known, isLost: true });
		return { kind: "lost", why };
	}
}
