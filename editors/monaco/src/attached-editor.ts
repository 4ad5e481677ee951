import { type DisplayedSuggestion, type DocumentView, type LineSource, tabIndents } from "@segue/editor";
import type * as monaco from "monaco-editor";
import { acceptKeyName, type KeyOptions, SuggestionActions, type SuggestionCommand } from "./suggestion-actions.js";
import { layoutOf, type SuggestionLayout } from "./suggestion-layout.js";
import { SuggestionView } from "./suggestion-view.js";
import { viewOfEditor } from "./viewport.js";

/** The parts of the module `monaco-editor` that the plugin uses. */
export type MonacoApi = Pick<
	typeof monaco,
	"Emitter" | "KeyCode" | "KeyMod" | "MarkerSeverity" | "Uri" | "editor" | "languages"
>;

interface EditorListener {
	readonly run: (command: SuggestionCommand) => void;
	readonly focused: () => void;
	readonly blurred: () => void;
	readonly modelChanged: () => void;
	/** Called when the selection or the visible part of the text has changed. */
	readonly moved: () => void;
	readonly disposed: () => void;
}

/** A Monaco editor with suggestions. */
export class AttachedEditor {
	private readonly drawing: SuggestionView;
	private readonly actions: SuggestionActions;
	private readonly listeners: readonly monaco.IDisposable[];
	private readonly status = document.createElement("div");
	private readonly ending = new AbortController();
	private isPasting = false;
	private readonly acceptsWithTab: boolean;
	/** The keys, for screen readers. */
	private readonly help: string;

	constructor(
		private readonly monacoApi: MonacoApi,
		private readonly editor: monaco.editor.IStandaloneCodeEditor,
		keys: KeyOptions,
		listener: EditorListener,
	) {
		const acceptKey = acceptKeyName(monacoApi, keys.keys);
		this.acceptsWithTab = acceptKey === "Tab";
		this.help = [
			...(acceptKey === "" ? [] : [`Press ${acceptKey} to accept it or go there.`]),
			...(keys.keys?.dismiss === undefined ? ["Press Escape to dismiss it."] : []),
		].join(" ");
		this.drawing = new SuggestionView(monacoApi, editor, acceptKey, () => listener.run("accept"));
		this.actions = new SuggestionActions(monacoApi, editor, keys, listener.run);
		this.status.className = "segue-status";
		this.status.role = "status";
		editor.getContainerDomNode().append(this.status);
		const { signal } = this.ending;
		const node = editor.getContainerDomNode();
		// Monaco reports a paste only after its change.
		node.addEventListener("paste", () => this.setPasting(true), { capture: true, signal });
		node.addEventListener("keydown", () => this.setPasting(false), { capture: true, signal });
		this.listeners = [
			editor.onDidFocusEditorText(listener.focused),
			editor.onDidBlurEditorText(listener.blurred),
			editor.onDidChangeModel(() => {
				this.drawing.clear();
				listener.modelChanged();
			}),
			editor.onDidChangeCursorSelection(listener.moved),
			editor.onDidScrollChange(listener.moved),
			editor.onDidLayoutChange(listener.moved),
			editor.onDidChangeHiddenAreas(listener.moved),
			editor.onDidChangeConfiguration(listener.moved),
			editor.onDidDispose(listener.disposed),
		];
	}

	get model(): monaco.editor.ITextModel | undefined {
		return this.editor.getModel() ?? undefined;
	}

	get hasFocus(): boolean {
		return this.editor.hasTextFocus();
	}

	get isReadOnly(): boolean {
		return this.editor.getOption(this.monacoApi.editor.EditorOption.readOnly);
	}

	/** Returns the cursor and the visible part. Undefined if no suggestion can be shown, so that none is requested. */
	view(): DocumentView | undefined {
		const { model } = this;
		if (model === undefined || this.obstacle !== undefined) return undefined;
		return viewOfEditor(this.monacoApi, this.editor, model);
	}

	/** Whether the change being reported is a paste. Later changes are not. */
	takePaste(): boolean {
		const { isPasting } = this;
		this.isPasting = false;
		return isPasting;
	}

	/** Applies operations as one undoable step. Returns false in a read-only editor. */
	apply(operations: monaco.editor.IIdentifiedSingleEditOperation[]): boolean {
		this.editor.pushUndoStop();
		const isApplied = this.editor.executeEdits("segue", operations);
		this.editor.pushUndoStop();
		return isApplied;
	}

	show(model: monaco.editor.ITextModel): void {
		this.editor.setModel(model);
	}

	/** Moves the cursor to an offset, and scrolls and unfolds as necessary. */
	reveal(offset: number): void {
		const position = this.model?.getPositionAt(offset);
		if (position === undefined) return;
		this.editor.setPosition(position);
		this.editor.revealPositionInCenterIfOutsideViewport(position);
		this.editor.focus();
	}

	/** The reason why no suggestion can be shown here, if any. */
	get obstacle(): "read-only" | "several-cursors" | undefined {
		if (this.isReadOnly) return "read-only";
		return (this.editor.getSelections()?.length ?? 0) > 1 ? "several-cursors" : undefined;
	}

	/** Returns how to draw a suggestion here. */
	layoutOf(shown: DisplayedSuggestion): SuggestionLayout | undefined {
		const { model } = this;
		const view = this.view();
		if (model === undefined || view === undefined) return undefined;
		return layoutOf(shown, model.uri.toString(), linesOf(model), view);
	}

	/** Replaces what is drawn. */
	draw(shown: DisplayedSuggestion | undefined, layout: SuggestionLayout | undefined): void {
		const { model } = this;
		if (model === undefined) return;
		// Measuring the view on every key would slow typing down.
		const view = layout && this.view();
		const indents =
			this.acceptsWithTab &&
			shown !== undefined &&
			view !== undefined &&
			tabIndents(shown, model.uri.toString(), view, linesOf(model));
		this.drawing.draw(layout, model);
		this.actions.update({
			shown: layout === undefined ? "" : layout.kind === "ghost" ? "ghost" : "drawn",
			tabIndents: indents,
		});
		this.editor.getContainerDomNode().classList.toggle("segue-badges-hidden", indents);
		// Monaco announces ghost text itself.
		const isSilent = layout === undefined || layout.kind === "ghost";
		const status = isSilent ? "" : `${shown?.why ?? "Suggestion"}. ${this.help}`;
		if (this.status.textContent !== status) this.status.textContent = status;
	}

	/** Keeps a surplus Tab from indenting. */
	ignoreTab(isIgnored: boolean): void {
		this.actions.ignoreTab(isIgnored);
	}

	hideGhost(): void {
		this.editor.trigger("segue", "editor.action.inlineSuggest.hide", undefined);
	}

	dispose(): void {
		this.ending.abort();
		for (const listener of this.listeners) listener.dispose();
		this.drawing.clear();
		this.actions.dispose();
		this.status.remove();
	}

	private setPasting(isPasting: boolean): void {
		this.isPasting = isPasting;
	}
}

function linesOf(model: monaco.editor.ITextModel): LineSource {
	return {
		lineAt: (offset) => {
			const { lineNumber } = model.getPositionAt(offset);
			const from = model.getOffsetAt({ lineNumber, column: 1 });
			return { from, to: from + model.getLineLength(lineNumber) };
		},
		slice: (from, to) => {
			const [start, end] = [model.getPositionAt(from), model.getPositionAt(to)];
			return model.getValueInRange({
				...{ startLineNumber: start.lineNumber, startColumn: start.column },
				...{ endLineNumber: end.lineNumber, endColumn: end.column },
			});
		},
	};
}
