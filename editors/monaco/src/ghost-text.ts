import type * as monaco from "monaco-editor";

/** New text at the cursor, for Monaco to draw as ghost text. */
export interface Ghost {
	/** The suggestion's id. */
	readonly id: string;
	readonly model: monaco.editor.ITextModel;
	readonly at: number;
	readonly text: string;
}

type GhostItem = monaco.languages.InlineCompletion & { readonly ghostId: string };

/** Provides the current suggestion to Monaco as an inline completion, and follows whether Monaco draws it. */
export class GhostText {
	private ghost: Ghost | undefined;
	private drawnId: string | undefined;
	private readonly changed: monaco.Emitter<void>;
	private readonly registration: monaco.IDisposable;

	/** `drawn` is called when Monaco starts or stops drawing the ghost text. */
	constructor(
		{ Emitter, languages }: Pick<typeof monaco, "Emitter" | "languages">,
		private readonly drawn: () => void,
	) {
		this.changed = new Emitter<void>();
		this.registration = languages.registerInlineCompletionsProvider("*", {
			provideInlineCompletions: (model, position) => ({ items: this.itemsAt(model, position) }),
			handleItemDidShow: (_completions, { ghostId }: GhostItem) => this.draws(ghostId),
			disposeInlineCompletions: () => {},
			onDidChangeInlineCompletions: this.changed.event,
			displayName: "Segue",
			debounceDelayMs: 0,
		});
	}

	/** Whether Monaco draws the current suggestion. It does not while another provider's is shown. */
	get isDrawn(): boolean {
		return this.ghost !== undefined && this.drawnId === this.ghost.id;
	}

	/** Replaces the ghost text. Undefined removes it. */
	show(ghost: Ghost | undefined): void {
		const { ghost: before } = this;
		if (before?.id === ghost?.id && before?.at === ghost?.at && before?.text === ghost?.text) return;
		this.ghost = ghost;
		if (ghost?.id !== this.drawnId) this.drawnId = undefined;
		this.changed.fire();
	}

	/** Asks Monaco to draw the ghost text again, which it removes when an editor loses the focus. */
	refresh(): void {
		this.drawnId = undefined;
		if (this.ghost !== undefined) this.changed.fire();
	}

	dispose(): void {
		this.registration.dispose();
		this.changed.dispose();
	}

	private draws(id: string): void {
		if (id !== this.ghost?.id || id === this.drawnId) return;
		this.drawnId = id;
		this.drawn();
	}

	private itemsAt(model: monaco.editor.ITextModel, position: monaco.Position): GhostItem[] {
		const { ghost } = this;
		if (ghost === undefined || model !== ghost.model || model.getOffsetAt(position) !== ghost.at) return [];
		const { lineNumber, column } = position;
		const range = { startLineNumber: lineNumber, startColumn: column, endLineNumber: lineNumber, endColumn: column };
		return [{ ghostId: ghost.id, insertText: ghost.text, range }];
	}
}
