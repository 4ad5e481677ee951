import { readFileSync } from "node:fs";
import { Change, type Edit, languageOf, offsetOf, positionAt, Text } from "@segue/text";
import type * as vscode from "vscode";

// An in-memory stand-in for the module `vscode`, for tests. It has the parts that the extension uses.

class FakeUri {
	private constructor(private readonly text: string) {}

	static parse(text: string): FakeUri {
		return new FakeUri(text);
	}

	static joinPath(base: FakeUri, ...parts: string[]): FakeUri {
		return new FakeUri([base.text, ...parts].join("/"));
	}

	get scheme(): string {
		return this.text.slice(0, this.text.indexOf(":"));
	}

	get path(): string {
		return this.text.replace(/^[a-z-]+:(?:\/\/[^/]*)?/, "");
	}

	toString(): string {
		return this.text;
	}
}

class FakePosition {
	constructor(
		readonly line: number,
		readonly character: number,
	) {}
}

class FakeRange {
	constructor(
		readonly start: FakePosition,
		readonly end: FakePosition,
	) {}
}

class FakeSelection extends FakeRange {
	constructor(
		readonly anchor: FakePosition,
		readonly active: FakePosition,
	) {
		super(anchor, active);
	}

	get isEmpty(): boolean {
		return this.anchor.line === this.active.line && this.anchor.character === this.active.character;
	}
}

/** An event that tests fire. */
class FakeEvent<Value> {
	private readonly listeners = new Set<(value: Value) => unknown>();
	readonly on = (listener: (value: Value) => unknown) => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};

	fire(value: Value): void {
		for (const listener of [...this.listeners]) listener(value);
	}
}

const LF = 1;
const CRLF = 2;

class FakeDocument {
	version = 1;
	isClosed = false;
	private undone: Change[] = [];

	constructor(
		readonly uri: FakeUri,
		readonly languageId: string,
		public text: Text,
	) {}

	getWordRangeAtPosition(at: FakePosition): FakeRange | undefined {
		const offset = this.offsetAt(at);
		const word = [...this.getText().matchAll(/\w+/g)].find(({ 0: name, index }) => {
			return index <= offset && offset <= index + name.length;
		});
		return word && new FakeRange(this.positionAt(word.index), this.positionAt(word.index + word[0].length));
	}

	get eol(): number {
		return this.text.toString().includes("\r\n") ? CRLF : LF;
	}

	get lineCount(): number {
		return this.text.lineCount;
	}

	getText(range?: FakeRange): string {
		if (range === undefined) return this.text.toString();
		return this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
	}

	offsetAt({ line, character }: FakePosition): number {
		return offsetOf(this.text, { line, character }, "utf-16");
	}

	positionAt(offset: number): FakePosition {
		const { line, character } = positionAt(this.text, Math.max(0, Math.min(offset, this.text.length)), "utf-16");
		return new FakePosition(line, character);
	}

	lineAt(line: number): { text: string; range: FakeRange } {
		const [from, to] = [this.text.lineStart(line), this.text.lineEnd(line)];
		return { text: this.text.slice(from, to), range: new FakeRange(this.positionAt(from), this.positionAt(to)) };
	}

	/** Changes the text in one undoable step. VS Code lists the changes from the end of the document. */
	change(edits: readonly Edit[], reason?: number): void {
		const change = Change.of(edits, this.text.length);
		const contentChanges = change.edits.toReversed().map(({ from, to, insert }) => {
			return { rangeOffset: from, rangeLength: to - from, text: insert };
		});
		if (reason === undefined) this.undone.push(change.invert(this.text));
		this.text = change.apply(this.text);
		this.version++;
		events.changedText.fire({ document: this, contentChanges, reason });
	}

	undo(): void {
		const change = this.undone.pop();
		if (change !== undefined) this.change(change.edits, 1);
	}
}

class FakeEditor {
	readonly options = { tabSize: 4 };
	readonly viewColumn = 1;
	selections: FakeSelection[] = [];
	visibleRanges: FakeRange[];
	/** The decorations that are set, by their type. */
	readonly decorations = new Map<{ readonly key: string }, readonly (vscode.DecorationOptions | FakeRange)[]>();

	constructor(readonly document: FakeDocument) {
		this.selection = selectionAt(document, 0);
		const last = document.positionAt(document.text.length);
		this.visibleRanges = [new FakeRange(new FakePosition(0, 0), last)];
	}

	get selection(): FakeSelection {
		return this.selections[0] as FakeSelection;
	}

	set selection(selection: FakeSelection) {
		this.selections = [selection];
		events.selected.fire({ textEditor: this });
	}

	async edit(run: (builder: { replace(range: FakeRange, text: string): void }) => void): Promise<boolean> {
		if (!fakeVscode.isWritable) return false;
		const edits: Edit[] = [];
		const { document } = this;
		run({
			replace: ({ start, end }, insert) => {
				edits.push({ from: document.offsetAt(start), to: document.offsetAt(end), insert });
			},
		});
		document.change(edits);
		return true;
	}

	setDecorations(type: { readonly key: string }, decorations: readonly (vscode.DecorationOptions | FakeRange)[]): void {
		this.decorations.set(type, decorations);
	}

	revealRange({ start }: FakeRange): void {
		const seen = this.visibleRanges.some((range) => range.start.line <= start.line && start.line <= range.end.line);
		if (!seen) this.scrollTo(start.line - 5, start.line + 5);
	}

	/** Hides lines. */
	fold(first: number, last: number): void {
		const end = this.document.lineCount - 1;
		const lines = (from: number, to: number) => new FakeRange(new FakePosition(from, 0), new FakePosition(to, 0));
		this.visibleRanges = [lines(0, first - 1), lines(last + 1, end)];
		events.scrolled.fire({ textEditor: this });
	}

	/** Scrolls so that these lines are visible. */
	scrollTo(first: number, last: number): void {
		const end = Math.min(last, this.document.lineCount - 1);
		this.visibleRanges = [new FakeRange(new FakePosition(Math.max(0, first), 0), new FakePosition(end, 0))];
		events.scrolled.fire({ textEditor: this });
	}
}

/** A notebook with code cells. */
class FakeNotebook {
	constructor(
		readonly uri: FakeUri,
		readonly cells: { readonly kind: number; readonly document: FakeDocument }[],
	) {}

	getCells() {
		return this.cells;
	}
}

class FakeTextEdit {
	constructor(
		readonly range: FakeRange,
		readonly newText: string,
	) {}
}

class FakeWorkspaceEdit {
	readonly edits: {
		readonly uri: FakeUri;
		readonly range: FakeRange;
		readonly insert: string;
		readonly needsConfirmation: boolean;
	}[] = [];

	replace(uri: FakeUri, range: FakeRange, insert: string, metadata?: { readonly needsConfirmation: boolean }): void {
		this.edits.push({ uri, range, insert, needsConfirmation: metadata?.needsConfirmation ?? false });
	}

	get size(): number {
		return new Set(this.edits.map(({ uri }) => uri.toString())).size;
	}

	entries() {
		return this.edits.map(({ uri, range, insert }) => [uri, [new FakeTextEdit(range, insert)]] as const);
	}
}

function createEvents() {
	return {
		opened: new FakeEvent<FakeDocument>(),
		changedText: new FakeEvent<unknown>(),
		saved: new FakeEvent<FakeDocument>(),
		closed: new FakeEvent<FakeDocument>(),
		configured: new FakeEvent<{ affectsConfiguration(section: string): boolean }>(),
		activated: new FakeEvent<FakeEditor | undefined>(),
		selected: new FakeEvent<{ textEditor: FakeEditor }>(),
		scrolled: new FakeEvent<{ textEditor: FakeEditor }>(),
		diagnosed: new FakeEvent<{ uris: readonly FakeUri[] }>(),
		notebookOpened: new FakeEvent<FakeNotebook>(),
		notebookChanged: new FakeEvent<{ notebook: FakeNotebook }>(),
		folders: new FakeEvent<unknown>(),
		notebookClosed: new FakeEvent<FakeNotebook>(),
	};
}

const never = () => ({ dispose: () => {} });
let events = createEvents();

function selectionAt(document: FakeDocument, head: number, anchor = head): FakeSelection {
	return new FakeSelection(document.positionAt(anchor), document.positionAt(head));
}

/** The editor as a test controls it. */
class FakeVscode {
	folders = [{ uri: FakeUri.parse("file:///project"), name: "project" }];
	documents: FakeDocument[] = [];
	editors: FakeEditor[] = [];
	notebooks: FakeNotebook[] = [];
	active: FakeEditor | undefined;
	/** Files on disk, by URI. */
	readonly disk = new Map<string, string | Uint8Array>();
	/** The URI of a file that cannot be read. */
	unavailable: string | undefined;
	/** Providers of virtual documents, by scheme. */
	readonly contents = new Map<string, { provideTextDocumentContent(): string }>();
	/** User settings, by name. */
	readonly settings = new Map<string, unknown>();
	/** Settings with values in other places, by name: the values as `inspect` returns them. */
	readonly places = new Map<string, SettingPlaces>();
	readonly contexts = new Map<string, unknown>();
	/** Commands that were executed but are not registered. */
	executed: string[] = [];
	readonly registered = new Map<string, () => unknown>();
	warnings: string[] = [];
	/** The messages of tasks in progress. */
	readonly progress = new Set<string>();
	/** The button to press in the next message or the label to choose in the next list. */
	choice: string | undefined;
	status = { text: "", tooltip: "", accessibilityInformation: { label: "" } };
	providers: vscode.InlineCompletionItemProvider[] = [];
	diagnostics = new Map<string, readonly unknown[]>();
	isWritable = true;
	/** Returns the edits that a language server makes for a rename. It throws if it refuses. */
	renamer: (name: string) => readonly (readonly [uri: string, from: number, to: number])[] = () => [];
	/** Returns what a language server finds at a position: definitions or references. */
	findPlaces: (command: string, at: FakePosition) => readonly { uri: FakeUri; range: FakeRange }[] = () => [];
	/** The number of edits in the last preview of a refactoring. */
	previewed = 0;
	isPreviewApplied = true;
	/** The number of decoration types. */
	types = 0;

	/** Returns to an editor without files. */
	reset(): void {
		events = createEvents();
		Object.assign(this, new FakeVscode());
	}

	addFolder(uri: string): void {
		this.folders.push({ uri: FakeUri.parse(uri), name: uri.replace(/^.*\//, "") });
		events.folders.fire(undefined);
	}

	/** Opens a file in an editor and shows it. */
	open(uri: string, text: string, languageId = languageOf(uri)): FakeEditor {
		const document = this.read(uri, text, languageId);
		const editor = new FakeEditor(document);
		this.editors.push(editor);
		this.activate(editor);
		return editor;
	}

	/** Opens a notebook and shows its cells. The first one is active. */
	openNotebook(uri: string, cells: readonly string[], languageId = "typescript"): FakeNotebook {
		const notebook = new FakeNotebook(FakeUri.parse(uri), []);
		for (const cell of cells) this.addCell(notebook, cell, languageId);
		this.notebooks.push(notebook);
		events.notebookOpened.fire(notebook);
		this.activate(this.editors.find(({ document }) => document === notebook.cells[0]?.document));
		return notebook;
	}

	/** Adds a cell at the end of a notebook, or before another one. */
	addCell(notebook: FakeNotebook, text: string, languageId = "typescript", at = notebook.cells.length): FakeEditor {
		const uri = notebook.uri.toString().replace(/^[a-z-]+:\/\//, "vscode-notebook-cell:");
		const kind = languageId === "markdown" ? cellKinds.Markup : cellKinds.Code;
		const document = new FakeDocument(FakeUri.parse(`${uri}#${++this.types}`), languageId, Text.of(text));
		notebook.cells.splice(at, 0, { kind, document });
		this.documents.push(document);
		const editor = new FakeEditor(document);
		this.editors.push(editor);
		events.opened.fire(document);
		if (this.notebooks.includes(notebook)) events.notebookChanged.fire({ notebook });
		return editor;
	}

	removeCell(notebook: FakeNotebook, at: number): void {
		const [cell] = notebook.cells.splice(at, 1);
		this.documents = this.documents.filter((document) => document !== cell?.document);
		this.editors = this.editors.filter(({ document }) => document !== cell?.document);
		if (cell !== undefined) events.closed.fire(cell.document);
		events.notebookChanged.fire({ notebook });
	}

	/** Opens a document without showing it. */
	read(uri: string, text: string, languageId = languageOf(uri)): FakeDocument {
		const document = new FakeDocument(FakeUri.parse(uri), languageId, Text.of(text));
		this.documents.push(document);
		events.opened.fire(document);
		return document;
	}

	activate(editor: FakeEditor | undefined): void {
		this.active = editor;
		events.activated.fire(editor);
	}

	/** Types text over a range. VS Code reports the change before the cursor. */
	type(from: number, to: number, insert: string): void {
		const { active } = this;
		if (active === undefined) throw new Error("no editor is active");
		active.document.change([{ from, to, insert }]);
		this.select(from + insert.length);
	}

	select(head: number, anchor = head): void {
		if (this.active !== undefined) this.active.selection = selectionAt(this.active.document, head, anchor);
	}

	/** Adds another cursor. */
	addCursor(at: number): void {
		const { active } = this;
		if (active === undefined) return;
		active.selections = [...active.selections, selectionAt(active.document, at)];
		events.selected.fire({ textEditor: active });
	}

	set(key: string, value: unknown): void {
		this.settings.set(key, value);
		events.configured.fire({ affectsConfiguration: (section) => key.startsWith(section) });
	}

	diagnose(uri: string, diagnostics: readonly { from: number; to: number; message: string }[]): void {
		const document = this.documents.find((one) => one.uri.toString() === uri);
		if (document === undefined) throw new Error(`${uri} is not open`);
		const found = diagnostics.map(({ from, to, message }) => {
			return { range: new FakeRange(document.positionAt(from), document.positionAt(to)), severity: 0, message };
		});
		this.diagnostics.set(uri, found);
		events.diagnosed.fire({ uris: [document.uri] });
	}

	/** Shows the active document in a second editor. */
	split(): FakeEditor | undefined {
		if (this.active === undefined) return undefined;
		const editor = new FakeEditor(this.active.document);
		this.editors.push(editor);
		this.activate(editor);
		return editor;
	}

	/** Returns the command that a key runs in the text of the active editor. Later bindings win. */
	commandOf(key: string, context: Readonly<Record<string, unknown>> = {}): string | undefined {
		const keys = { editorTextFocus: true, ...Object.fromEntries(this.contexts), ...context };
		const bindings = manifest.contributes.keybindings.filter((binding) => binding.key === key);
		return bindings.findLast(({ when }) => isTrue(when, keys))?.command;
	}

	/** Runs a command as its key does. */
	async run(command: string): Promise<void> {
		await this.registered.get(command)?.();
	}

	/** The text of all decorations in the active editor, in the order of their positions. */
	get drawn(): string[] {
		return this.active === undefined ? [] : this.drawnIn(this.active);
	}

	drawnIn({ decorations }: FakeEditor): string[] {
		const texts = [...decorations].flatMap(([{ key }, options]) => {
			return options.flatMap((one) => {
				const text =
					"range" in one ? one.renderOptions?.after?.contentText?.replaceAll("\u00a0", " ").trim() : undefined;
				if (!("range" in one) || text === undefined) return [];
				const { line, character } = one.range.end;
				return [{ line, character, key, text }];
			});
		});
		return texts
			.toSorted((a, b) => a.line - b.line || a.character - b.character || (a.key < b.key ? -1 : 1))
			.map(({ line, text }) => `${line + 1}: ${text}`);
	}

	/** The ghost text at the cursor. */
	get ghost(): string | undefined {
		const { active } = this;
		if (active === undefined) return undefined;
		const [item] = this.providers.flatMap((provider) => {
			const at = active.selection.active;
			const document = active.document as unknown as vscode.TextDocument;
			const { provideInlineCompletionItems: provide } = provider;
			const context = {} as vscode.InlineCompletionContext;
			const token = {} as vscode.CancellationToken;
			const items = provide.call(provider, document, at as unknown as vscode.Position, context, token);
			return (items ?? []) as vscode.InlineCompletionItem[];
		});
		return item === undefined ? undefined : String(item.insertText);
	}

	/** Accepts the ghost text as VS Code does on Tab. */
	acceptGhost(): void {
		const { active, ghost } = this;
		if (active === undefined || ghost === undefined) throw new Error("there is no ghost text");
		const at = active.document.offsetAt(active.selection.active);
		this.type(at, at, ghost);
	}
}

export const fakeVscode = new FakeVscode();

const manifest: {
	readonly contributes: { readonly keybindings: readonly Readonly<Record<"command" | "key" | "when", string>>[] };
} = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Evaluates a `when` clause with the operators that the manifest uses. */
function isTrue(when: string, context: Readonly<Record<string, unknown>>): boolean {
	const tokens = when.match(/\|\||&&|==|[!()]|'[^']*'|[\w.-]+/g) ?? [];
	const value = (): boolean => {
		const token = tokens.shift() ?? "";
		if (token === "!") return !value();
		if (token === "(") {
			const inner = either();
			tokens.shift();
			return inner;
		}
		if (tokens[0] !== "==") return Boolean(context[token]);
		tokens.shift();
		return String(context[token]) === tokens.shift()?.replaceAll("'", "");
	};
	/** Reads the operands of an operator. All of them, because the tokens must be consumed. */
	const operands = (operator: string, operand: () => boolean): boolean[] => {
		const values = [operand()];
		while (tokens[0] === operator) {
			tokens.shift();
			values.push(operand());
		}
		return values;
	};
	const both = () => operands("&&", value).every((one) => one);
	const either = () => operands("||", both).some((one) => one);
	return either();
}

type SettingPlaces = Readonly<Partial<Record<`${(typeof PLACES)[number]}Value`, unknown>>>;

/** The places of a setting. Later ones win. */
const PLACES = [
	"global",
	"workspace",
	"workspaceFolder",
	"globalLanguage",
	"workspaceLanguage",
	"workspaceFolderLanguage",
] as const;
const TARGET_PLACES = { 1: "global", 2: "workspace", 3: "workspaceFolder" } as const;

function isBelow(folder: FakeUri, uri: FakeUri): boolean {
	return uri.toString().startsWith(`${folder}/`);
}

function settingsIn(section: string) {
	const keyOf = (key: string) => `${section}.${key}`;
	const inspect = (key: string): SettingPlaces => {
		return { globalValue: fakeVscode.settings.get(keyOf(key)), ...fakeVscode.places.get(keyOf(key)) };
	};
	return {
		inspect,
		get: (key: string, fallback?: unknown) => {
			const values = inspect(key);
			return PLACES.map((place) => values[`${place}Value`]).findLast((value) => value !== undefined) ?? fallback;
		},
		update: async (key: string, value: unknown, target: 1 | 2 | 3, isForLanguage = false) => {
			const place = `${TARGET_PLACES[target]}${isForLanguage ? "Language" : ""}Value`;
			fakeVscode.places.set(keyOf(key), { ...inspect(key), [place]: value });
			events.configured.fire({ affectsConfiguration: (part) => keyOf(key).startsWith(part) });
		},
	};
}

const fakeWindow = {
	get activeTextEditor() {
		return fakeVscode.active;
	},
	get visibleTextEditors() {
		return fakeVscode.editors;
	},
	get onDidChangeActiveTextEditor() {
		return events.activated.on;
	},
	get onDidChangeTextEditorSelection() {
		return events.selected.on;
	},
	get onDidChangeTextEditorVisibleRanges() {
		return events.scrolled.on;
	},
	onDidChangeVisibleTextEditors: never,
	createTextEditorDecorationType: (options: object) => {
		return { ...options, key: `type${++fakeVscode.types}`, dispose: () => {} };
	},
	createStatusBarItem: () => {
		return Object.assign(fakeVscode.status, { show: () => {}, dispose: () => {} });
	},
	createOutputChannel: () => ({ debug: () => {}, warn: () => {}, show: () => {}, dispose: () => {} }),
	showTextDocument: async (document: FakeDocument) => {
		const shown = fakeVscode.editors.find((editor) => editor.document === document) ?? new FakeEditor(document);
		const isNew = !fakeVscode.editors.includes(shown);
		if (isNew) fakeVscode.editors.push(shown);
		fakeVscode.activate(shown);
		// VS Code does so after it has gone to a cell that was out of view.
		if (isNew && document.uri.scheme === "vscode-notebook-cell") throw new Error("Could NOT open editor");
		return shown;
	},
	showWarningMessage: async (text: string) => {
		fakeVscode.warnings.push(text);
		return fakeVscode.choice;
	},
	withProgress: async ({ title }: { readonly title: string }, run: () => Promise<void>) => {
		fakeVscode.progress.add(title);
		await run();
		fakeVscode.progress.delete(title);
	},
	showInformationMessage: async () => fakeVscode.choice,
	showQuickPick: async (items: readonly { readonly label: string }[]) => {
		return items.find(({ label }) => fakeVscode.choice !== undefined && label.includes(fakeVscode.choice));
	},
};

const fakeWorkspace = {
	get workspaceFolders() {
		return fakeVscode.folders;
	},
	get onDidChangeWorkspaceFolders() {
		return events.folders.on;
	},
	get textDocuments() {
		return fakeVscode.documents;
	},
	get notebookDocuments() {
		return fakeVscode.notebooks;
	},
	get onDidOpenNotebookDocument() {
		return events.notebookOpened.on;
	},
	get onDidChangeNotebookDocument() {
		return events.notebookChanged.on;
	},
	get onDidCloseNotebookDocument() {
		return events.notebookClosed.on;
	},
	onDidSaveNotebookDocument: never,
	get onDidOpenTextDocument() {
		return events.opened.on;
	},
	get onDidChangeTextDocument() {
		return events.changedText.on;
	},
	get onDidSaveTextDocument() {
		return events.saved.on;
	},
	get onDidCloseTextDocument() {
		return events.closed.on;
	},
	get onDidChangeConfiguration() {
		return events.configured.on;
	},
	fs: {
		stat: async (uri: FakeUri) => ({ size: fakeVscode.disk.get(uri.toString())?.length ?? 0 }),
		readFile: async (uri: FakeUri) => {
			const text = fakeVscode.disk.get(uri.toString());
			if (uri.toString() === fakeVscode.unavailable) throw new FakeFileError("Unavailable");
			if (text === undefined) throw new FakeFileError("FileNotFound");
			return typeof text === "string" ? new TextEncoder().encode(text) : text;
		},
		readDirectory: async (uri: FakeUri) => {
			const below = [...fakeVscode.disk.keys()].filter((file) => file.startsWith(`${uri}/`));
			const names = new Map(
				below.map((file) => {
					const [name = "", ...others] = file.slice(`${uri}/`.length).split("/");
					return [name, others.length === 0 ? fileTypes.File : fileTypes.Directory];
				}),
			);
			return [...names];
		},
	},
	onDidCreateFiles: never,
	onDidDeleteFiles: never,
	onDidRenameFiles: never,
	createFileSystemWatcher: () => ({ onDidCreate: never, onDidChange: never, onDidDelete: never, dispose: () => {} }),
	getConfiguration: settingsIn,
	getWorkspaceFolder: (uri: FakeUri) => fakeVscode.folders.find((folder) => isBelow(folder.uri, uri)),
	asRelativePath: (uri: FakeUri) => {
		const folder = fakeVscode.folders.find((one) => isBelow(one.uri, uri));
		return folder === undefined ? uri.toString() : uri.toString().slice(`${folder.uri}/`.length);
	},
	registerTextDocumentContentProvider: (scheme: string, provider: { provideTextDocumentContent(): string }) => {
		fakeVscode.contents.set(scheme, provider);
		return { dispose: () => fakeVscode.contents.delete(scheme) };
	},
	openTextDocument: async (wanted: FakeUri | { readonly content: string }) => {
		if (wanted instanceof FakeUri) {
			const content = fakeVscode.contents.get(wanted.scheme)?.provideTextDocumentContent();
			if (content !== undefined) return fakeVscode.read(wanted.toString(), content, "diff");
		}
		if (!(wanted instanceof FakeUri)) return fakeVscode.read("untitled:Untitled-1", wanted.content, "javascript");
		const uri = wanted.toString();
		return (
			fakeVscode.documents.find((one) => one.uri.toString() === uri) ??
			fakeVscode.read(uri, String(fakeVscode.disk.get(uri) ?? ""))
		);
	},
	applyEdit: async ({ edits }: FakeWorkspaceEdit) => {
		if (!fakeVscode.isWritable) return false;
		fakeVscode.previewed = edits.filter(({ needsConfirmation }) => needsConfirmation).length;
		if (fakeVscode.previewed > 0 && !fakeVscode.isPreviewApplied) return false;
		for (const document of fakeVscode.documents) {
			const own = edits.filter(({ uri }) => uri.toString() === document.uri.toString());
			const changes = own.map(({ range, insert }) => {
				return { from: document.offsetAt(range.start), to: document.offsetAt(range.end), insert };
			});
			if (changes.length > 0) document.change(changes);
		}
		return true;
	},
};

const fakeLanguages = {
	registerInlineCompletionItemProvider: (_selector: unknown, provider: vscode.InlineCompletionItemProvider) => {
		fakeVscode.providers.push(provider);
		return { dispose: () => {} };
	},
	getDiagnostics: (uri: FakeUri) => fakeVscode.diagnostics.get(uri.toString()) ?? [],
	get onDidChangeDiagnostics() {
		return events.diagnosed.on;
	},
	// Enough for globs such as *.lock.
	match: ({ pattern }: { pattern: string }, { uri }: FakeDocument) => {
		return uri.toString().endsWith(String(pattern).replace(/^.*\*/, "")) ? 10 : 0;
	},
};

function renameWithServer(name: string): FakeWorkspaceEdit {
	const edit = new FakeWorkspaceEdit();
	for (const [uri, from, to] of fakeVscode.renamer(name)) {
		const document = fakeVscode.documents.find((one) => one.uri.toString() === uri);
		if (document === undefined) continue;
		edit.replace(document.uri, new FakeRange(document.positionAt(from), document.positionAt(to)), name);
	}
	return edit;
}

const fakeCommands = {
	executeCommand: async (name: string, ...args: readonly unknown[]) => {
		if (name === "vscode.executeDocumentRenameProvider") return renameWithServer(String(args[2]));
		if (name.startsWith("vscode.execute")) return fakeVscode.findPlaces(name, args[1] as FakePosition);
		if (name === "setContext") fakeVscode.contexts.set(String(args[0]), args[1]);
		else if (fakeVscode.registered.has(name)) await fakeVscode.run(name);
		else fakeVscode.executed.push(name);
	},
	registerCommand: (name: string, run: () => unknown) => {
		fakeVscode.registered.set(name, run);
		return { dispose: () => fakeVscode.registered.delete(name) };
	},
};

class Named {
	constructor(readonly name: string) {}
}

class FakeItem {
	constructor(
		readonly insertText: string,
		readonly range: FakeRange,
	) {}
}

class FakePattern {
	constructor(
		readonly base: unknown,
		readonly pattern: string,
	) {}
}

class FakeFileError extends Error {
	constructor(readonly code: string) {
		super(code);
	}
}

const fileTypes = { File: 1, Directory: 2, SymbolicLink: 64 };
const fakeEnv = { appName: "Visual Studio Code" };
const fakeDisposable = {
	from: (...parts: readonly { dispose(): unknown }[]) => ({
		dispose: () => {
			for (const part of parts) part.dispose();
		},
	}),
};
const closedRanges = { ClosedClosed: 1 };
const cellKinds = { Markup: 1, Code: 2 };
const lanes = { Left: 1 };
const progressLocations = { Notification: 15 };
const alignments = { Right: 2 };
const reveals = { InCenterIfOutsideViewport: 2 };
const columns = { Active: -1 };
const targets = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
const lineEndings = { LF, CRLF };
const changeReasons = { Undo: 1, Redo: 2 };

export {
	alignments as StatusBarAlignment,
	cellKinds as NotebookCellKind,
	changeReasons as TextDocumentChangeReason,
	closedRanges as DecorationRangeBehavior,
	columns as ViewColumn,
	FakeFileError as FileSystemError,
	FakeItem as InlineCompletionItem,
	FakePattern as RelativePattern,
	FakePosition as Position,
	FakeRange as Range,
	FakeSelection as Selection,
	FakeTextEdit as TextEdit,
	FakeUri as Uri,
	FakeWorkspaceEdit as WorkspaceEdit,
	fakeCommands as commands,
	fakeDisposable as Disposable,
	fakeEnv as env,
	fakeLanguages as languages,
	fakeWindow as window,
	fakeWorkspace as workspace,
	fileTypes as FileType,
	lanes as OverviewRulerLane,
	lineEndings as EndOfLine,
	Named as ThemeColor,
	progressLocations as ProgressLocation,
	reveals as TextEditorRevealType,
	targets as ConfigurationTarget,
};
