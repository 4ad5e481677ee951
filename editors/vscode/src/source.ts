import { type Edit, isVirtualUri, sameUri } from "@segue/text";
import * as vscode from "vscode";

// The agent gives no suggestions in larger files, so there is no need to send them.
const LENGTH_MAX = 2 ** 22;

/**
 * A text that the library sees as one document: a text document, or the code cells of a notebook in their order, each
 * followed by a line break. The library therefore continues a rename in the next cell, and a notebook is as private as
 * its file. Offsets without further description refer to the whole text.
 */
export interface Source {
	readonly uri: string;
	readonly languageId: string;
	/** The document or the cells, in order. Not empty. */
	readonly parts: readonly SourcePart[];
	readonly length: number;
	readonly isNotebook: boolean;
}

export interface SourcePart {
	readonly document: vscode.TextDocument;
	readonly from: number;
	readonly to: number;
}

/** Returns the source that contains a document. Undefined if the document is not code that the user edits. */
export function sourceContaining(document: vscode.TextDocument): Source | undefined {
	const notebook = notebookOf(document);
	const source = notebook === undefined ? documentSource(document) : notebookSource(notebook);
	return source?.parts.some((part) => part.document === document) ? source : undefined;
}

/** Returns the open source that a URI names. */
export function sourceAt(uri: string): Source | undefined {
	const notebook = vscode.workspace.notebookDocuments.find((one) => sameUri(one.uri.toString(), uri));
	if (notebook !== undefined) return notebookSource(notebook);
	const document = vscode.workspace.textDocuments.find((one) => sameUri(one.uri.toString(), uri));
	return document && documentSource(document);
}

/** Returns the code cells of a notebook in the language of the first one, unless there are none. */
export function notebookSource(notebook: vscode.NotebookDocument): Source | undefined {
	const cells = notebook.getCells().filter(({ kind }) => kind === vscode.NotebookCellKind.Code);
	const languageId = cells[0]?.document.languageId;
	const parts: SourcePart[] = [];
	let from = 0;
	for (const { document } of cells) {
		if (document.languageId !== languageId) continue;
		const to = from + lengthOf(document);
		parts.push({ document, from, to });
		from = to + 1;
	}
	const uri = notebook.uri.toString();
	if (languageId === undefined || from > LENGTH_MAX || !isEdited(uri)) return undefined;
	return { uri, languageId, parts, length: from, isNotebook: true };
}

function documentSource(document: vscode.TextDocument): Source | undefined {
	const uri = document.uri.toString();
	const length = lengthOf(document);
	// A notebook that is also open as text counts once.
	const isOpenAsNotebook = vscode.workspace.notebookDocuments.some((one) => sameUri(one.uri.toString(), uri));
	if (length > LENGTH_MAX || !isEdited(uri) || isOpenAsNotebook) return undefined;
	const { languageId } = document;
	return { uri, languageId, parts: [{ document, from: 0, to: length }], length, isNotebook: false };
}

/** Whether a document is code that the user edits, but too large for suggestions. */
export function isTooLarge(document: vscode.TextDocument): boolean {
	return isEdited(document.uri.toString()) && lengthOf(document) > LENGTH_MAX;
}

/** Whether the user edits what a URI names. Output, diffs of old versions and the like are not edited. */
function isEdited(uri: string): boolean {
	if (!isVirtualUri(uri)) return true;
	return (vscode.workspace.workspaceFolders ?? []).some((folder) => uri.startsWith(`${folder.uri.scheme}:`));
}

/** Returns the notebook that a cell is in. */
export function notebookOf(document: vscode.TextDocument): vscode.NotebookDocument | undefined {
	if (document.uri.scheme !== "vscode-notebook-cell") return undefined;
	return vscode.workspace.notebookDocuments.find((one) => one.getCells().some((cell) => cell.document === document));
}

export function sourceText({ parts, isNotebook }: Source): string {
	return isNotebook
		? parts.map(({ document }) => `${document.getText()}\n`).join("")
		: (parts[0]?.document.getText() ?? "");
}

/** Returns the part that contains a range. Undefined if the range crosses the end of a cell. */
export function sourcePartAt({ parts }: Source, from: number, to = from): SourcePart | undefined {
	return parts.find((part) => part.from <= from && to <= part.to);
}

/** Returns the edits for each part. Undefined if an edit crosses the end of a cell. */
export function editsByPart(source: Source, edits: readonly Edit[]): Map<SourcePart, Edit[]> | undefined {
	const found = new Map<SourcePart, Edit[]>();
	for (const { from, to, insert } of edits) {
		const part = sourcePartAt(source, from, to);
		if (part === undefined) return undefined;
		found.set(part, [...(found.get(part) ?? []), { from: from - part.from, to: to - part.from, insert }]);
	}
	return found;
}

function lengthOf(document: vscode.TextDocument): number {
	return document.offsetAt(document.lineAt(document.lineCount - 1).range.end);
}

/** Returns the editor that shows a document, preferably the active one. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	return [activeTextEditor, ...visibleTextEditors].find((editor) => editor?.document === document);
}

/** Returns a name for the user: the path of a file, and the number of the cell at an offset. */
export function nameAt(uri: string, offset: number): string {
	const name = vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
	const cell = cellAt(uri, offset);
	return cell === undefined ? name : `${name}, ${cell}`;
}

/** Returns the number of the cell at an offset as VS Code counts them, for example "cell 3". */
export function cellAt(uri: string, offset: number): string | undefined {
	const source = sourceAt(uri);
	const document = source && sourcePartAt(source, offset)?.document;
	const cells = document && notebookOf(document)?.getCells();
	return cells && `cell ${cells.findIndex((cell) => cell.document === document) + 1}`;
}
