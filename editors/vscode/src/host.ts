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
import { editorOf, editsByPart, partAt, type Source, sourceAt } from "./source.js";

interface HostActions {
	/** Draws the suggestion. */
	show(shown: DisplayedSuggestion | undefined): void;
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
export function vscodeHost({ show, report, isOff, diagnostics, versionOf, files }: HostActions): Host {
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
		apply: async (edits) => {
			const isCurrent = edits.every(({ uri, version }) => version === undefined || versionOf(uri) === version);
			return isCurrent && apply(edits);
		},
		reveal,
		report,
		diagnostics,
		files: files(workspace),
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
	const source = sourceAt(uri);
	const part = source && partAt(source, offset);
	const document = part?.document ?? (await open(uri));
	const shown = editorOf(document);
	const editor =
		shown !== undefined && shown === vscode.window.activeTextEditor
			? shown
			: await vscode.window.showTextDocument(document, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Active });
	const at = document.positionAt(offset - (part?.from ?? 0));
	editor.selection = new vscode.Selection(at, at);
	editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function open(uri: string): Promise<vscode.TextDocument> {
	return vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
}
