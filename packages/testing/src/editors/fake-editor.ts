import {
	Change,
	type ContentChange,
	contentChangesOf,
	type Document,
	type Edit,
	type Encoding,
	type SyncKind,
	Text,
} from "@segue/text";

/** An ACP document event. */
export type DocumentEvent =
	| {
			readonly method: "document/didOpen";
			readonly params: { sessionId: string; uri: string; languageId: string; version: number; text: string };
	  }
	| {
			readonly method: "document/didChange";
			readonly params: { sessionId: string; uri: string; version: number; contentChanges: ContentChange[] };
	  }
	| { readonly method: "document/didClose"; readonly params: { sessionId: string; uri: string } };

export interface EditorWire {
	readonly sessionId: string;
	readonly encoding: Encoding;
	readonly syncKind: SyncKind;
	readonly send: (event: DocumentEvent) => void;
}

/** A headless editor that reports every document change in the given position encoding and sync kind. */
export class FakeEditor {
	private readonly documents = new Map<string, Document>();

	constructor(private readonly wire: EditorWire) {}

	open(uri: string, text: string, languageId = "plaintext"): void {
		this.documents.set(uri, { uri, languageId, version: 1, text: Text.of(text) });
		const { sessionId } = this.wire;
		this.wire.send({ method: "document/didOpen", params: { sessionId, uri, languageId, version: 1, text } });
	}

	/** Applies several edits simultaneously, like multiple cursors. Offsets refer to the text before all edits. */
	edit(uri: string, edits: readonly Edit[]): void {
		const before = this.document(uri);
		const change = Change.of(edits, before.text.length);
		const version = before.version + 1;
		this.documents.set(uri, { ...before, version, text: change.apply(before.text) });
		const { sessionId, syncKind, encoding } = this.wire;
		const contentChanges = contentChangesOf(before.text, change, syncKind, encoding);
		this.wire.send({ method: "document/didChange", params: { sessionId, uri, version, contentChanges } });
	}

	close(uri: string): void {
		this.documents.delete(uri);
		this.wire.send({ method: "document/didClose", params: { sessionId: this.wire.sessionId, uri } });
	}

	document(uri: string): Document {
		const document = this.documents.get(uri);
		if (document === undefined) throw new Error(`${uri} is not open`);
		return document;
	}
}
