import type {
	DisplayedSuggestion,
	DocumentDiagnostic,
	EditorWorkspace,
	FileEdits,
	Files,
	Host,
	Notice,
} from "@segue/editor";
import * as vscode from "vscode";
import { documentAt, editorOf, viewOfTextEditor } from "./documents.js";

interface HostActions {
	/** Draws the suggestion. */
	show(shown: DisplayedSuggestion | undefined): void;
	/** Shows the reason why there is no suggestion, or a problem. */
	report(note: Notice): void;
	/** Whether a setting turns suggestions off in a document. */
	isOff(document: vscode.TextDocument): boolean;
	diagnostics(uri: string): readonly DocumentDiagnostic[];
	/** Gives access to the files of a workspace. */
	files(workspace: () => EditorWorkspace): Files;
}

/** Connects VS Code to the library. */
export function vscodeHost({ show, report, isOff, diagnostics, files }: HostActions): Host {
	const workspace = () => ({
		folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => {
			return { uri: uri.toString().replace(/\/$/, ""), name };
		}),
	});
	return {
		workspace,
		view: (uri) => {
			const editor = editorOf(uri);
			// Without a view there are no suggestions. An edit at one of several cursors would surprise users.
			if (editor === undefined || editor.selections.length > 1 || isOff(editor.document)) return undefined;
			return viewOfTextEditor(editor);
		},
		show,
		apply,
		reveal,
		report,
		diagnostics,
		files: files(workspace),
	};
}

/** Applies edits as one undoable step. */
async function apply(files: readonly FileEdits[]): Promise<boolean> {
	const [only] = files;
	const editor = files.length === 1 && only !== undefined ? editorOf(only.uri) : undefined;
	const isCurrent = files.every(({ uri, version }) => {
		return version === undefined || documentAt(uri)?.version === version;
	});
	if (!isCurrent) return false;
	if (editor !== undefined && only !== undefined) {
		const { document } = editor;
		return editor.edit(
			(builder) => {
				for (const { range, insert } of rangesIn(document, only)) builder.replace(range, insert);
			},
			{ undoStopBefore: true, undoStopAfter: true },
		);
	}
	const edit = new vscode.WorkspaceEdit();
	for (const file of files) {
		const uri = vscode.Uri.parse(file.uri, true);
		const document = await vscode.workspace.openTextDocument(uri);
		if (file.version !== undefined && document.version !== file.version) return false;
		for (const { range, insert } of rangesIn(document, file)) edit.replace(uri, range, insert);
	}
	return vscode.workspace.applyEdit(edit);
}

function rangesIn(document: vscode.TextDocument, { edits }: FileEdits): { range: vscode.Range; insert: string }[] {
	return edits.map(({ from, to, insert }) => {
		return { range: new vscode.Range(document.positionAt(from), document.positionAt(to)), insert };
	});
}

async function reveal(uri: string, offset: number): Promise<void> {
	const open = editorOf(uri);
	const editor =
		open === vscode.window.activeTextEditor && open !== undefined
			? open
			: await vscode.window.showTextDocument(await documentFor(uri), {
					viewColumn: open?.viewColumn ?? vscode.ViewColumn.Active,
				});
	const at = editor.document.positionAt(offset);
	editor.selection = new vscode.Selection(at, at);
	editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function documentFor(uri: string): Promise<vscode.TextDocument> {
	return documentAt(uri) ?? (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true)));
}
