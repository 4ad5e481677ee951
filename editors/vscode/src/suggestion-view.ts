import { type DisplayedSuggestion, tabIndents } from "@segue/editor";
import * as vscode from "vscode";
import { SuggestionDecorations } from "./decorations.js";
import { drawSuggestion, NOTHING_DRAWN } from "./drawing.js";
import { documentOffReason } from "./settings.js";
import { cellAt, editorOf, nameAt, type SourcePart, sourceAt, sourceContaining, sourcePartAt } from "./source.js";

/** Draws the current suggestion in the active editor and sets the context keys that activate its keys. */
export class TextEditorSuggestion implements vscode.Disposable {
	private readonly decorations: SuggestionDecorations;
	private readonly ghostText = new GhostText();
	private readonly listeners: vscode.Disposable[];
	private readonly contexts = new Map<string, boolean>();
	private shown: DisplayedSuggestion | undefined;

	constructor(extensionUri: vscode.Uri) {
		this.decorations = new SuggestionDecorations(extensionUri);
		const { window } = vscode;
		this.listeners = [
			window.onDidChangeActiveTextEditor(() => this.redraw()),
			window.onDidChangeTextEditorSelection(() => this.redraw()),
			window.onDidChangeTextEditorVisibleRanges(() => this.redraw()),
		];
	}

	show(shown: DisplayedSuggestion | undefined): void {
		this.shown = shown;
		this.redraw();
	}

	/** The suggestion, if it is drawn. */
	get visible(): DisplayedSuggestion | undefined {
		const editor = vscode.window.activeTextEditor;
		if (editor === undefined || editor.selections.length > 1) return undefined;
		// The library still shows the suggestion for the last document that was reported to it.
		const { document } = editor;
		const { shown } = this;
		if (shown === undefined || sourceContaining(document) === undefined || documentOffReason(document) !== undefined) {
			return undefined;
		}
		// Only one cell can be drawn, and the user must see all edits.
		const part = partOf(shown);
		return part !== undefined && inPart(shown, part) === undefined ? undefined : shown;
	}

	/** Activates the key that keeps a surplus Tab from indenting. */
	ignoreTab(isIgnored: boolean): void {
		this.setContext("segue.tabIgnored", isIgnored);
	}

	private redraw(): void {
		const active = vscode.window.activeTextEditor;
		const shown = this.visible;
		if (shown === undefined || active === undefined) {
			this.ghostText.show(undefined, undefined);
			this.decorations.draw(undefined, NOTHING_DRAWN, undefined);
			this.setContexts(undefined, false, undefined);
			return;
		}
		const part = partOf(shown);
		// A suggestion for another cell that is in view is drawn there.
		const editor = (shown.as !== "chip" && part && editorOf(part.document)) || active;
		const { document } = editor;
		const own = part?.document === document ? inPart(shown, part) : undefined;
		const isSameSource = sourceContaining(document)?.uri === shown.uri;
		const drawsGhosts = GhostText.isEnabledIn(document);
		this.ghostText.show(drawsGhosts ? own : undefined, document);
		const drawing = drawSuggestion(own ?? shown, {
			document,
			isTarget: own !== undefined,
			cursorLine: editor.selection.active.line,
			tabSize: Number(editor.options.tabSize) || 4,
			visible: visibleLines(editor),
			drawsGhosts,
			fileName: (isSameSource && cellAt(shown.uri, shown.place)) || nameAt(shown.uri, shown.place),
		});
		this.decorations.draw(editor, drawing, shown.why);
		this.setContexts(shown, drawsGhosts, active);
	}

	/** Whether VS Code shows the suggestion decides which keys apply, because its own keys accept ghost text. */
	private setContexts(
		shown: DisplayedSuggestion | undefined,
		drawsGhosts: boolean,
		editor: vscode.TextEditor | undefined,
	): void {
		const isGhost = shown?.as === "ghost";
		this.setContext("segue.suggestionShown", shown !== undefined && !(isGhost && drawsGhosts));
		this.setContext("segue.ghostShown", isGhost && drawsGhosts);
		this.setContext("segue.ghostDrawn", isGhost && !drawsGhosts);
		this.setContext("segue.tabIndents", shown !== undefined && editor !== undefined && isTabIndenting(editor, shown));
	}

	private setContext(key: string, isSet: boolean): void {
		if ((this.contexts.get(key) ?? false) === isSet) return;
		this.contexts.set(key, isSet);
		void vscode.commands.executeCommand("setContext", key, isSet);
	}

	dispose(): void {
		this.show(undefined);
		for (const part of [...this.listeners, this.decorations, this.ghostText]) part.dispose();
	}
}

/** The command that VS Code runs after its own key has accepted ghost text. */
export const GHOST_ACCEPTED = "segue.ghostAccepted";

/** Offers the suggestion to VS Code as ghost text, if it only inserts at the cursor. */
class GhostText implements vscode.InlineCompletionItemProvider, vscode.Disposable {
	/** Exists only while there is ghost text, because VS Code asks a provider after each key. */
	private registration: vscode.Disposable | undefined;
	private shown: DisplayedSuggestion | undefined;
	private document: vscode.TextDocument | undefined;

	/** Whether VS Code shows ghost text at all. Otherwise the plugin draws it. */
	static isEnabledIn(document: vscode.TextDocument): boolean {
		return vscode.workspace.getConfiguration("editor", document).get("inlineSuggest.enabled", true);
	}

	/** Shows a suggestion as ghost text. Its offsets refer to the document. */
	show(shown: DisplayedSuggestion | undefined, document: vscode.TextDocument | undefined): void {
		const before = this.shown;
		this.shown = shown;
		this.document = document;
		if (shown?.as === "ghost") {
			this.registration ??= vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, this);
		} else this.dispose();
		// VS Code asks after every keystroke, but the agent answers later.
		const isNew = shown?.as === "ghost" && (before?.as !== "ghost" || before.id !== shown.id);
		if (isNew) void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
		else if (shown?.as !== "ghost" && before?.as === "ghost") {
			void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
		}
	}

	provideInlineCompletionItems(
		document: vscode.TextDocument,
		position: vscode.Position,
	): vscode.InlineCompletionItem[] | undefined {
		const { shown } = this;
		if (shown?.kind !== "edit" || shown.as !== "ghost" || document !== this.document) return undefined;
		const [edit] = shown.edits;
		if (edit === undefined || edit.to !== document.offsetAt(position)) return undefined;
		const accepted = { command: GHOST_ACCEPTED, title: "" };
		return [new vscode.InlineCompletionItem(edit.insert, new vscode.Range(position, position), accepted)];
	}

	dispose(): void {
		this.registration?.dispose();
		this.registration = undefined;
	}
}

/** Whether Tab indents in an editor instead of accepting the suggestion. */
function isTabIndenting({ document, selection }: vscode.TextEditor, shown: DisplayedSuggestion): boolean {
	const uri = document.uri.toString();
	const part = partOf(shown);
	// In a notebook, the suggestion's place is an offset in the text of all cells.
	const own = part?.document === document ? { ...shown, uri, place: shown.place - part.from } : shown;
	const view = { anchor: document.offsetAt(selection.anchor), head: document.offsetAt(selection.active) };
	return tabIndents(own, uri, view, {
		lineAt: (offset) => {
			const { range } = document.lineAt(document.positionAt(offset).line);
			return { from: document.offsetAt(range.start), to: document.offsetAt(range.end) };
		},
		slice: (from, to) => document.getText(new vscode.Range(document.positionAt(from), document.positionAt(to))),
	});
}

/** Returns the document or the cell in which a suggestion starts, if it is open. */
export function partOf({ uri, place }: DisplayedSuggestion): SourcePart | undefined {
	const source = sourceAt(uri);
	return source && sourcePartAt(source, place);
}

/** Returns a suggestion as offsets in a document or a cell. Undefined if it also changes other cells. */
export function inPart(shown: DisplayedSuggestion, { from, to }: SourcePart): DisplayedSuggestion | undefined {
	const place = shown.place - from;
	if (shown.kind !== "edit") return { ...shown, place };
	if (shown.edits.some((edit) => edit.from < from || to < edit.to)) return undefined;
	const edits = shown.edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }));
	return { ...shown, place, edits };
}

/** Returns the visible lines. Sticky scroll may cover the first ones. */
function visibleLines({ document, visibleRanges }: vscode.TextEditor): { first: number; last: number }[] {
	const sticky = vscode.workspace.getConfiguration("editor.stickyScroll", document);
	const covered = sticky.get("enabled", true) ? sticky.get("maxLineCount", 5) : 0;
	const top = visibleRanges[0]?.start.line ?? 0;
	return visibleRanges.map(({ start, end }, i) => {
		const first = top > 0 && i === 0 ? Math.min(start.line + covered, end.line) : start.line;
		// The last line in the window may be cut off. Folded code follows the other ranges.
		const isCut = i === visibleRanges.length - 1 && end.line < document.lineCount - 1;
		return { first, last: Math.max(first, isCut ? end.line - 1 : end.line) };
	});
}
