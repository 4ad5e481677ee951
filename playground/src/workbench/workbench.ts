import { EditorState, type Extension, StateEffect, Text, type Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { batch, signal } from "@preact/signals";
import {
	changeCauseOf,
	changesOf,
	SUGGESTION_EVENT,
	scrollToOffset,
	showSuggestion,
	transactionEdits,
	ViewportTracker,
} from "@segue/codemirror";
import type { ChangeCause, DocumentDiagnostic, DocumentView, FileEdits } from "@segue/editor";
import { Text as Rope, trim } from "@segue/text";
import { contentLike, fileLinesOf } from "../files/file-content.js";
import { type Project, uriOf } from "../projects/project.js";
import { diagnose } from "./diagnostics.js";
import { languageIdOf } from "./language.js";

/** An open file. */
export interface Tab {
	readonly uri: string;
	/** Relative to the project. */
	readonly path: string;
	readonly isDirty: boolean;
}

/**
 * A file from when it is opened until its tab is closed, including the time when another project is shown. A file that
 * is opened again later, or through another folder, gets a new object, even if its uri is the same.
 */
export interface WorkbenchFile {
	readonly path: string;
	/** The state when another file was last activated. The view has the state of the active file. */
	state: EditorState;
	version: number;
	/** The last known content on disk, with its byte order mark and line endings. */
	content: string;
	/** The version of that content; undefined if the file is not on disk. */
	diskVersion: string | undefined;
	/** The lines of that content. */
	saved: Text;
	diagnostics: readonly DocumentDiagnostic[];
}

/** A change to a file, with the information that the guide and the status bar need. */
interface WorkbenchChange {
	readonly uri: string;
	readonly cause: ChangeCause;
	readonly isSuggestion: boolean;
	/** Whether Tab indented lines. */
	readonly isIndent: boolean;
}

/** Receives events from the workbench. The editor library implements it. */
interface WorkbenchListener {
	didOpen(opened: { uri: string; languageId: string; version: number; text: string }): void;
	didChange(
		uri: string,
		version: number,
		edits: readonly { from: number; to: number; insert: string }[],
		cause: ChangeCause,
	): void;
	didClose(uri: string): void;
	didFocus(uri: string): void;
	didMove(): void;
	didChangeWorkspace(): void;
}

/** The open files of a project, and the one CodeMirror editor that shows them. */
export class Workbench {
	readonly project = signal<Project | undefined>(undefined);
	/**
	 * The opened folders, in the order in which they were opened. Each keeps its state while another project is shown.
	 */
	readonly folders = signal<readonly Project[]>([]);
	readonly tabs = signal<readonly Tab[]>([]);
	readonly active = signal<string | undefined>(undefined);
	/** The latest change to any file of the open project. */
	readonly lastChange = signal<WorkbenchChange | undefined>(undefined);
	readonly view: EditorView;
	/** Undefined while there is no connection. */
	private listener: WorkbenchListener | undefined;
	/** Open files by uri, in the order of their tabs. */
	private readonly open = new Map<string, WorkbenchFile>();
	/** Uris, most recent first. */
	private recent: readonly string[] = [];
	/** Opened folders that are not being shown, by uri. */
	private readonly left = new Map<string, LeftFolder>();
	/** The visible part of the active file. */
	private readonly viewport: ViewportTracker;

	constructor(
		parent: HTMLElement,
		/** Creates the extensions for editing a file. */
		private readonly extensions: (path: string, uri: string) => Extension,
	) {
		this.view = new EditorView({ parent, state: this.nothing() });
		this.viewport = new ViewportTracker(this.view, () => this.listener?.didMove());
	}

	/** Sends events to a listener, starting with the open files. */
	setListener(listener: WorkbenchListener | undefined): void {
		this.listener = listener;
		if (listener === undefined) return;
		for (const [uri, file] of this.open) listener.didOpen(this.documentOf(uri, file));
		if (this.active.value !== undefined) listener.didFocus(this.active.value);
	}

	/** Replaces the open project. A folder that has been opened before returns with its tabs and unsaved text. */
	begin(project: Project): void {
		this.leave();
		this.lastChange.value = undefined;
		this.project.value = project;
		this.listener?.didChangeWorkspace();
		if (project.folder !== undefined) {
			this.list(project);
			this.resume(project.root);
			return;
		}
		for (const { path, text } of project.files) this.add(path, text);
		const { path, after } = project.start;
		const text = project.files.find((file) => file.path === path)?.text ?? "";
		this.show(uriOf(project, path), text.indexOf(after) + after.length);
	}

	/** Replaces the open project with the same project at another root. The tabs, their text and undo history stay. */
	move(project: Project): void {
		const files = [...this.open];
		const active = this.active.value === undefined ? undefined : this.open.get(this.active.value)?.path;
		const recent = this.recent.flatMap((uri) => this.open.get(uri)?.path ?? []);
		const scroll = this.view.scrollSnapshot();
		this.leave();
		this.project.value = project;
		this.listener?.didChangeWorkspace();
		for (const [, file] of files) {
			const uri = uriOf(project, file.path);
			file.state = file.state.update({
				effects: StateEffect.reconfigure.of(this.extended(uri, file.path)),
			}).state;
			this.open.set(uri, file);
			this.listener?.didOpen(this.documentOf(uri, file));
		}
		this.recent = recent.map((path) => uriOf(project, path));
		this.draw();
		if (active === undefined) return;
		this.show(uriOf(project, active));
		this.view.dispatch({ effects: scroll });
	}

	/**
	 * Opens a file in the project, replacing it if it is already open. Shows unsaved text, if given, in place of the
	 * content on disk.
	 */
	add(path: string, content: string, diskVersion?: string, unsaved?: string): string {
		const project = this.project.value;
		if (project === undefined) throw new Error("there is no project to add a file to");
		const uri = uriOf(project, path);
		if (this.open.has(uri)) this.forget(uri);
		const saved = Text.of(fileLinesOf(content));
		const doc = unsaved === undefined ? saved : Text.of(unsaved.split("\n"));
		const state = EditorState.create({ doc, extensions: this.extended(uri, path) });
		const file: WorkbenchFile = { path, state, version: 1, content, diskVersion, saved, diagnostics: [] };
		this.open.set(uri, file);
		this.listener?.didOpen(this.documentOf(uri, file));
		this.draw();
		return uri;
	}

	close(uri: string): void {
		const uris = [...this.open.keys()];
		const next = uris[uris.indexOf(uri) + 1] ?? uris[uris.indexOf(uri) - 1];
		this.forget(uri);
		if (this.active.value === undefined && next !== undefined) this.show(next);
	}

	/** Activates a file, with the cursor at an offset or at its previous position. */
	show(uri: string, offset?: number): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		if (this.active.value !== uri) {
			this.keepActive();
			this.recent = [uri, ...this.recent.filter((each) => each !== uri)];
			// The view has the active file's text, so effects must not run between these changes.
			batch(() => {
				this.active.value = uri;
				this.view.setState(file.state);
			});
			this.viewport.forget();
			this.listener?.didFocus(uri);
		}
		if (offset !== undefined) {
			const anchor = Math.min(offset, this.view.state.doc.length);
			const effects = scrollToOffset(this.view, anchor);
			this.viewport.forget();
			this.view.dispatch({ selection: { anchor }, effects });
		}
	}

	/** Applies edits to several files, each in one undoable step. Returns false without changing anything if a version differs. */
	apply(files: readonly FileEdits[]): boolean {
		const fits = files.every(({ uri, version }) => {
			const file = this.open.get(uri);
			return file !== undefined && (version === undefined || version === file.version);
		});
		if (!fits) return false;
		for (const { uri, edits } of files) {
			const changes = changesOf(edits);
			if (uri === this.active.value) this.view.dispatch(changes);
			else this.changeBehind(uri, this.stateOf(uri).update(changes));
		}
		return true;
	}

	/** Replaces the text of an open file in one undoable step. Returns false if it is not open. */
	write(uri: string, text: string): boolean {
		const before = this.textOf(uri);
		if (before === undefined) return false;
		const after = text.replaceAll("\r\n", "\n");
		const edit = trim({ from: 0, to: before.length, insert: after }, Rope.of(before));
		return before === after || this.apply([{ uri, edits: [edit], version: undefined }]);
	}

	/** Returns the cursor and the visible part of a file; undefined if it is not active. */
	viewOf(uri: string): DocumentView | undefined {
		if (uri !== this.active.value) return undefined;
		const { anchor, head } = this.view.state.selection.main;
		return { anchor, head, ...this.viewport.current };
	}

	/** Returns the text of a file in the editor; undefined if it is not open. */
	textOf(uri: string): string | undefined {
		return this.open.has(uri) ? this.stateOf(uri).doc.toString() : undefined;
	}

	/** Returns the uris of the open files, most recently active first. */
	recentUris(): readonly string[] {
		return this.recent;
	}

	diagnosticsOf(uri: string): readonly DocumentDiagnostic[] {
		return this.open.get(uri)?.diagnostics ?? [];
	}

	diagnose(uri: string, found: readonly DocumentDiagnostic[]): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		file.diagnostics = found;
		if (uri === this.active.value) this.view.dispatch({ effects: diagnose.of(found) });
	}

	/** Returns the open file with a uri. */
	fileOf(uri: string): WorkbenchFile | undefined {
		return this.open.get(uri);
	}

	/** Whether a file is open in a folder that is not being shown. */
	isLeft(file: WorkbenchFile): boolean {
		return [...this.left.values()].some(({ files }) => [...files.values()].includes(file));
	}

	/** Returns the content to write to disk, with the file's byte order mark and line endings. */
	contentOf(uri: string): string | undefined {
		const file = this.open.get(uri);
		return file && contentLike(file.content, this.stateOf(uri).doc.toJSON());
	}

	/** Records the content that is now on disk. This does not include text typed since the save started. */
	didSave(file: WorkbenchFile, content: string, diskVersion: string | undefined): void {
		file.content = content;
		file.saved = Text.of(fileLinesOf(content));
		file.diskVersion = diskVersion;
		this.draw();
	}

	/** Records that the file on disk has a different version or is gone, after the user has been asked what to do. */
	didLearn(file: WorkbenchFile, diskVersion: string | undefined): void {
		file.diskVersion = diskVersion;
	}

	/** Returns the opened folders with their files. If the current project is a folder, it comes last. */
	openFolders() {
		this.keepActive();
		const { root } = this.project.value ?? {};
		const here = { files: this.open, active: this.active.value };
		const listed = this.folders.value.toSorted((a, b) => Number(a.root === root) - Number(b.root === root));
		return listed.flatMap(({ root: each, folder }) => {
			const state = each === root ? here : this.left.get(each);
			if (state === undefined || folder === undefined) return [];
			const active = state.active === undefined ? undefined : state.files.get(state.active)?.path;
			return [{ folder, files: [...state.files.values()], active }];
		});
	}

	/** Whether closing the page would lose text. Changes to samples do not count. */
	get isUnsaved(): boolean {
		const isOpenUnsaved = this.project.value?.folder !== undefined && this.tabs.value.some(({ isDirty }) => isDirty);
		const left = [...this.left.values()].flatMap(({ files }) => [...files.values()]);
		return isOpenUnsaved || left.some(({ state, saved }) => !state.doc.eq(saved));
	}

	private leave(): void {
		this.keepActive();
		const project = this.project.value;
		if (project?.folder !== undefined) {
			const { recent } = this;
			this.left.set(project.root, { files: new Map(this.open), recent, active: this.active.value });
		}
		for (const uri of [...this.open.keys()]) this.forget(uri);
	}

	/**
	 * Adds a folder to the list of opened folders. If the folder is already listed, its entry is replaced, because its
	 * list of files may have changed.
	 */
	list(folder: Project): void {
		const isListed = this.folders.value.some(({ root }) => root === folder.root);
		const renewed = this.folders.value.map((each) => (each.root === folder.root ? folder : each));
		this.folders.value = isListed ? renewed : [...renewed, folder];
	}

	private resume(root: string): void {
		const left = this.left.get(root);
		if (left === undefined) return;
		this.left.delete(root);
		for (const [uri, file] of left.files) {
			this.open.set(uri, file);
			this.listener?.didOpen(this.documentOf(uri, file));
		}
		this.recent = left.recent;
		this.draw();
		if (left.active !== undefined) this.show(left.active);
	}

	private forget(uri: string): void {
		if (!this.open.delete(uri)) return;
		this.recent = this.recent.filter((each) => each !== uri);
		if (this.active.value === uri) {
			this.active.value = undefined;
			this.view.setState(this.nothing());
		}
		this.listener?.didClose(uri);
		this.draw();
	}

	/** Returns the state for when no file is open. It is read-only, because typed text would not belong to any file. */
	private nothing(): EditorState {
		const label = EditorView.contentAttributes.of({ "aria-label": "No file is open" });
		return EditorState.create({
			extensions: [label, EditorState.readOnly.of(true), EditorView.editable.of(false), this.extensions("", "")],
		});
	}

	private extended(uri: string, path: string): Extension {
		const listener = EditorView.updateListener.of((update) => {
			const { transactions, selectionSet, viewportChanged, geometryChanged } = update;
			this.viewport.update(update);
			for (const transaction of transactions) this.changed(uri, transaction);
			if (selectionSet || viewportChanged || geometryChanged) this.listener?.didMove();
		});
		const scrolled = EditorView.domEventHandlers({
			scroll: () => {
				this.viewport.forget();
				this.listener?.didMove();
			},
		});
		return [listener, scrolled, this.extensions(path, uri)];
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
		const cause = changeCauseOf(transaction);
		this.listener?.didChange(uri, file.version, transactionEdits(transaction), cause);
		this.lastChange.value = {
			uri,
			cause,
			isSuggestion: transaction.isUserEvent(SUGGESTION_EVENT),
			isIndent: transaction.isUserEvent("input.indent"),
		};
		this.draw();
	}

	private stateOf(uri: string): EditorState {
		if (uri === this.active.value) return this.view.state;
		return this.open.get(uri)?.state ?? EditorState.create();
	}

	private documentOf(uri: string, { path, version }: WorkbenchFile) {
		return { uri, languageId: languageIdOf(path), version, text: this.stateOf(uri).doc.toString() };
	}

	/** Stores the state of the active file without its suggestion, which may be outdated when the file is activated again. */
	private keepActive(): void {
		const file = this.active.value === undefined ? undefined : this.open.get(this.active.value);
		if (file !== undefined) file.state = this.view.state.update({ effects: showSuggestion.of(undefined) }).state;
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

/** The state of a folder while another project is shown. */
interface LeftFolder {
	readonly files: ReadonlyMap<string, WorkbenchFile>;
	readonly recent: readonly string[];
	readonly active: string | undefined;
}
