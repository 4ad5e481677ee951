import {
	type DisplayedSuggestion,
	EDITOR_VERSION,
	Editor,
	type EditorOptions,
	type Host,
	type Notice,
	noticeSentence,
} from "@segue/editor";
import { NO_SUGGESTION_TEXTS } from "@segue/predict/no-suggestion";
import { fileNameOf } from "@segue/text";
import type * as monaco from "monaco-editor";
import { AttachedEditor, type MonacoApi } from "./attached-editor.js";
import { GhostText } from "./ghost-text.js";
import { operationsOf } from "./model-changes.js";
import { diagnosticsOf, OpenModels } from "./open-models.js";
import type { KeyOptions } from "./suggestion-actions.js";
import { addStyles } from "./suggestion-theme.js";

export interface MonacoSegueOptions extends KeyOptions {
	/** Connects to an agent: `serverAgent(…)` or `workerAgent(…)`. Called again after the connection is lost. */
	readonly connect: EditorOptions["connect"];
	/** Receives a sentence that explains why there is no suggestion or describes a problem, and the notice behind it. */
	readonly report?: (sentence: string, notice: Notice) => void;
	/** Receives the suggestion when it changes; undefined when there is none. */
	readonly shown?: (suggestion: DisplayedSuggestion | undefined) => void;
	/** The folders that contain the models' files, as URIs without a trailing slash. Default: none. */
	readonly folders?: readonly string[];
	/**
	 * Shows another file in an attached editor, for example by selecting its tab. Default: the editor that was used last
	 * shows the file's model.
	 */
	readonly reveal?: (uri: string) => void | Promise<void>;
	/** Whether a model is private, so that no text of it is sent to the agent. Default: only files with secret names. */
	readonly isPrivate?: (uri: string) => boolean;
}

/** Next-edit suggestions in the Monaco editors of a page. */
export class MonacoSegue implements monaco.IDisposable {
	private readonly models: OpenModels;
	private readonly editors = new Set<AttachedEditor>();
	private readonly ghost: GhostText;
	private readonly segue: Editor;
	private readonly markers: monaco.IDisposable;
	private readonly removeStyles = addStyles();
	/** The editor that was used last. */
	private active: AttachedEditor | undefined;
	private shown: DisplayedSuggestion | undefined;
	/** The reason, reported once, why the active editor shows no suggestions. */
	private obstacle: string | undefined;
	private isDrawing = false;
	private isDisposed = false;

	constructor(
		private readonly monacoApi: MonacoApi,
		private readonly options: MonacoSegueOptions,
	) {
		const { connect } = options;
		this.ghost = new GhostText(monacoApi, () => this.draw());
		const clientInfo = { name: "segue-monaco", version: EDITOR_VERSION };
		this.segue = new Editor({ host: this.host(), connect, clientInfo, kinds: ["jump"] });
		const hasFocus = (model: monaco.editor.ITextModel) => this.active?.model === model && this.active.hasFocus;
		const isPasting = () => this.active?.takePaste() ?? false;
		this.models = new OpenModels(this.segue, {
			hasFocus,
			isPasting,
			report: (notice) => this.report(notice),
			isPrivate: (uri) => options.isPrivate?.(uri) ?? false,
		});
		this.markers = monacoApi.editor.onDidChangeMarkers((uris) => {
			for (const uri of uris) this.segue.didDiagnose(uri.toString());
		});
	}

	/** Shows suggestions in an editor, for each model that it shows. Detaches it when it is disposed. */
	attach(editor: monaco.editor.IStandaloneCodeEditor): monaco.IDisposable {
		const attached = new AttachedEditor(this.monacoApi, editor, this.options, {
			run: (command) => {
				if (command === "accept") void this.segue.tab();
				else if (command === "dismiss") this.segue.reject();
				else if (command === "request") void this.segue.suggest();
				else void this.segue.accept(command === "acceptWord" ? "word" : "line");
			},
			focused: () => this.activate(attached),
			blurred: () => this.ghost.refresh(),
			modelChanged: () => {
				if (attached.model !== undefined) this.models.add(attached.model);
				if (attached === this.active) this.activate(attached);
			},
			moved: () => {
				if (attached !== this.active) return;
				this.explain();
				this.segue.didMove();
				this.drawSoon();
			},
			disposed: () => this.detach(attached),
		});
		this.editors.add(attached);
		if (attached.model !== undefined) this.models.add(attached.model);
		if (this.active === undefined || attached.hasFocus) this.activate(attached);
		return { dispose: () => this.detach(attached) };
	}

	/** Adds a model that no attached editor has shown yet, so that suggestions can use its text and lead to it. */
	add(model: monaco.editor.ITextModel): void {
		this.models.add(model);
	}

	/** The suggestion that is shown, or undefined. */
	get current(): DisplayedSuggestion | undefined {
		return this.segue.current;
	}

	/** Requests a suggestion now, like Alt+\. */
	suggest(): Promise<void> {
		return this.segue.suggest();
	}

	/** Detaches all editors and closes the connection. */
	dispose(): void {
		if (this.isDisposed) return;
		this.isDisposed = true;
		for (const attached of this.editors) attached.dispose();
		this.editors.clear();
		this.markers.dispose();
		this.models.dispose();
		this.ghost.dispose();
		this.removeStyles();
		void this.segue.close();
	}

	private host(): Host {
		const { folders = [], isPrivate, shown } = this.options;
		const named = folders.map((uri) => ({ uri, name: fileNameOf(uri) }));
		return {
			workspace: () => ({ folders: named }),
			view: (uri) => this.editorOf(uri)?.view(),
			show: (suggestion) => {
				this.shown = suggestion;
				this.drawSoon();
				shown?.(suggestion);
			},
			apply: (files) => {
				// All edits must be possible before the first is applied.
				const targets = files.map(({ uri, edits, version }) => {
					const model = this.models.find(uri);
					const editor = this.editorOf(uri);
					const isWritable = model !== undefined && model.getVersionId() === version && !(editor?.isReadOnly ?? false);
					return isWritable ? { model, editor, operations: operationsOf(edits, model) } : undefined;
				});
				if (!targets.every((target) => target !== undefined)) return false;
				return targets.every(({ model, editor, operations }) => {
					if (editor !== undefined) return editor.apply(operations);
					model.pushStackElement();
					model.pushEditOperations([], operations, () => null);
					model.pushStackElement();
					return true;
				});
			},
			reveal: (uri, offset) => this.reveal(uri, offset),
			report: (notice) => this.report(notice),
			ignoreTab: (isIgnored) => {
				for (const editor of this.editors) editor.ignoreTab(isIgnored);
			},
			diagnostics: (uri) => {
				const model = this.models.find(uri);
				return model === undefined ? [] : diagnosticsOf(this.monacoApi, model);
			},
			isPrivate: (uri) => isPrivate?.(uri) ?? false,
		};
	}

	/** Returns the editor that shows a document, preferably the one that was used last. */
	private editorOf(uri: string): AttachedEditor | undefined {
		const model = this.models.find(uri);
		if (model === undefined) return undefined;
		if (this.active?.model === model) return this.active;
		return [...this.editors].find((one) => one.model === model);
	}

	private async reveal(uri: string, offset: number): Promise<void> {
		if (this.editorOf(uri) === undefined) {
			const { reveal } = this.options;
			const model = this.models.find(uri);
			if (reveal !== undefined) await reveal(uri);
			else if (model !== undefined) this.active?.show(model);
		}
		const editor = this.editorOf(uri);
		if (editor === undefined) throw new Error(`no editor shows ${uri}. Attach one, or pass the option \`reveal\``);
		this.activate(editor);
		editor.reveal(offset);
	}

	private activate(attached: AttachedEditor): void {
		if (attached !== this.active) this.obstacle = undefined;
		this.active = attached;
		this.explain();
		if (attached.model !== undefined && this.models.find(attached.model.uri.toString()) !== undefined) {
			this.segue.didFocus(attached.model.uri.toString());
		}
		this.drawSoon();
	}

	/** Reports why the active editor shows no suggestions, if that is due to its state. */
	private explain(): void {
		const obstacle = this.active?.obstacle;
		if (obstacle !== undefined && obstacle !== this.obstacle) this.report({ kind: "no-suggestion", text: obstacle });
		this.obstacle = obstacle;
	}

	private detach(attached: AttachedEditor): void {
		if (!this.editors.delete(attached)) return;
		attached.dispose();
		if (this.active !== attached) return;
		this.active = undefined;
		const [next] = this.editors;
		if (next !== undefined) this.activate(next);
		this.drawSoon();
	}

	/** Draws after the editor has handled the change or movement that caused this. */
	private drawSoon(): void {
		if (this.isDrawing) return;
		this.isDrawing = true;
		queueMicrotask(() => {
			this.isDrawing = false;
			if (!this.isDisposed) this.draw();
		});
	}

	private draw(): void {
		const { active, shown } = this;
		const layout = shown && active?.layoutOf(shown);
		const isGhost = layout?.kind === "ghost" && active?.model !== undefined;
		const wasGhost = this.ghost.isDrawn;
		this.ghost.show(
			isGhost ? { id: shown?.id ?? "", model: active.model, at: layout.at, text: layout.text } : undefined,
		);
		// Monaco keeps ghost text that its provider has withdrawn.
		if (wasGhost && !isGhost) active?.hideGhost();
		for (const editor of this.editors) {
			const isShown = editor === active && (!isGhost || this.ghost.isDrawn);
			editor.draw(shown, isShown ? layout : undefined);
		}
	}

	private report(notice: Notice): void {
		this.options.report?.(noticeSentence(notice, NO_SUGGESTION_TEXTS), notice);
	}
}
