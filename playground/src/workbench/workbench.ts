import { type ChangeDesc, EditorState, type Extension, Text, type Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { signal } from "@preact/signals";
import type { ChangeCause, DocumentDiagnostic, DocumentView, FileEdits } from "@segue/editor";
import { Text as Rope, trim } from "@segue/text";
import { contentLike, fileLinesOf } from "../files/file-content.js";
import { type Project, uriOf } from "../projects/project.js";
import { diagnose } from "./diagnostics.js";
import { languageIdOf } from "./language.js";
import { showSuggestion } from "./suggestion-drawing.js";
import { carryViewport, isInViewport, type Viewport, viewportOf } from "./viewport.js";

/** A file in a tab. */
export interface Tab {
	readonly uri: string;
	/** From the top of the project. */
	readonly path: string;
	readonly isDirty: boolean;
}

/**
 * A file from when it is opened until its tab is closed, also while its folder is left. One of another folder, or one that is
 * opened later, is another file, even where it has the same uri.
 */
export interface WorkbenchFile {
	readonly path: string;
	/** As it was when another file was brought to the front; of the one in front, the view has it. */
	state: EditorState;
	version: number;
	/** What is on disk, as far as is known here: with its byte order mark and line ends, as its version, and as lines. */
	content: string;
	/** Undefined where it is on no disk. */
	diskVersion: string | undefined;
	saved: Text;
	diagnostics: readonly DocumentDiagnostic[];
}

/** Who is told what happens in the workbench; the editor library is. */
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

/** The files of a project, those that are open in tabs, and the one editor that shows them. */
export class Workbench {
	readonly project = signal<Project | undefined>(undefined);
	/** The folders that were opened, in that order. Each is as it was left. */
	readonly folders = signal<readonly Project[]>([]);
	readonly tabs = signal<readonly Tab[]>([]);
	readonly active = signal<string | undefined>(undefined);
	readonly view: EditorView;
	/** Undefined while there is nobody to tell. */
	private listener: WorkbenchListener | undefined;
	/** Open files by uri, in the order of their tabs. */
	private readonly open = new Map<string, WorkbenchFile>();
	/** Uris, the last one first. */
	private recent: readonly string[] = [];
	/** Folders that others are looked at instead of, by their uri. */
	private readonly left = new Map<string, LeftFolder>();
	/** What is in sight of the file in front, where that is known. */
	private viewport: Viewport | undefined;

	constructor(
		parent: HTMLElement,
		/** What every file is edited with. */
		private readonly extensions: (path: string) => Extension,
	) {
		this.view = new EditorView({ parent, state: this.nothing() });
	}

	/** Has somebody hear of everything from now on, beginning with what is open; or nobody. */
	setListener(listener: WorkbenchListener | undefined): void {
		this.listener = listener;
		if (listener === undefined) return;
		for (const [uri, file] of this.open) listener.didOpen(this.documentOf(uri, file));
		if (this.active.value !== undefined) listener.didFocus(this.active.value);
	}

	/** Opens another project instead of the one that is open. A folder is found as it was left, with what is not saved. */
	begin(project: Project): void {
		this.leave();
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

	/** Opens a file of the project, or renews it where it is open already. On disk it is of that version. */
	add(path: string, content: string, diskVersion?: string): string {
		const project = this.project.value;
		if (project === undefined) throw new Error("there is no project to add a file to");
		const uri = uriOf(project, path);
		if (this.open.has(uri)) this.forget(uri);
		const doc = Text.of(fileLinesOf(content));
		const state = EditorState.create({ doc, extensions: this.extended(uri, path) });
		const file: WorkbenchFile = { path, state, version: 1, content, diskVersion, saved: doc, diagnostics: [] };
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

	/** Brings a file to the front, with the cursor at an offset or where it was. */
	show(uri: string, offset?: number): void {
		const file = this.open.get(uri);
		if (file === undefined) return;
		if (this.active.value !== uri) {
			this.keepActive();
			this.active.value = uri;
			this.recent = [uri, ...this.recent.filter((each) => each !== uri)];
			this.view.setState(file.state);
			this.viewport = undefined;
			this.listener?.didFocus(uri);
		}
		if (offset !== undefined) {
			const anchor = Math.min(offset, this.view.state.doc.length);
			const effects = EditorView.scrollIntoView(anchor, this.scrollingTo(anchor));
			this.viewport = undefined;
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
	viewOf(uri: string): DocumentView | undefined {
		if (uri !== this.active.value) return undefined;
		const { anchor, head } = this.view.state.selection.main;
		this.viewport ??= viewportOf(this.view);
		return { anchor, head, ...this.viewport };
	}

	/** The text of a file as it is in the editor; undefined where it is not open. */
	textOf(uri: string): string | undefined {
		return this.open.has(uri) ? this.stateOf(uri).doc.toString() : undefined;
	}

	/** Uris of the files that are open, the one that was looked at last first. */
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

	/** The file that is open with a uri now; undefined where none is. */
	fileOf(uri: string): WorkbenchFile | undefined {
		return this.open.get(uri);
	}

	/** Whether a file is open in a folder that was left. */
	isLeft(file: WorkbenchFile): boolean {
		return [...this.left.values()].some(({ files }) => [...files.values()].includes(file));
	}

	/** What is to be written where a file is kept, with what it has besides its lines. */
	contentOf(uri: string): string | undefined {
		const file = this.open.get(uri);
		return file && contentLike(file.content, this.stateOf(uri).doc.toJSON());
	}

	/** This is on disk now. What was typed since it was given away is not. */
	didSave(file: WorkbenchFile, content: string, diskVersion: string | undefined): void {
		file.content = content;
		file.saved = Text.of(fileLinesOf(content));
		file.diskVersion = diskVersion;
		this.draw();
	}

	/** What is on disk is another version than the one that was read, or is gone, and the person knows. */
	didLearn(file: WorkbenchFile, diskVersion: string | undefined): void {
		file.diskVersion = diskVersion;
	}

	/** Whether something would be lost with the page. Samples are there to be changed. */
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

	/** What is opened once more is the same folder, with the files that it has now. */
	private list(folder: Project): void {
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

	/** What is shown while no file is open, and cannot be typed in: it would belong to none. */
	private nothing(): EditorState {
		const label = EditorView.contentAttributes.of({ "aria-label": "No file is open" });
		return EditorState.create({
			extensions: [label, EditorState.readOnly.of(true), EditorView.editable.of(false), this.extensions("")],
		});
	}

	private extended(uri: string, path: string): Extension {
		const heard = EditorView.updateListener.of((update) => {
			const { transactions, changes, selectionSet, docChanged, viewportChanged, geometryChanged } = update;
			if (docChanged) this.carrySeen(changes);
			else if (viewportChanged || geometryChanged) this.viewport = undefined;
			for (const transaction of transactions) this.changed(uri, transaction);
			if (selectionSet || viewportChanged || geometryChanged) this.listener?.didMove();
		});
		const scrolled = EditorView.domEventHandlers({
			scroll: () => {
				this.viewport = undefined;
				this.listener?.didMove();
			},
		});
		return [heard, scrolled, this.extensions(path)];
	}

	/** What is in sight stays where it is; what is not comes with what is around it. */
	private scrollingTo(offset: number): Parameters<typeof EditorView.scrollIntoView>[1] {
		const shown = viewportOf(this.view);
		if (isInViewport(shown, offset)) return {};
		const { from, to } = shown.visible;
		const isInLines = from <= offset && offset <= to;
		return { y: isInLines ? "nearest" : "center", xMargin: this.view.scrollDOM.clientWidth / 3 };
	}

	/** After a change the same is in sight, but for a little, until the editor is laid out for the next frame anyway. */
	private carrySeen(changes: ChangeDesc): void {
		if (this.viewport === undefined) return;
		const carried = carryViewport(this.viewport, changes);
		this.viewport = carried;
		this.view.requestMeasure({
			key: "viewport",
			read: () => viewportOf(this.view),
			write: (now) => {
				if (this.viewport !== carried || JSON.stringify(now) === JSON.stringify(carried)) return;
				this.viewport = now;
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

	private documentOf(uri: string, { path, version }: WorkbenchFile) {
		return { uri, languageId: languageIdOf(path), version, text: this.stateOf(uri).doc.toString() };
	}

	/** Without what is suggested, which may no longer be when the file is back in front. */
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

/** What was open of a folder when another project was turned to. */
interface LeftFolder {
	readonly files: ReadonlyMap<string, WorkbenchFile>;
	readonly recent: readonly string[];
	readonly active: string | undefined;
}

function causeOf(transaction: Transaction): ChangeCause {
	if (transaction.isUserEvent("input.paste")) return "paste";
	if (transaction.isUserEvent("undo")) return "undo";
	if (transaction.isUserEvent("redo")) return "redo";
	return transaction.isUserEvent("input") || transaction.isUserEvent("delete") ? "typing" : "other";
}
