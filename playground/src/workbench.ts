import { type ChangeDesc, EditorState, type Extension, Text, type Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { signal } from "@preact/signals";
import type { Cause, Diagnostic, FileEdits, View } from "@segue/editor";
import { Text as Rope, trim } from "@segue/text";
import { diagnose } from "./diagnostics.js";
import { languageIdOf } from "./language.js";
import { type Project, uriOf } from "./projects/project.js";

/** A file in a tab. */
export interface Tab {
	readonly uri: string;
	/** From the top of the project. */
	readonly path: string;
	readonly isDirty: boolean;
}

/** Who is told what happens in the workbench; the editor library is. */
export interface Listener {
	didOpen(opened: { uri: string; languageId: string; version: number; text: string }): void;
	didChange(
		uri: string,
		version: number,
		edits: readonly { from: number; to: number; insert: string }[],
		cause: Cause,
	): void;
	didClose(uri: string): void;
	didFocus(uri: string): void;
	didMove(): void;
}

/** The files of a project, those that are open in tabs, and the one editor that shows them. */
export class Workbench {
	readonly project = signal<Project | undefined>(undefined);
	readonly tabs = signal<readonly Tab[]>([]);
	readonly active = signal<string | undefined>(undefined);
	readonly view: EditorView;
	/** Undefined while there is nobody to tell. */
	private listener: Listener | undefined;
	/** Open files by uri, in the order of their tabs. */
	private readonly open = new Map<string, OpenFile>();
	/** Uris, the last one first. */
	private recent: string[] = [];
	/** What is in sight of the file in front, where that is known. */
	private seen: { readonly from: number; readonly to: number } | undefined;

	constructor(
		parent: HTMLElement,
		/** What every file is edited with. */
		private readonly extensions: (path: string) => Extension,
	) {
		this.view = new EditorView({ parent, extensions: extensions("") });
	}

	/** Has somebody hear of everything from now on, beginning with what is open; or nobody. */
	tell(listener: Listener | undefined): void {
		this.listener = listener;
		if (listener === undefined) return;
		for (const [uri, file] of this.open) listener.didOpen(documentOf(uri, file));
		if (this.active.value !== undefined) listener.didFocus(this.active.value);
	}

	/** Closes what is open, and opens another project. */
	begin(project: Project): void {
		for (const uri of [...this.open.keys()]) this.forget(uri);
		this.recent = [];
		this.project.value = project;
		for (const { path, text } of project.files) this.add(path, text);
		const { path, after } = project.start;
		const text = project.files.find((file) => file.path === path)?.text ?? "";
		this.show(uriOf(project, path), text.indexOf(after) + after.length);
	}

	/** Opens a file of the project, or renews it where it is open already. */
	add(path: string, text: string): string {
		const project = this.project.value;
		if (project === undefined) throw new Error("there is no project to add a file to");
		const uri = uriOf(project, path);
		if (this.open.has(uri)) this.forget(uri);
		const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
		const state = EditorState.create({ doc: Text.of(text.split(/\r\n|\n/)), extensions: this.extended(uri, path) });
		const file: OpenFile = { path, lineEnd, state, version: 1, saved: state.doc, diagnostics: [] };
		this.open.set(uri, file);
		this.listener?.didOpen(documentOf(uri, file));
		this.draw();
		return uri;
	}

	close(uri: string): void {
		const uris = [...this.open.keys()];
		const next = uris[uris.indexOf(uri) + 1] ?? uris[uris.indexOf(uri) - 1];
		this.forget(uri);
		if (this.active.value === undefined && next !== undefined) this.show(next);
	}

	/** Brings a file to the front, with the cursor at an offset or where it was. */
	show(uri: string, offset?: number): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		if (this.active.value !== uri) {
			this.keepActive();
			this.active.value = uri;
			this.recent = [uri, ...this.recent.filter((each) => each !== uri)];
			this.view.setState(file.state);
			this.seen = undefined;
			this.listener?.didFocus(uri);
		}
		if (offset !== undefined) {
			const anchor = Math.min(offset, this.view.state.doc.length);
			const { from, to } = this.look();
			const isSeen = from <= anchor && anchor <= to;
			// What is in sight stays where it is; what is not comes with what is around it.
			const effects = EditorView.scrollIntoView(anchor, { y: isSeen ? "nearest" : "center" });
			this.seen = undefined;
			this.view.dispatch({ selection: { anchor }, effects });
		}
	}

	/** Makes edits of several files, each in one step that can be undone. False, and nothing made, where one does not fit. */
	apply(files: readonly FileEdits[]): boolean {
		const fits = files.every(({ uri, version }) => {
			const file = this.open.get(uri);
			return file !== undefined && (version === undefined || version === file.version);
		});
		if (!fits) return false;
		for (const { uri, edits } of files) {
			const changes = edits.map(({ from, to, insert }) => ({ from, to, insert: Text.of(insert.split("\n")) }));
			if (uri === this.active.value) this.view.dispatch({ changes, userEvent: "input.suggestion" });
			else this.changeBehind(uri, this.stateOf(uri).update({ changes, userEvent: "input.suggestion" }));
		}
		return true;
	}

	/** Gives an open file another text, in one step that can be undone. False where it is not open. */
	write(uri: string, text: string): boolean {
		const before = this.textOf(uri);
		if (before === undefined) return false;
		const after = text.replaceAll("\r\n", "\n");
		const edit = trim({ from: 0, to: before.length, insert: after }, Rope.of(before));
		return before === after || this.apply([{ uri, edits: [edit], version: undefined }]);
	}

	/** What the user sees of a file; undefined where it is behind others. */
	viewOf(uri: string): View | undefined {
		if (uri !== this.active.value) return undefined;
		const { anchor, head } = this.view.state.selection.main;
		this.seen ??= this.look();
		return { anchor, head, visible: this.seen };
	}

	/** The text of a file as it is in the editor; undefined where it is not open. */
	textOf(uri: string): string | undefined {
		return this.open.has(uri) ? this.stateOf(uri).doc.toString() : undefined;
	}

	/** Uris of the files that are open, the one that was looked at last first. */
	recentUris(): readonly string[] {
		return this.recent;
	}

	diagnosticsOf(uri: string): readonly Diagnostic[] {
		return this.open.get(uri)?.diagnostics ?? [];
	}

	diagnose(uri: string, found: readonly Diagnostic[]): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		file.diagnostics = found;
		if (uri === this.active.value) this.view.dispatch({ effects: diagnose.of(found) });
	}

	/** What is to be written where a file is kept, with its own line ends. */
	contentOf(uri: string): string | undefined {
		const file = this.open.get(uri);
		return file && this.stateOf(uri).doc.toString().replaceAll("\n", file.lineEnd);
	}

	didSave(uri: string): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		file.saved = this.stateOf(uri).doc;
		this.draw();
	}

	private forget(uri: string): void {
		if (!this.open.delete(uri)) return;
		this.recent = this.recent.filter((each) => each !== uri);
		if (this.active.value === uri) {
			this.active.value = undefined;
			this.view.setState(EditorState.create());
		}
		this.listener?.didClose(uri);
		this.draw();
	}

	private extended(uri: string, path: string): Extension {
		const heard = EditorView.updateListener.of((update) => {
			const { transactions, changes, selectionSet, docChanged, viewportChanged, geometryChanged } = update;
			if (docChanged) this.carrySeen(changes);
			else if (viewportChanged || geometryChanged) this.seen = undefined;
			for (const transaction of transactions) this.changed(uri, transaction);
			if (selectionSet || viewportChanged || geometryChanged) this.listener?.didMove();
		});
		const scrolled = EditorView.domEventHandlers({
			scroll: () => {
				this.seen = undefined;
				this.listener?.didMove();
			},
		});
		return [heard, scrolled, this.extensions(path)];
	}

	/** What is in sight of the file in front. The browser may have to lay out the page for it, so no key waits for this. */
	private look(): { readonly from: number; readonly to: number } {
		const { view } = this;
		const { top, bottom } = view.scrollDOM.getBoundingClientRect();
		const { from } = view.lineBlockAtHeight(top - view.documentTop);
		return { from, to: view.lineBlockAtHeight(bottom - view.documentTop).to };
	}

	/** After a change the same is in sight, but for a few lines, until the editor is laid out for the next frame anyway. */
	private carrySeen(changes: ChangeDesc): void {
		if (this.seen === undefined) return;
		const { from, to } = this.seen;
		const carried = { from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) };
		this.seen = carried;
		this.view.requestMeasure({
			key: "seen",
			read: () => this.look(),
			write: (now) => {
				if (this.seen !== carried || (now.from === carried.from && now.to === carried.to)) return;
				this.seen = now;
				// Nothing can be drawn in the editor while it is laid out.
				queueMicrotask(() => this.listener?.didMove());
			},
		});
	}

	private changeBehind(uri: string, transaction: Transaction): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		file.state = transaction.state;
		this.changed(uri, transaction);
	}

	private changed(uri: string, transaction: Transaction): void {
		const file = this.open.get(uri);
		if (file === undefined || !transaction.docChanged) return;
		file.version++;
		const edits: { from: number; to: number; insert: string }[] = [];
		transaction.changes.iterChanges((from, to, _fromAfter, _toAfter, inserted) => {
			edits.push({ from, to, insert: inserted.toString() });
		});
		this.listener?.didChange(uri, file.version, edits, causeOf(transaction));
		this.draw();
	}

	private stateOf(uri: string): EditorState {
		if (uri === this.active.value) return this.view.state;
		return this.open.get(uri)?.state ?? EditorState.create();
	}

	private keepActive(): void {
		const file = this.active.value === undefined ? undefined : this.open.get(this.active.value);
		if (file !== undefined) file.state = this.view.state;
	}

	private draw(): void {
		const tabs = [...this.open].map(([uri, { path, saved }]) => {
			return { uri, path, isDirty: !this.stateOf(uri).doc.eq(saved) };
		});
		const isSame =
			tabs.length === this.tabs.value.length &&
			tabs.every((tab, i) => tab.uri === this.tabs.value[i]?.uri && tab.isDirty === this.tabs.value[i]?.isDirty);
		if (!isSame) this.tabs.value = tabs;
	}
}

interface OpenFile {
	readonly path: string;
	readonly lineEnd: "\n" | "\r\n";
	/** As it was when another file was brought to the front; of the one in front, the view has it. */
	state: EditorState;
	version: number;
	saved: Text;
	diagnostics: readonly Diagnostic[];
}

function documentOf(uri: string, { path, state, version }: OpenFile) {
	return { uri, languageId: languageIdOf(path), version, text: state.doc.toString() };
}

function causeOf(transaction: Transaction): Cause {
	if (transaction.isUserEvent("input.paste")) return "paste";
	if (transaction.isUserEvent("undo")) return "undo";
	if (transaction.isUserEvent("redo")) return "redo";
	return transaction.isUserEvent("input") || transaction.isUserEvent("delete") ? "typing" : "other";
}
