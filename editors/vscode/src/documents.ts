import type { ChangeCause, DocumentDiagnostic, DocumentView, Editor } from "@segue/editor";
import { Change, type Edit, isVirtualUri, sameUri } from "@segue/text";
import * as vscode from "vscode";

// The agent gives no suggestions in larger files, so there is no need to send them.
const LENGTH_MAX = 2 ** 22;

/** Reports VS Code's documents, selections, diagnostics and folders to the library. */
export class DocumentMirror implements vscode.Disposable {
	private readonly reported = new Map<vscode.TextDocument, ReportedDocument>();
	private readonly listeners: vscode.Disposable[];

	constructor(private readonly editor: Editor) {
		for (const document of vscode.workspace.textDocuments) this.open(document);
		this.focus(vscode.window.activeTextEditor);
		const { workspace, window, languages } = vscode;
		const moved = ({ textEditor }: { readonly textEditor: vscode.TextEditor }) => {
			if (textEditor === window.activeTextEditor) this.editor.didMove();
		};
		const files = (uris: readonly vscode.Uri[]) => this.editor.didChangeFiles(uris.map((uri) => uri.toString()));
		const rules = workspace.createFileSystemWatcher("**/{.gitignore,.ignore}");
		this.listeners = [
			workspace.onDidOpenTextDocument((document) => {
				this.open(document);
				// The document may have become active before it was reported.
				if (window.activeTextEditor?.document === document) this.focus(window.activeTextEditor);
			}),
			workspace.onDidChangeTextDocument((event) => this.change(event)),
			workspace.onDidSaveTextDocument((document) => this.whenReported(document, (uri) => this.editor.didSave(uri))),
			workspace.onDidCloseTextDocument((document) => this.close(document)),
			workspace.onDidChangeWorkspaceFolders(() => this.editor.didChangeWorkspace()),
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
			languages.onDidChangeDiagnostics(({ uris }) => {
				for (const [document, known] of this.reported) {
					const uri = document.uri.toString();
					if (!uris.some((one) => one.toString() === uri)) continue;
					known.diagnostics = diagnosticsOf(document);
					this.editor.didDiagnose(uri);
				}
			}),
		];
	}

	/** Returns the diagnostics of a document, at their positions in the current text. */
	diagnostics(uri: string): readonly DocumentDiagnostic[] {
		const document = documentAt(uri);
		return (document && this.reported.get(document)?.diagnostics) ?? [];
	}

	private open(document: vscode.TextDocument): void {
		if (!isMirrored(document)) return;
		const { uri, languageId, version, eol } = document;
		const text = document.getText();
		this.reported.set(document, { length: text.length, eol, diagnostics: diagnosticsOf(document) });
		this.editor.didOpen({ uri: uri.toString(), languageId, version, text });
	}

	private change({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
		const known = this.reported.get(document);
		if (known === undefined || contentChanges.length === 0) return;
		const edits = contentChanges
			.map(({ rangeOffset, rangeLength, text }) => ({ from: rangeOffset, to: rangeOffset + rangeLength, insert: text }))
			.sort((a, b) => a.from - b.from);
		known.diagnostics = carryDiagnostics(known, edits);
		known.length += edits.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0);
		// VS Code reports changed line endings as an ordinary change. The lengths then differ.
		if (known.eol !== document.eol || known.length !== lengthOf(document)) {
			this.open(document);
			return;
		}
		try {
			this.editor.didChange(document.uri.toString(), document.version, edits, causeOf(document, reason));
		} catch (error) {
			if (!(error instanceof RangeError)) throw error;
			this.open(document);
		}
	}

	private close(document: vscode.TextDocument): void {
		this.whenReported(document, (uri) => this.editor.didClose(uri));
		this.reported.delete(document);
	}

	private focus(active: vscode.TextEditor | undefined): void {
		if (active !== undefined) this.whenReported(active.document, (uri) => this.editor.didFocus(uri));
	}

	private whenReported(document: vscode.TextDocument, report: (uri: string) => void): void {
		if (this.reported.has(document)) report(document.uri.toString());
	}

	dispose(): void {
		for (const listener of this.listeners) listener.dispose();
	}
}

interface ReportedDocument {
	length: number;
	readonly eol: vscode.EndOfLine;
	diagnostics: readonly DocumentDiagnostic[];
}

/**
 * Moves diagnostics with the code until the language server has checked the new text. A diagnostic whose code has
 * changed is dropped, because the change may have fixed it.
 */
function carryDiagnostics({ length, diagnostics }: ReportedDocument, edits: readonly Edit[]): DocumentDiagnostic[] {
	if (diagnostics.length === 0) return [];
	const change = Change.of(edits, length);
	return diagnostics.flatMap((diagnostic) => {
		const { from, to } = diagnostic;
		if (edits.some((edit) => edit.from <= to && from <= edit.to)) return [];
		return [{ ...diagnostic, from: change.map(from, "after"), to: change.map(to, "before") }];
	});
}

/**
 * Whether a document is code that the user edits, and not too large. Output, diffs of old versions and notebook cells
 * are not.
 */
export function isMirrored(document: vscode.TextDocument): boolean {
	const { uri } = document;
	if (lengthOf(document) > LENGTH_MAX) return false;
	if (!isVirtualUri(uri.toString())) return true;
	return (vscode.workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === uri.scheme);
}

function causeOf(document: vscode.TextDocument, reason: vscode.TextDocumentChangeReason | undefined): ChangeCause {
	if (reason === vscode.TextDocumentChangeReason.Undo) return "undo";
	if (reason === vscode.TextDocumentChangeReason.Redo) return "redo";
	return vscode.window.activeTextEditor?.document === document ? "typing" : "other";
}

function lengthOf(document: vscode.TextDocument): number {
	return document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
}

/** Returns the open document that a URI names. */
export function documentAt(uri: string): vscode.TextDocument | undefined {
	return vscode.workspace.textDocuments.find((document) => sameUri(document.uri.toString(), uri));
}

/** Returns the editor that shows a document, preferably the active one. */
export function editorOf(uri: string): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	const shows = (editor: vscode.TextEditor | undefined) => {
		return editor !== undefined && sameUri(editor.document.uri.toString(), uri);
	};
	return shows(activeTextEditor) ? activeTextEditor : visibleTextEditors.find(shows);
}

/** Returns the selection and the visible part of a document. Folded code lies between the visible ranges. */
export function viewOfTextEditor({ document, selection, visibleRanges }: vscode.TextEditor): DocumentView {
	const ranges = visibleRanges.map(({ start, end }) => ({
		from: document.offsetAt(start),
		to: document.offsetAt(document.lineAt(Math.min(end.line, document.lineCount - 1)).range.end),
	}));
	const [first, last] = [ranges[0], ranges.at(-1)];
	const hidden = ranges.slice(1).map(({ from }, i) => ({ from: (ranges[i]?.to ?? from) + 1, to: from - 1 }));
	return {
		anchor: document.offsetAt(selection.anchor),
		head: document.offsetAt(selection.active),
		...(first &&
			last && { visible: { from: first.from, to: last.to }, hidden: hidden.filter((one) => one.from <= one.to) }),
	};
}

function diagnosticsOf(document: vscode.TextDocument): DocumentDiagnostic[] {
	return vscode.languages.getDiagnostics(document.uri).map(({ range, severity, message }) => ({
		from: document.offsetAt(range.start),
		to: document.offsetAt(range.end),
		severity: SEVERITIES[severity],
		message,
	}));
}

const SEVERITIES = ["error", "warning", "information", "hint"] as const;
