import type { Extension, Text } from "@codemirror/state";
import { EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import {
	type DisplayedSuggestion,
	type DocumentDiagnostic,
	type DocumentView,
	EDITOR_VERSION,
	Editor,
	type EditorOptions,
	type FileEdits,
	type Host,
	type Notice,
	noticeSentence,
	PAGE_TEXT_MAX,
} from "@segue/editor";
import { NO_SUGGESTION_TEXTS } from "@segue/predict/no-suggestion";
import { fileNameOf, Text as Rope, trim } from "@segue/text";
import {
	changeCauseOf,
	changesOf,
	isReadOnly,
	takesSuggestions,
	transactionEdits,
	whyNoSuggestions,
} from "./changes.js";
import { suggestionChip } from "./suggestion-chip.js";
import { showSuggestion, suggestionDrawing } from "./suggestion-drawing.js";
import { type SuggestionKeys, suggestionKeys } from "./suggestion-keys.js";
import { suggestionTheme } from "./suggestion-theme.js";
import { scrollToOffset, ViewportTracker } from "./viewport.js";

export interface SegueConfig {
	/** Connects to an agent: `serverAgent(…)` or `workerAgent(…)`. */
	readonly connect: EditorOptions["connect"];
	/** Receives a sentence that explains why there is no suggestion or describes a problem, and the notice behind it. */
	readonly report: (sentence: string, notice: Notice) => void;
	/** Receives the suggestion in the active view; undefined when there is none. */
	readonly shown?: (suggestion: DisplayedSuggestion | undefined) => void;
	/** The folders that contain the files, as URIs without a trailing slash. Default: none. */
	readonly folders?: readonly string[];
	readonly keys?: SuggestionKeys;
	/** Whether the keys apply even if the completion list is open or a snippet has fields left. Default: false. */
	readonly keysFirst?: boolean;
	/** Brings a file to the front before the cursor moves there, on a page with tabs. */
	readonly reveal?: (uri: string) => void;
	/** Returns the errors and warnings in a file. After they change, call `editor.didDiagnose(uri)`. */
	readonly diagnostics?: (uri: string) => readonly DocumentDiagnostic[];
}

/** The file that a view shows. An untitled document has a URI with the scheme `untitled:`. */
export interface SegueFile {
	readonly uri: string;
	/** As in the Language Server Protocol, for example `typescript` or `python`. */
	readonly languageId: string;
}

/**
 * Next-edit suggestions for any number of CodeMirror views. Several views can show one document; the page keeps their
 * text the same. Suggestions are shown in the view that was last focused.
 */
export class Segue {
	/** For commands and events beyond those of the views, for example `suggest`, `didSave` and `didDiagnose`. */
	readonly editor: Editor;
	/** By uri. */
	private readonly files = new Map<string, OpenFile>();
	private active: ConnectedView | undefined;

	constructor(private readonly options: SegueConfig) {
		this.editor = new Editor({
			host: this.host(),
			connect: options.connect,
			clientInfo: { name: "segue-codemirror", version: EDITOR_VERSION },
		});
	}

	/** Returns the extension that connects a view: drawing, keys, theme and events. */
	extension(file: SegueFile): Extension {
		const { keys, keysFirst = false } = this.options;
		const connection = ViewPlugin.define((view) => new ConnectedView(view, file, this.views), {
			eventObservers: {
				scroll() {
					this.scrolled();
				},
			},
		});
		return [
			suggestionKeys(() => this.editor, keys, { isFirst: keysFirst }),
			suggestionDrawing({
				uri: file.uri,
				accept: () => void this.editor.tab(),
				...(keys?.accept !== undefined && { acceptKey: keys.accept }),
			}),
			suggestionChip,
			suggestionTheme,
			connection,
			EditorView.updateListener.of((update) => update.view.plugin(connection)?.updated(update)),
		];
	}

	/** Removes the suggestion and disconnects from the agent. The views stay usable. */
	async close(): Promise<void> {
		await this.editor.close();
	}

	private readonly views: ViewEvents = {
		opened: (view) => {
			const { uri, languageId } = view.file;
			const { doc } = view.view.state;
			const file = this.files.get(uri);
			if (file !== undefined) {
				file.views.push(view);
				this.sync(uri, file, doc);
			} else if (doc.length <= PAGE_TEXT_MAX) {
				this.files.set(uri, { languageId, version: 1, doc, views: [view] });
				this.editor.didOpen({ uri, languageId, version: 1, text: doc.toString() });
			}
			if (this.active === undefined || view.view.hasFocus) this.activate(view);
		},
		closed: (view) => {
			const { uri } = view.file;
			const file = this.files.get(uri);
			if (file !== undefined) file.views = file.views.filter((each) => each !== view);
			if (file?.views.length === 0) {
				this.files.delete(uri);
				this.editor.didClose(uri);
			}
			if (this.active !== view) return;
			this.active = undefined;
			const next = file?.views[0];
			if (next !== undefined) this.activate(next);
		},
		updated: (view, update) => {
			if (view.view.hasFocus) this.activate(view);
			const file = this.files.get(view.file.uri);
			if (file === undefined) return;
			if (update.docChanged) this.changed(view.file.uri, file, update);
			if (view !== this.active) return;
			const { startState, state, selectionSet, viewportChanged, geometryChanged } = update;
			if (takesSuggestions(startState) && !takesSuggestions(state)) this.explain(view);
			if (selectionSet || viewportChanged || geometryChanged) this.editor.didMove();
		},
		moved: (view) => {
			if (view === this.active) this.editor.didMove();
		},
	};

	private activate(view: ConnectedView): void {
		const before = this.active;
		if (before === view) return;
		this.active = view;
		before?.draw(undefined);
		if (this.files.has(view.file.uri)) this.editor.didFocus(view.file.uri);
		view.draw(this.editor.current);
		this.explain(view);
	}

	private explain({ view }: ConnectedView): void {
		const reason = whyNoSuggestions(view.state);
		if (reason !== undefined) this.report({ kind: "no-suggestion", text: reason });
	}

	private report(notice: Notice): void {
		this.options.report(noticeSentence(notice, NO_SUGGESTION_TEXTS), notice);
	}

	/** Reports the changes in a view, unless another view of the document has made them before. */
	private changed(uri: string, file: OpenFile, { transactions, startState, state }: ViewUpdate): void {
		if (!startState.doc.eq(file.doc)) {
			this.sync(uri, file, state.doc);
			return;
		}
		for (const transaction of transactions) {
			if (!transaction.docChanged) continue;
			file.doc = transaction.newDoc;
			this.editor.didChange(uri, ++file.version, transactionEdits(transaction), changeCauseOf(transaction));
		}
	}

	/** Takes the text of a view whose document is not the last known one. */
	private sync(uri: string, file: OpenFile, doc: Text): void {
		if (doc.eq(file.doc)) return;
		const before = file.doc.toString();
		const edit = trim({ from: 0, to: before.length, insert: doc.toString() }, Rope.of(before));
		file.doc = doc;
		this.editor.didChange(uri, ++file.version, [edit], "other");
	}

	private host(): Host {
		const { options, files } = this;
		const { folders = [], diagnostics } = options;
		return {
			workspace: () => ({ folders: folders.map((uri) => ({ uri, name: fileNameOf(uri) })) }),
			view: (uri) => (this.active?.file.uri === uri ? this.active.documentView() : undefined),
			show: (shown) => {
				this.active?.draw(shown);
				options.shown?.(shown);
			},
			apply: (changes) => this.apply(changes),
			reveal: (uri, offset) => {
				const view = this.viewFor(uri);
				if (view === undefined) return;
				options.reveal?.(uri);
				view.reveal(offset);
				this.activate(view);
			},
			report: (notice) => this.report(notice),
			// The page connects only files that the agent may see.
			isPrivate: () => false,
			...(diagnostics && { diagnostics }),
			state: {
				open: () => [...files].map(([uri, { languageId }]) => ({ uri, languageId })),
				active: () => (this.active && files.has(this.active.file.uri) ? this.active.file : undefined),
			},
		};
	}

	/** Applies edits to several files, each in one undoable step. Returns false without changing anything if one does not fit. */
	private apply(changes: readonly FileEdits[]): boolean {
		const targets = changes.flatMap(({ uri, version, edits }) => {
			const file = this.files.get(uri);
			const view = file?.version === version || version === undefined ? this.viewFor(uri, "writable") : undefined;
			// A page may show two views of a document before it has made their text the same.
			return view === undefined || !view.view.state.doc.eq(file?.doc ?? view.view.state.doc) ? [] : [{ view, edits }];
		});
		if (targets.length < changes.length) return false;
		for (const { view, edits } of targets) view.view.dispatch(changesOf(edits));
		return true;
	}

	/** Returns the view of a file that was last active, or else any. */
	private viewFor(uri: string, which: "any" | "writable" = "any"): ConnectedView | undefined {
		const views = this.files.get(uri)?.views ?? [];
		const fit = views.filter(({ view }) => which === "any" || !isReadOnly(view.state));
		return fit.find((view) => view === this.active) ?? fit[0];
	}
}

/** A document, and the views that show it. */
interface OpenFile {
	readonly languageId: string;
	version: number;
	/** The text that the agent has been sent. */
	doc: Text;
	views: ConnectedView[];
}

interface ViewEvents {
	opened(view: ConnectedView): void;
	closed(view: ConnectedView): void;
	updated(view: ConnectedView, update: ViewUpdate): void;
	/** The visible part of the file has changed. */
	moved(view: ConnectedView): void;
}

/** One view from its creation until its state is replaced or it is destroyed. */
class ConnectedView {
	private readonly viewport: ViewportTracker;
	private status: "new" | "open" | "closed" = "new";
	/** The id of the suggestion that was announced last. */
	private announced: string | undefined;

	constructor(
		readonly view: EditorView,
		readonly file: SegueFile,
		private readonly events: ViewEvents,
	) {
		this.viewport = new ViewportTracker(view, () => events.moved(this));
		addEventListener("scroll", this.scrolledAround, { capture: true, passive: true });
		// Opening can draw a suggestion, which is not possible while the view is being created.
		queueMicrotask(() => {
			if (this.status === "closed") return;
			this.status = "open";
			events.opened(this);
		});
	}

	destroy(): void {
		removeEventListener("scroll", this.scrolledAround, { capture: true });
		const wasOpen = this.status === "open";
		this.status = "closed";
		if (wasOpen) queueMicrotask(() => this.events.closed(this));
	}

	updated(update: ViewUpdate): void {
		this.viewport.update(update);
		if (this.status === "open") this.events.updated(this, update);
	}

	/** Returns the cursor and the visible part; undefined if no suggestion can be shown. */
	documentView(): DocumentView | undefined {
		if (this.status !== "open" || !takesSuggestions(this.view.state)) return undefined;
		const { anchor, head } = this.view.state.selection.main;
		return { anchor, head, ...this.viewport.current };
	}

	/** Draws a suggestion, and announces a new one to screen readers. */
	draw(shown: DisplayedSuggestion | undefined): void {
		if (this.status !== "open") return;
		const { state } = this.view;
		const isNew = shown !== undefined && shown.id !== this.announced && takesSuggestions(state);
		this.announced = shown?.id;
		const why = isNew && `${state.phrase("Suggestion")}: ${shown.why ?? ""}`;
		this.view.dispatch({ effects: [showSuggestion.of(shown), ...(why ? [EditorView.announce.of(why)] : [])] });
	}

	/** Moves the cursor to an offset, and unfolds code there. */
	reveal(offset: number): void {
		const { view } = this;
		const anchor = Math.min(offset, view.state.doc.length);
		const fold = this.viewport.current.hidden.find(({ from, to }) => from <= anchor && anchor <= to);
		const effects = scrollToOffset(view, anchor);
		// Code is unfolded when the cursor is inside it, not when it is at one of its ends.
		if (fold !== undefined && fold.from + 1 < fold.to) view.dispatch({ selection: { anchor: fold.from + 1 } });
		this.viewport.forget();
		view.dispatch({ selection: { anchor }, effects });
		view.focus();
	}

	scrolled(): void {
		this.viewport.forget();
		this.events.moved(this);
	}

	/** An editor without a fixed height moves when the page or an element around it scrolls. */
	private readonly scrolledAround = ({ target }: Event) => {
		if (target instanceof Node && !this.view.dom.contains(target)) this.scrolled();
	};
}
