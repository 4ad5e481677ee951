import type { ChangeCause, DocumentDiagnostic, DocumentView, Editor } from "@segue/editor";
import { Change, type Edit } from "@segue/text";
import * as vscode from "vscode";
import { notebookOf, notebookSource, type Source, sourceAt, sourceContaining, sourceText } from "./source.js";

/** Reports VS Code's documents, selections, diagnostics and folders to the library. */
export class DocumentMirror implements vscode.Disposable {
	/** By URI. */
	private readonly reported = new Map<string, ReportedSource>();
	private readonly listeners: vscode.Disposable[];

	constructor(private readonly editor: Editor) {
		for (const document of vscode.workspace.textDocuments) this.open(document);
		this.focus(vscode.window.activeTextEditor);
		const { workspace, window, languages } = vscode;
		const moved = ({ textEditor }: { readonly textEditor: vscode.TextEditor }) => {
			if (textEditor === window.activeTextEditor) this.editor.didMove();
		};
		const cells = (notebook: vscode.NotebookDocument) => {
			const source = notebookSource(notebook);
			if (source === undefined) this.close(notebook.uri.toString());
			else this.update(source);
		};
		const files = (uris: readonly vscode.Uri[]) => this.editor.didChangeFiles(uris.map((uri) => uri.toString()));
		const rules = workspace.createFileSystemWatcher("**/{.gitignore,.ignore}");
		this.listeners = [
			workspace.onDidOpenTextDocument((document) => this.open(document)),
			workspace.onDidChangeTextDocument((event) => this.change(event)),
			workspace.onDidSaveTextDocument(({ uri }) => this.save(uri.toString())),
			workspace.onDidCloseTextDocument((document) => {
				const uri = document.uri.toString();
				if (this.reported.get(uri)?.source.parts[0]?.document === document) this.close(uri);
			}),
			workspace.onDidOpenNotebookDocument(cells),
			workspace.onDidChangeNotebookDocument(({ notebook }) => cells(notebook)),
			workspace.onDidSaveNotebookDocument(({ uri }) => this.save(uri.toString())),
			workspace.onDidCloseNotebookDocument(({ uri }) => {
				this.close(uri.toString());
				// The notebook may also be open as text.
				const source = sourceAt(uri.toString());
				if (source !== undefined) this.update(source);
			}),
			workspace.onDidChangeWorkspaceFolders(() => {
				this.editor.didChangeWorkspace();
				// Documents on the file system of a new folder are now reported.
				for (const document of workspace.textDocuments) {
					if (!this.reported.has(document.uri.toString())) this.open(document);
				}
				this.focus(window.activeTextEditor);
			}),
			workspace.onDidCreateFiles((event) => files(event.files)),
			workspace.onDidDeleteFiles((event) => files(event.files)),
			workspace.onDidRenameFiles((event) => files(event.files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]))),
			rules,
			rules.onDidCreate((uri) => files([uri])),
			rules.onDidChange((uri) => files([uri])),
			rules.onDidDelete((uri) => files([uri])),
			window.onDidChangeActiveTextEditor((active) => this.focus(active)),
			window.onDidChangeTextEditorSelection(moved),
			window.onDidChangeTextEditorVisibleRanges(moved),
			window.onDidChangeVisibleTextEditors(() => this.editor.didMove()),
			languages.onDidChangeDiagnostics(({ uris }) => {
				const changed = new Set(uris.map((uri) => uri.toString()));
				for (const [uri, known] of this.reported) {
					if (!known.source.parts.some(({ document }) => changed.has(document.uri.toString()))) continue;
					known.diagnostics = diagnosticsOf(known.source);
					known.unmapped = undefined;
					this.editor.didDiagnose(uri);
				}
			}),
		];
	}

	/** Returns the diagnostics of a source, at their positions in the current text. */
	diagnostics(uri: string): readonly DocumentDiagnostic[] {
		const known = this.reported.get(uri);
		if (known === undefined) return [];
		known.diagnostics = carryDiagnostics(known);
		known.unmapped = undefined;
		return known.diagnostics;
	}

	/** Returns the version of a source that was reported last. */
	versionOf(uri: string): number | undefined {
		return this.reported.get(uri)?.version;
	}

	private open(document: vscode.TextDocument): void {
		const source = sourceContaining(document);
		if (source !== undefined) this.update(source);
	}

	/** Reports a source that is new or was opened again, or the cells that have been added, moved or removed. */
	private update(source: Source): void {
		const known = this.reported.get(source.uri);
		const hasCells = known?.source.isNotebook && source.isNotebook;
		if (hasCells && known.source.languageId === source.languageId) {
			const edit = cellEdit(known.source, source);
			if (edit !== undefined) this.report(known, source, [edit], "other");
			return;
		}
		this.reopen(source);
		// It may have become active before it was reported.
		const active = vscode.window.activeTextEditor;
		if (source.parts.some(({ document }) => document === active?.document)) this.focus(active);
	}

	private reopen(source: Source): void {
		const { uri, languageId, isNotebook } = source;
		const first = source.parts[0]?.document;
		const before = this.reported.get(uri)?.version ?? 0;
		const version = isNotebook || first === undefined ? before + 1 : first.version;
		const diagnostics = diagnosticsOf(source);
		this.reported.set(uri, { source, version, eol: first?.eol, diagnostics, unmapped: undefined });
		this.editor.didOpen({ uri, languageId, version, text: sourceText(source) });
	}

	private change({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
		const source = sourceContaining(document);
		if (source === undefined) {
			const uri = (notebookOf(document) ?? document).uri.toString();
			// It has become too large. Otherwise it is a Markdown cell or a notebook's text.
			if (sourceAt(uri) === undefined) this.close(uri);
			return;
		}
		const known = this.reported.get(source.uri);
		if (known === undefined) {
			this.update(source); // it was too large
			return;
		}
		if (contentChanges.length === 0) return;
		const start = source.parts.find((part) => part.document === document)?.from ?? 0;
		const edits = contentChanges
			.map(({ rangeOffset, rangeLength, text }) => {
				return { from: start + rangeOffset, to: start + rangeOffset + rangeLength, insert: text };
			})
			.sort((a, b) => a.from - b.from);
		this.report(known, source, edits, causeOf(document, reason));
	}

	private report(known: ReportedSource, source: Source, edits: readonly Edit[], cause: ChangeCause): void {
		const { length } = known.source;
		const first = source.parts[0]?.document;
		if (known.diagnostics.length > 0) {
			const change = Change.of(edits, length);
			known.unmapped = known.unmapped?.compose(change) ?? change;
		}
		known.source = source;
		const added = edits.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0);
		// VS Code reports changed line endings as an ordinary change. The lengths then differ.
		if (known.eol !== first?.eol || length + added !== source.length) {
			this.reopen(source);
			return;
		}
		known.version = source.isNotebook || first === undefined ? known.version + 1 : first.version;
		try {
			this.editor.didChange(source.uri, known.version, edits, cause);
		} catch (error) {
			if (!(error instanceof RangeError)) throw error;
			this.reopen(source);
		}
	}

	private save(uri: string): void {
		if (this.reported.has(uri)) this.editor.didSave(uri);
	}

	private close(uri: string): void {
		if (this.reported.delete(uri)) this.editor.didClose(uri);
	}

	private focus(active: vscode.TextEditor | undefined): void {
		const source = active && sourceContaining(active.document);
		if (source !== undefined && this.reported.has(source.uri)) this.editor.didFocus(source.uri);
	}

	dispose(): void {
		for (const listener of this.listeners) listener.dispose();
	}
}

interface ReportedSource {
	source: Source;
	version: number;
	/** The line endings of a document. */
	readonly eol: vscode.EndOfLine | undefined;
	diagnostics: readonly DocumentDiagnostic[];
	/** Changes that `diagnostics` do not include yet. There can be thousands, too many to move on each key. */
	unmapped: Change | undefined;
}

/** Returns the edit that adds, moves and removes cells. Undefined if the cells are the same. */
function cellEdit(before: Source, after: Source): Edit | undefined {
	const [old, now] = [before.parts, after.parts];
	let first = 0;
	while (first < old.length && old[first]?.document === now[first]?.document) first++;
	let last = 0;
	const most = Math.min(old.length, now.length) - first;
	while (last < most && old.at(-1 - last)?.document === now.at(-1 - last)?.document) last++;
	const parts = now.slice(first, now.length - last);
	if (old.length === now.length && parts.length === 0) return undefined;
	const from = old[first]?.from ?? before.length;
	const to = old[old.length - last]?.from ?? before.length;
	return { from, to, insert: sourceText({ ...after, parts }) };
}

/**
 * Moves diagnostics with the code until the language server has checked the new text. A diagnostic whose code has
 * changed is dropped, because the change may have fixed it.
 */
function carryDiagnostics({ diagnostics, unmapped: change }: ReportedSource): readonly DocumentDiagnostic[] {
	if (change === undefined) return diagnostics;
	return diagnostics.flatMap((diagnostic) => {
		const { from, to } = diagnostic;
		if (change.edits.some((edit) => edit.from <= to && from <= edit.to)) return [];
		return [{ ...diagnostic, from: change.map(from, "after"), to: change.map(to, "before") }];
	});
}

function causeOf(document: vscode.TextDocument, reason: vscode.TextDocumentChangeReason | undefined): ChangeCause {
	if (reason === vscode.TextDocumentChangeReason.Undo) return "undo";
	if (reason === vscode.TextDocumentChangeReason.Redo) return "redo";
	return vscode.window.activeTextEditor?.document === document ? "typing" : "other";
}

/**
 * Returns the selection in an editor and the visible part of its source. Folded code and cells out of view lie between
 * the visible ranges.
 */
export function viewOfSource({ parts }: Source, { document, selection }: vscode.TextEditor): DocumentView {
	const ranges = parts.flatMap((part) => {
		const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === part.document);
		const shown = editors.find((editor) => editor === vscode.window.activeTextEditor) ?? editors[0];
		return (shown?.visibleRanges ?? []).map(({ start, end }) => ({
			from: part.from + part.document.offsetAt(start),
			to: part.from + part.document.offsetAt(lineEndAt(part.document, end.line)),
		}));
	});
	const [first, last] = [ranges[0], ranges.at(-1)];
	const hidden = ranges.slice(1).map(({ from }, i) => ({ from: (ranges[i]?.to ?? from) + 1, to: from - 1 }));
	const start = parts.find((part) => part.document === document)?.from ?? 0;
	return {
		anchor: start + document.offsetAt(selection.anchor),
		head: start + document.offsetAt(selection.active),
		...(first &&
			last && { visible: { from: first.from, to: last.to }, hidden: hidden.filter((one) => one.from <= one.to) }),
	};
}

function lineEndAt(document: vscode.TextDocument, line: number): vscode.Position {
	return document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
}

function diagnosticsOf({ parts }: Source): DocumentDiagnostic[] {
	return parts.flatMap(({ document, from }) => {
		return vscode.languages.getDiagnostics(document.uri).map(({ range, severity, message }) => ({
			from: from + document.offsetAt(range.start),
			to: from + document.offsetAt(range.end),
			severity: SEVERITIES[severity],
			message,
		}));
	});
}

const SEVERITIES = ["error", "warning", "information", "hint"] as const;
