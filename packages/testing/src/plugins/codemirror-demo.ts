// A page with CodeMirror editors for the tests of @segue/codemirror. It runs in the browser.
import { acceptCompletion, autocompletion, type CompletionContext, snippetCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { codeFolding, foldEffect, foldGutter } from "@codemirror/language";
import { Annotation, EditorSelection, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { Segue, type SegueConfig, type SegueFile, serverAgent, workerAgent } from "@segue/codemirror";
import type { DisplayedSuggestion, DocumentDiagnostic, Notice } from "@segue/editor";
import type { Channel } from "@segue/rpc";

export interface DemoOptions {
	/** The agent: in a worker, behind the WebSocket of the page's server, at another address, or in another script. */
	readonly agent: "worker" | "server" | { readonly address: string } | { readonly worker: string };
	readonly token?: string;
	readonly keys?: SegueConfig["keys"];
	readonly keysFirst?: boolean;
	readonly isDark?: boolean;
}

export interface DemoFile extends SegueFile {
	readonly text: string;
	readonly lineSeparator?: string;
	readonly isReadOnly?: boolean;
	/** CSS height of the view. */
	readonly height?: string;
}

/** Marks changes copied from another view of the same document. */
const copied = Annotation.define<boolean>();

/** The page's functions, called by tests. Views are numbered in the order in which they were opened. */
export class Demo {
	segue: Segue | undefined;
	shown: DisplayedSuggestion | undefined;
	readonly notices: { readonly sentence: string; readonly notice: Notice }[] = [];
	/** Ids of requests without a response. */
	readonly unanswered = new Set<unknown>();
	readonly views: EditorView[] = [];
	readonly workers: Worker[] = [];
	/** Uris of the files that the page was asked to bring to the front. */
	readonly revealed: string[] = [];
	private readonly uris = new Map<EditorView, string>();
	private diagnostics: Readonly<Record<string, readonly DocumentDiagnostic[]>> = {};
	private isDark = false;

	start({ agent, token = "", keys, keysFirst = false, isDark = false }: DemoOptions): void {
		this.isDark = isDark;
		document.documentElement.style.colorScheme = isDark ? "dark" : "light";
		const startWorker = (script: string) => () => {
			const worker = new Worker(script, { type: "module" });
			this.workers.push(worker);
			return worker;
		};
		const connect =
			agent === "worker"
				? workerAgent(startWorker("agent-worker.js"))
				: agent === "server"
					? serverAgent(`ws://${location.host}/acp?sync=events`, token)
					: "worker" in agent
						? workerAgent(startWorker(agent.worker))
						: serverAgent(agent.address, token);
		this.segue = new Segue({
			connect: async () => this.watch(await connect()),
			folders: ["file:///project"],
			report: (sentence, notice) => {
				this.notices.push({ sentence, notice });
				(document.querySelector("#status") as HTMLElement).textContent = sentence;
			},
			shown: (shown) => {
				this.shown = shown;
				(document.querySelector("#status") as HTMLElement).textContent = shown?.why ?? "";
			},
			reveal: (uri) => this.revealed.push(uri),
			diagnostics: (uri) => this.diagnostics[uri] ?? [],
			...(keys && { keys }),
			keysFirst,
		});
	}

	/** Opens a file in a new view and focuses it. Returns the view's number. */
	open({ uri, languageId, text, lineSeparator, isReadOnly = false, height = "220px" }: DemoFile): number {
		const parent = document.createElement("div");
		document.querySelector("#views")?.append(parent);
		const same = this.views.find((each) => this.uris.get(each) === uri);
		const separator: Extension = lineSeparator === undefined ? [] : EditorState.lineSeparator.of(lineSeparator);
		const extensions = [
			this.segue?.extension({ uri, languageId }) ?? [],
			separator,
			EditorState.readOnly.of(isReadOnly),
			EditorState.allowMultipleSelections.of(true),
			EditorView.darkTheme.of(this.isDark),
			lineNumbers(),
			foldGutter(),
			codeFolding(),
			history(),
			drawSelection(),
			autocompletion({ override: [completePair], activateOnTyping: false, interactionDelay: 0 }),
			keymap.of([...defaultKeymap, ...historyKeymap, { key: "Tab", run: acceptCompletion }, indentWithTab]),
			EditorView.theme({ "&": { height, border: "1px solid gray" }, ".cm-scroller": { overflow: "auto" } }),
		];
		const state = EditorState.create({ extensions, doc: same?.state.doc ?? text });
		const view: EditorView = new EditorView({
			parent,
			state,
			dispatchTransactions: (transactions) => {
				view.update(transactions);
				const others = this.views.filter((other) => other !== view && this.uris.get(other) === uri);
				for (const transaction of transactions) {
					if (!transaction.docChanged || transaction.annotation(copied)) continue;
					for (const other of others) {
						other.dispatch({ changes: transaction.changes, annotations: copied.of(true) });
					}
				}
			},
		});
		this.uris.set(view, uri);
		this.views.push(view);
		view.focus();
		return this.views.length - 1;
	}

	/** Shows another file in a view. */
	replaceFile(number: number, file: SegueFile): void {
		const view = this.view(number);
		const extensions = [this.segue?.extension(file) ?? [], history()];
		view.setState(EditorState.create({ doc: "const count = 1\nlog(count)\n", extensions }));
	}

	view(number: number): EditorView {
		const view = this.views[number];
		if (view === undefined) throw new Error(`there is no view ${number}`);
		return view;
	}

	select(number: number, anchor: number, head = anchor): void {
		const view = this.view(number);
		view.focus();
		view.dispatch({ selection: { anchor, head }, scrollIntoView: true });
	}

	addCursor(number: number, offset: number): void {
		const view = this.view(number);
		const ranges = [...view.state.selection.ranges, EditorSelection.cursor(offset)];
		view.dispatch({ selection: EditorSelection.create(ranges) });
	}

	paste(number: number, from: number, to: number, insert: string): void {
		const changes = { from, to, insert: EditorState.create({ doc: insert }).doc };
		this.view(number).dispatch({ changes, selection: { anchor: from + insert.length }, userEvent: "input.paste" });
	}

	fold(number: number, from: number, to: number): void {
		this.view(number).dispatch({ effects: foldEffect.of({ from, to }) });
	}

	diagnose(uri: string, diagnostics: readonly DocumentDiagnostic[]): void {
		this.diagnostics = { ...this.diagnostics, [uri]: diagnostics };
		this.segue?.editor.didDiagnose(uri);
	}

	/** Returns what the view contains and draws. */
	look(number: number) {
		const { state, dom } = this.view(number);
		const drawn = (part: string) => {
			return Array.from(dom.querySelectorAll<HTMLElement>(`[data-segue=${part}]`), (each) => each.textContent);
		};
		const { anchor, head } = state.selection.main;
		return {
			text: state.doc.toString(),
			anchor,
			head,
			ghost: drawn("ghost"),
			added: drawn("added"),
			removed: drawn("removed"),
			badge: drawn("badge"),
			target: drawn("target").length,
			chip: dom.querySelector<HTMLElement>(".segue-chip")?.textContent ?? "",
		};
	}

	/** Tracks requests without a response. */
	private watch(channel: Channel): Channel {
		const { unanswered } = this;
		unanswered.clear();
		return {
			open: (receiver, messageBytesMax) => {
				const message = (text: string) => {
					receiver.message(text);
					unanswered.delete(JSON.parse(text).id);
				};
				const closed = (reason: string) => {
					unanswered.clear();
					receiver.closed(reason);
				};
				channel.open({ message, closed, unreadable: (error) => receiver.unreadable(error) }, messageBytesMax);
			},
			send: (text) => {
				const { id, method } = JSON.parse(text);
				if (id !== undefined && method !== undefined) unanswered.add(id);
				channel.send(text);
			},
			get unwrittenBytes() {
				return channel.unwrittenBytes;
			},
			close: (done) => channel.close(done),
			drop: () => channel.drop(),
		};
	}
}

/** Offers a snippet with two fields. */
function completePair({ pos }: CompletionContext) {
	return { from: pos, options: [snippetCompletion("pair(#{first}, #{second})", { label: "pair" })] };
}

Object.assign(globalThis, { demo: new Demo() });
