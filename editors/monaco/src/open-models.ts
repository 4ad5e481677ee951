import { type DocumentDiagnostic, type Editor, type Notice, PAGE_TEXT_MAX } from "@segue/editor";
import { uriKey } from "@segue/text";
import type * as monaco from "monaco-editor";
import { changeOf, modelChangeCauseOf } from "./model-changes.js";

interface ModelActions {
	/** Whether the user types in an editor that shows the model. */
	readonly hasFocus: (model: monaco.editor.ITextModel) => boolean;
	/** Whether the change that is being reported is a paste. */
	readonly isPasting: () => boolean;
	readonly report: (notice: Notice) => void;
	/** Whether the page keeps a model from the agent. */
	readonly isPrivate: (uri: string) => boolean;
}

interface OpenModel {
	readonly model: monaco.editor.ITextModel;
	/** The length of the text that the agent knows. */
	length: number;
	dispose(): void;
}

/** The models whose text and changes are reported to the editor library, until they are disposed. */
export class OpenModels {
	private readonly open = new Map<string, OpenModel>();

	constructor(
		private readonly segue: Pick<Editor, "didOpen" | "didChange" | "didClose">,
		private readonly actions: ModelActions,
	) {}

	/** Returns the open model with a URI. */
	find(uri: string): monaco.editor.ITextModel | undefined {
		return this.open.get(uriKey(uri))?.model;
	}

	add(model: monaco.editor.ITextModel): void {
		const key = keyOf(model);
		if (this.open.get(key)?.model === model || this.actions.isPrivate(model.uri.toString())) return;
		if (model.getValueLength() > PAGE_TEXT_MAX) {
			this.actions.report({ kind: "no-suggestion", text: "too-large-file" });
			return;
		}
		const listeners = [
			model.onDidChangeContent((event) => this.changed(model, event)),
			model.onDidChangeLanguage(() => this.didOpen(model)),
			model.onWillDispose(() => this.close(key)),
		];
		const dispose = () => {
			for (const listener of listeners) listener.dispose();
		};
		this.open.set(key, { model, length: 0, dispose });
		this.didOpen(model);
	}

	dispose(): void {
		for (const { dispose } of this.open.values()) dispose();
		this.open.clear();
	}

	private close(key: string): void {
		const opened = this.open.get(key);
		if (opened === undefined) return;
		opened.dispose();
		this.open.delete(key);
		this.segue.didClose(opened.model.uri.toString());
	}

	private didOpen(model: monaco.editor.ITextModel): void {
		const opened = this.open.get(keyOf(model));
		if (opened === undefined) return;
		const text = model.getValue();
		opened.length = text.length;
		const uri = model.uri.toString();
		this.segue.didOpen({ uri, languageId: model.getLanguageId(), version: model.getVersionId(), text });
	}

	private changed(model: monaco.editor.ITextModel, event: monaco.editor.IModelContentChangedEvent): void {
		const opened = this.open.get(keyOf(model));
		if (opened === undefined) return;
		const { changes, versionId, isFlush, isEolChange } = event;
		const cause = modelChangeCauseOf(event, {
			isPasting: this.actions.isPasting(),
			hasFocus: this.actions.hasFocus(model),
		});
		// A replaced text or another line end is a new document.
		if (isFlush || isEolChange) {
			this.didOpen(model);
			return;
		}
		const change = changeOf(changes, opened.length);
		opened.length = change.lengthAfter;
		this.segue.didChange(model.uri.toString(), versionId, change.edits, cause);
	}
}

function keyOf(model: monaco.editor.ITextModel): string {
	return uriKey(model.uri.toString());
}

/** Returns the markers of a model as diagnostics. */
export function diagnosticsOf(
	{ editor, MarkerSeverity }: Pick<typeof monaco, "editor" | "MarkerSeverity">,
	model: monaco.editor.ITextModel,
): DocumentDiagnostic[] {
	const severities = new Map<monaco.MarkerSeverity, DocumentDiagnostic["severity"]>([
		[MarkerSeverity.Error, "error"],
		[MarkerSeverity.Warning, "warning"],
		[MarkerSeverity.Info, "information"],
		[MarkerSeverity.Hint, "hint"],
	]);
	return editor.getModelMarkers({ resource: model.uri }).map((marker) => ({
		from: model.getOffsetAt({ lineNumber: marker.startLineNumber, column: marker.startColumn }),
		to: model.getOffsetAt({ lineNumber: marker.endLineNumber, column: marker.endColumn }),
		severity: severities.get(marker.severity) ?? "information",
		message: marker.message,
	}));
}
