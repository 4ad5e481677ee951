import type * as vscode from "vscode";
import { type FakeDocument, FakeTextEditor, fakeEvents, lineEndings } from "./fake/text-editors.js";
import {
	cellKinds,
	FakeFileError,
	FakeItem,
	FakePattern,
	FakePosition,
	FakeRange,
	FakeSelection,
	FakeTextEdit,
	FakeUri,
	FakeWorkspaceEdit,
	Named,
} from "./fake/values.js";
import { fakeVscode, PLACES, type SettingPlaces } from "./fake/workbench.js";

// An in-memory stand-in for the module `vscode`, for tests. It has the parts that the extension uses.

const never = () => ({ dispose: () => {} });

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
			fakeEvents.configured.fire({ affectsConfiguration: (part) => keyOf(key).startsWith(part) });
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
		return fakeEvents.activated.on;
	},
	get onDidChangeTextEditorSelection() {
		return fakeEvents.selected.on;
	},
	get onDidChangeTextEditorVisibleRanges() {
		return fakeEvents.scrolled.on;
	},
	onDidChangeVisibleTextEditors: never,
	createTextEditorDecorationType: (options: object) => {
		return { ...options, key: `type${++fakeVscode.types}`, dispose: () => {} };
	},
	createStatusBarItem: () => {
		return new Proxy(Object.assign(fakeVscode.status, { show: () => {}, dispose: () => {} }), {
			set: (item, name, value) => {
				fakeVscode.statusUpdates++;
				return Reflect.set(item, name, value);
			},
		});
	},
	createOutputChannel: () => ({ debug: () => {}, warn: () => {}, show: () => {}, dispose: () => {} }),
	showTextDocument: async (document: FakeDocument) => {
		const shown = fakeVscode.editors.find((editor) => editor.document === document) ?? new FakeTextEditor(document);
		const isNew = !fakeVscode.editors.includes(shown);
		if (isNew) fakeVscode.editors.push(shown);
		fakeVscode.activate(shown);
		// VS Code does so after it has gone to a cell that was out of view.
		if (isNew && document.uri.scheme === "vscode-notebook-cell") throw new Error("Could NOT open editor");
		return shown;
	},
	showWarningMessage: async (text: string, ...buttons: readonly string[]) => {
		fakeVscode.warnings.push(text);
		return buttons.find((button) => button === fakeVscode.choice);
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

function fileTypeOf(uri: string, isFolder: boolean): number {
	const type = isFolder ? fileTypes.Directory : fileTypes.File;
	return fakeVscode.links.has(uri) ? type | fileTypes.SymbolicLink : type;
}

const fakeWorkspace = {
	get workspaceFolders() {
		return fakeVscode.folders;
	},
	get onDidChangeWorkspaceFolders() {
		return fakeEvents.folders.on;
	},
	get textDocuments() {
		return fakeVscode.documents;
	},
	get notebookDocuments() {
		return fakeVscode.notebooks;
	},
	get onDidOpenNotebookDocument() {
		return fakeEvents.notebookOpened.on;
	},
	get onDidChangeNotebookDocument() {
		return fakeEvents.notebookChanged.on;
	},
	get onDidCloseNotebookDocument() {
		return fakeEvents.notebookClosed.on;
	},
	onDidSaveNotebookDocument: never,
	get onDidOpenTextDocument() {
		return fakeEvents.opened.on;
	},
	get onDidChangeTextDocument() {
		return fakeEvents.changedText.on;
	},
	get onDidSaveTextDocument() {
		return fakeEvents.saved.on;
	},
	get onDidCloseTextDocument() {
		return fakeEvents.closed.on;
	},
	get onDidChangeConfiguration() {
		return fakeEvents.configured.on;
	},
	fs: {
		stat: async (uri: FakeUri) => {
			const content = fakeVscode.disk.get(uri.toString());
			const isFolder = [...fakeVscode.disk.keys()].some((file) => file.startsWith(`${uri}/`));
			if (uri.toString() === fakeVscode.unavailable) throw new FakeFileError("Unavailable");
			if (content === undefined && !isFolder) throw new FakeFileError("FileNotFound");
			return { type: fileTypeOf(uri.toString(), isFolder), size: content?.length ?? 0 };
		},
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
					return [name, fileTypeOf(`${uri}/${name}`, others.length > 0)];
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
	applyEdit: async ({ edits, fileRenames }: FakeWorkspaceEdit) => {
		fakeVscode.previewed = edits.filter(({ needsConfirmation }) => needsConfirmation).length;
		if (fakeVscode.previewed > 0 && !fakeVscode.isPreviewApplied) return false;
		for (const document of fakeVscode.documents) {
			const own = edits.filter(({ uri }) => uri.toString() === document.uri.toString());
			const changes = own.map(({ range, insert }) => {
				return { from: document.offsetAt(range.start), to: document.offsetAt(range.end), insert };
			});
			if (changes.length > 0 && document.isReadOnly) return false;
			if (changes.length > 0) document.change(changes);
		}
		for (const { from, to } of fileRenames) {
			fakeVscode.disk.set(to.toString(), fakeVscode.disk.get(from.toString()) ?? "");
			fakeVscode.disk.delete(from.toString());
		}
		return true;
	},
};

const fakeLanguages = {
	registerInlineCompletionItemProvider: (_selector: unknown, provider: vscode.InlineCompletionItemProvider) => {
		fakeVscode.providers.push(provider);
		const dispose = () => {
			fakeVscode.providers = fakeVscode.providers.filter((one) => one !== provider);
		};
		return { dispose };
	},
	getDiagnostics: (uri: FakeUri) => fakeVscode.diagnostics.get(uri.toString()) ?? [],
	get onDidChangeDiagnostics() {
		return fakeEvents.diagnosed.on;
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
	const [from, to] = fakeVscode.renamedFile ?? [];
	if (from !== undefined && to !== undefined) edit.renameFile(FakeUri.parse(from), FakeUri.parse(to));
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
const lanes = { Left: 1 };
const progressLocations = { Notification: 15 };
const alignments = { Right: 2 };
const reveals = { InCenterIfOutsideViewport: 2 };
const columns = { Active: -1 };
const targets = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
const changeReasons = { Undo: 1, Redo: 2 };

export { fakeVscode } from "./fake/workbench.js";
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
