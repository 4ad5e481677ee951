import {
	type ChangeCause,
	type DisplayedSuggestion,
	type DocumentDiagnostic,
	type DocumentView,
	type Editor,
	type EditorWorkspace,
	type FileEdits,
	type Files,
	type Host,
	type MatchWorker,
	type Notice,
	serveMatches,
} from "@segue/editor";
import { Change, type Document, type Edit, sameUri, Text } from "@segue/text";

/**
 * A headless host for `@segue/editor`, implemented as a plugin would. It has documents, files and a cursor, and records
 * everything that is shown and reported.
 */
export class FakeHost implements Host {
	/** The editor to notify. Set after the host is created, because the editor needs the host. */
	editor: Editor | undefined;
	folders: EditorWorkspace["folders"] = [{ uri: "file:///project", name: "project" }];
	repository: EditorWorkspace["repository"];
	/** Files on disk, by URI. */
	readonly disk = new Map<string, string>();
	/** Every suggestion passed to `show`, in order. */
	readonly frames: (DisplayedSuggestion | undefined)[] = [];
	readonly notes: Notice[] = [];
	/** Diagnostics by document URI. */
	readonly problems = new Map<string, readonly DocumentDiagnostic[]>();
	activeUri: string | undefined;
	/** Whether `apply` succeeds. */
	isWritable = true;
	/** Whether changes are reported before the cursor moves, as in many editors. */
	isCursorLate = false;
	private readonly documents = new Map<string, Document>();
	private readonly views = new Map<string, DocumentView>();
	private readonly undone = new Map<string, Change[]>();

	readonly files: Files = {
		read: async (uri) => this.disk.get(uri),
		list: async (uri) => listOf(uri, [...this.disk.keys()]),
	};
	startWorker?: () => MatchWorker;
	rename?: NonNullable<Host["rename"]>;
	refusalOf?: NonNullable<Host["refusalOf"]>;
	preview?: NonNullable<Host["preview"]>;
	signIn?: NonNullable<Host["signIn"]>;
	relatedSnippets?: NonNullable<Host["relatedSnippets"]>;
	ignoreTab?: NonNullable<Host["ignoreTab"]>;

	workspace(): EditorWorkspace {
		return { folders: this.folders, ...(this.repository && { repository: this.repository }) };
	}

	view(uri: string): DocumentView | undefined {
		return this.views.get(uri);
	}

	diagnostics(uri: string): readonly DocumentDiagnostic[] {
		return this.problems.get(uri) ?? [];
	}

	show(shown: DisplayedSuggestion | undefined): void {
		this.frames.push(shown);
	}

	apply(files: readonly FileEdits[]): boolean | Promise<boolean> {
		if (!this.isWritable) return false;
		for (const { uri, edits, version } of files) {
			const document = this.documents.get(uri);
			if (document?.version !== version) return false;
			if (document !== undefined) this.edit(uri, edits, "other");
			else this.disk.set(uri, applyTo(this.disk.get(uri) ?? "", edits));
		}
		return true;
	}

	reveal(uri: string, offset: number): void {
		if (!this.documents.has(uri)) this.open(uri, this.disk.get(uri) ?? "");
		if (this.activeUri !== uri) this.focus(uri);
		// The file may be shorter now, and editors clamp the cursor to the end.
		this.move(Math.min(offset, this.document(uri).text.length));
	}

	report(note: Notice): void {
		this.notes.push(note);
	}

	/** Enables search and replace. `preview` returns the edits that the user confirms. */
	canSearch(preview: NonNullable<Host["preview"]>): void {
		this.preview = preview;
		this.startWorker = startInlineWorker;
	}

	/** The suggestion on screen. */
	get shown(): DisplayedSuggestion | undefined {
		return this.frames.at(-1);
	}

	open(uri: string, text: string, languageId = "typescript"): void {
		this.documents.set(uri, { uri, languageId, version: 1, text: Text.of(text) });
		this.views.set(uri, { anchor: 0, head: 0 });
		this.undone.delete(uri);
		this.disk.set(uri, text);
		this.editor?.didOpen({ uri, languageId, version: 1, text });
	}

	focus(uri: string): void {
		this.activeUri = uri;
		this.editor?.didFocus(uri);
	}

	/** Applies several edits simultaneously, like multiple cursors. The cursor ends up after the last edit. */
	edit(uri: string, edits: readonly Edit[], cause: ChangeCause = "typing"): void {
		const before = this.document(uri);
		const change = Change.of(edits, before.text.length);
		const version = before.version + 1;
		this.undone.set(uri, [...(this.undone.get(uri) ?? []), change.invert(before.text)]);
		this.documents.set(uri, { ...before, version, text: change.apply(before.text) });
		const head = change.map(change.edits.at(-1)?.to ?? 0, "after");
		const view = { ...this.views.get(uri), anchor: head, head };
		if (!this.isCursorLate) this.views.set(uri, view);
		this.editor?.didChange(uri, version, edits, cause);
		this.views.set(uri, view);
		if (uri === this.activeUri) this.editor?.didMove();
	}

	/** Types at the cursor of the active document, one character at a time. */
	type(text: string): void {
		const uri = this.activeUri ?? "";
		for (const character of text) {
			const { head } = this.view(uri) ?? { head: 0 };
			this.edit(uri, [{ from: head, to: head, insert: character }]);
		}
	}

	/** Returns false if there is nothing to undo. */
	undo(uri: string): boolean {
		const change = this.undone.get(uri)?.pop();
		if (change === undefined) return false;
		this.edit(uri, change.edits, "undo");
		this.undone.get(uri)?.pop();
		return true;
	}

	/**
	 * Moves the cursor in the active document. If an anchor is given, selects the text between the anchor and the
	 * cursor.
	 */
	move(head: number, anchor = head): void {
		const uri = this.activeUri ?? "";
		this.views.set(uri, { ...this.views.get(uri), anchor, head });
		this.editor?.didMove();
	}

	/** Sets the visible range and the hidden ranges within it. */
	scroll(uri: string, visible: { from: number; to: number }, hidden: { from: number; to: number }[] = []): void {
		this.views.set(uri, { anchor: 0, head: 0, ...this.views.get(uri), visible, hidden });
		this.editor?.didMove();
	}

	save(uri: string): void {
		this.disk.set(uri, this.document(uri).text.toString());
		this.editor?.didSave(uri);
	}

	close(uri: string): void {
		this.documents.delete(uri);
		this.views.delete(uri);
		this.undone.delete(uri);
		if (this.activeUri === uri) this.activeUri = undefined;
		this.editor?.didClose(uri);
	}

	diagnose(uri: string, problems: readonly DocumentDiagnostic[]): void {
		this.problems.set(uri, problems);
		this.editor?.didDiagnose(uri);
	}

	document(uri: string): Document {
		const document = this.documents.get(uri);
		if (document === undefined) throw new Error(`${uri} is not open`);
		return document;
	}

	get uris(): string[] {
		return [...this.documents.keys()];
	}

	text(uri: string): string {
		return this.document(uri).text.toString();
	}
}

function applyTo(text: string, edits: readonly Edit[]): string {
	return Change.of(edits, text.length).apply(Text.of(text)).toString();
}

function listOf(folder: string, uris: readonly string[]): { uri: string; isFolder: boolean }[] {
	const entries = new Map<string, boolean>();
	for (const uri of uris) {
		if (sameUri(uri, folder) || !uri.startsWith(`${folder}/`)) continue;
		const [name = "", ...rest] = uri.slice(folder.length + 1).split("/");
		entries.set(`${folder}/${name}`, rest.length > 0);
	}
	return [...entries].map(([uri, isFolder]) => ({ uri, isFolder }));
}

/** Returns a regular expression worker that runs in this thread and cannot be stopped. */
export function startInlineWorker(): MatchWorker {
	let serve = (_message: unknown) => {};
	let listener = (_message: unknown) => {};
	serveMatches({
		post: (message) => queueMicrotask(() => listener(message)),
		receive: (own) => {
			serve = own;
		},
	});
	return {
		post: (message) => serve(message),
		receive: (own) => {
			listener = own;
		},
		stop: () => {},
	};
}
