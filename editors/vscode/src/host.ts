import type {
	DisplayedSuggestion,
	DocumentDiagnostic,
	EditorWorkspace,
	FileEdits,
	Files,
	Host,
	Notice,
} from "@segue/editor";
import type { Edit } from "@segue/text";
import * as vscode from "vscode";
import { viewOfSource } from "./documents.js";
import { relatedSnippets } from "./related-snippets.js";
import { mayUseModel } from "./settings.js";
import { editorOf, editsByPart, type Source, sourceAt, sourcePartAt } from "./source.js";

interface HostActions {
	/** Draws the suggestion. */
	show(shown: DisplayedSuggestion | undefined): void;
	/** Keeps a surplus Tab from indenting. */
	ignoreTab(isIgnored: boolean): void;
	/** Shows the reason why there is no suggestion, or a problem. */
	report(note: Notice): void;
	/** Whether a setting turns suggestions off in a document. */
	isOff(document: vscode.TextDocument): boolean;
	diagnostics(uri: string): readonly DocumentDiagnostic[];
	/** Returns the version of a document that was reported last. */
	versionOf(uri: string): number | undefined;
	/** Gives access to the files of a workspace. */
	files(workspace: () => EditorWorkspace): Files;
}

/** Connects VS Code to the library. */
export function vscodeHost({ show, ignoreTab, report, isOff, diagnostics, versionOf, files }: HostActions): Host {
	const workspace = () => ({
		folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => {
			return { uri: uri.toString().replace(/\/$/, ""), name };
		}),
	});
	return {
		workspace,
		view: (uri) => {
			const source = sourceAt(uri);
			const editor = source && editorIn(source);
			// Without a view there are no suggestions. An edit at one of several cursors would surprise users.
			if (source === undefined || editor === undefined || editor.selections.length > 1 || isOff(editor.document))
				return undefined;
			return viewOfSource(source, editor);
		},
		show,
		// Only one cell can be drawn, and the user must see all edits.
		refusalOf: (uri, edits) => {
			const source = sourceAt(uri);
			if (!source?.isNotebook || editsByPart(source, edits)?.size === 1) return undefined;
			return "it changes several cells of the notebook";
		},
		apply: async (edits) => {
			const isCurrent = () => edits.every(({ uri, version }) => version === undefined || versionOf(uri) === version);
			if (!isCurrent()) return false;
			if (await apply(edits)) return true;
			// VS Code also refuses an edit if the user types before it is applied.
			if (!isCurrent()) return false;
			throw new Error("VS Code did not accept the edit. Check that the file can be written.");
		},
		reveal,
		rename,
		ignoreTab,
		report,
		diagnostics,
		files: files(workspace),
		// The built-in engine does not use them, and the language server would only delay the suggestion.
		...(mayUseModel() && { relatedSnippets }),
	};
}

/** Returns the editor that shows a source, preferably the active one. */
function editorIn({ parts }: Source): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	return [activeTextEditor, ...visibleTextEditors].find((editor) => {
		return parts.some(({ document }) => document === editor?.document);
	});
}

/** Applies edits as one undoable step. */
async function apply(files: readonly FileEdits[]): Promise<boolean> {
	const changes: { readonly document: vscode.TextDocument; readonly edits: readonly Edit[] }[] = [];
	for (const { uri, edits } of files) {
		const source = sourceAt(uri);
		if (source === undefined) changes.push({ document: await open(uri), edits });
		else {
			const found = editsByPart(source, edits);
			if (found === undefined) return false;
			for (const [{ document }, own] of found) changes.push({ document, edits: own });
		}
	}
	const ranges = ({ document, edits }: (typeof changes)[number]) => {
		return edits.map(({ from, to, insert }) => {
			return { range: new vscode.Range(document.positionAt(from), document.positionAt(to)), insert };
		});
	};
	const [only, ...others] = changes;
	const editor = only && others.length === 0 ? editorOf(only.document) : undefined;
	if (editor !== undefined && only !== undefined) {
		return editor.edit(
			(builder) => {
				for (const { range, insert } of ranges(only)) builder.replace(range, insert);
			},
			{ undoStopBefore: true, undoStopAfter: true },
		);
	}
	const edit = new vscode.WorkspaceEdit();
	for (const change of changes) {
		for (const { range, insert } of ranges(change)) edit.replace(change.document.uri, range, insert);
	}
	return vscode.workspace.applyEdit(edit);
}

async function reveal(uri: string, offset: number): Promise<void> {
	const { document, from } = await locate(uri, offset);
	const shown = editorOf(document);
	const isActive = shown !== undefined && shown === vscode.window.activeTextEditor;
	const editor = isActive ? shown : await show(document, shown?.viewColumn);
	const at = document.positionAt(offset - from);
	editor.selection = new vscode.Selection(at, at);
	editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function show(document: vscode.TextDocument, viewColumn = vscode.ViewColumn.Active): Promise<vscode.TextEditor> {
	try {
		return await vscode.window.showTextDocument(document, { viewColumn });
	} catch (error) {
		// VS Code also reports an error after it has gone to a cell that was out of view.
		const editor = editorOf(document);
		if (editor === undefined) throw error;
		return editor;
	}
}

/**
 * Renames a symbol with the language server, or every word in the file that equals its name if no server knows it, for
 * example because the user has already changed the declaration. VS Code shows all changes, and the user selects some.
 */
async function rename(uri: string, offset: number, newName: string): Promise<boolean | "declined"> {
	const { document, from } = await locate(uri, offset);
	const { version } = document;
	const at = document.positionAt(offset - from);
	const word = document.getWordRangeAtPosition(at);
	const name = word && document.getText(word);
	const fromServer = await serverRename(document, at, newName);
	// The position and the server's edits are for the text before the user typed.
	if (document.version !== version) return false;
	const isNamed = ({ path }: vscode.Uri) => name !== undefined && path.split("/").at(-1)?.startsWith(`${name}.`);
	if (fromServer?.entries().some(([file]) => isNamed(file))) {
		// The server may also rename the file. VS Code reveals that neither in `entries` nor in `size`, so apply the edit
		// as it is.
		return vscode.workspace.applyEdit(fromServer, { isRefactoring: true });
	}
	const edit = new vscode.WorkspaceEdit();
	for (const [file, edits] of fromServer?.entries() ?? wordRename(uri, document, name, newName)) {
		for (const { range, newText } of edits) {
			edit.replace(file, range, newText, { needsConfirmation: true, label: `Rename to ${newName}` });
		}
	}
	if (edit.size === 0) return false;
	return (await vscode.workspace.applyEdit(edit, { isRefactoring: true })) || "declined";
}

async function serverRename({ uri }: vscode.TextDocument, at: vscode.Position, newName: string) {
	try {
		const command = "vscode.executeDocumentRenameProvider";
		const found = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(command, uri, at, newName);
		return found?.size === 0 ? undefined : found;
	} catch {
		return undefined; // it cannot rename this
	}
}

function wordRename(
	uri: string,
	document: vscode.TextDocument,
	name: string | undefined,
	newName: string,
): readonly (readonly [vscode.Uri, readonly vscode.TextEdit[]])[] {
	if (name === undefined) return [];
	const documents = sourceAt(uri)?.parts.map((part) => part.document) ?? [document];
	return documents.map((one) => {
		const edits = [...one.getText().matchAll(/[\p{L}\p{N}\p{M}_$]+/gu)].flatMap(({ 0: found, index }) => {
			if (found !== name) return [];
			return new vscode.TextEdit(new vscode.Range(one.positionAt(index), one.positionAt(index + name.length)), newName);
		});
		return [one.uri, edits] as const;
	});
}

/** Returns the document or the cell at an offset, opened if necessary, and where it starts. */
async function locate(
	uri: string,
	offset: number,
): Promise<{ readonly document: vscode.TextDocument; readonly from: number }> {
	const source = sourceAt(uri);
	return (source && sourcePartAt(source, offset)) ?? { document: await open(uri), from: 0 };
}

async function open(uri: string): Promise<vscode.TextDocument> {
	return vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
}
