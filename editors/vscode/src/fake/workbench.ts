import { readFileSync } from "node:fs";
import { languageOf, Text } from "@segue/text";
import type * as vscode from "vscode";
import { FakeDocument, FakeNotebook, FakeTextEditor, fakeEvents, selectionAt } from "./text-editors.js";
import { cellKinds, type FakePosition, FakeRange, FakeUri } from "./values.js";

/** The editor as a test controls it. */
class FakeVscode {
	folders = [{ uri: FakeUri.parse("file:///project"), name: "project" }];
	documents: FakeDocument[] = [];
	editors: FakeTextEditor[] = [];
	notebooks: FakeNotebook[] = [];
	active: FakeTextEditor | undefined;
	/** Files on disk, by URI. */
	readonly disk = new Map<string, string | Uint8Array>();
	/** The URIs of files and folders that are links. Reading them follows the link. */
	readonly links = new Set<string>();
	/** The URI of a file that cannot be read. */
	unavailable: string | undefined;
	/** Providers of virtual documents, by scheme. */
	readonly contents = new Map<string, { provideTextDocumentContent(): string }>();
	/** User settings, by name. */
	readonly settings = new Map<string, unknown>();
	/** Settings with values in other places, by name: the values as `inspect` returns them. */
	readonly places = new Map<string, SettingPlaces>();
	readonly contexts = new Map<string, unknown>();
	/** Commands that were executed but are not registered. */
	executed: string[] = [];
	readonly registered = new Map<string, () => unknown>();
	warnings: string[] = [];
	/** The messages of tasks in progress. */
	readonly progress = new Set<string>();
	/** The button to press in the next message or the label to choose in the next list. */
	choice: string | undefined;
	status = { text: "", tooltip: "", accessibilityInformation: { label: "" } };
	/** How often a property of the status bar item was set. */
	statusUpdates = 0;
	providers: vscode.InlineCompletionItemProvider[] = [];
	diagnostics = new Map<string, readonly unknown[]>();
	/** Returns the edits that a language server makes for a rename. It throws if it refuses. */
	renamer: (name: string) => readonly (readonly [uri: string, from: number, to: number])[] = () => [];
	/** The file that a language server renames with a symbol, and its new URI. */
	renamedFile: readonly [from: string, to: string] | undefined;
	/** Returns what a language server finds at a position: definitions or references. */
	findPlaces: (command: string, at: FakePosition) => readonly { uri: FakeUri; range: FakeRange }[] = () => [];
	/** The number of edits in the last preview of a refactoring. */
	previewed = 0;
	isPreviewApplied = true;
	/** The number of decoration types. */
	types = 0;

	/** Returns to an editor without files. */
	reset(): void {
		for (const event of Object.values(fakeEvents)) event.clear();
		Object.assign(this, new FakeVscode());
	}

	addFolder(uri: string): void {
		this.folders.push({ uri: FakeUri.parse(uri), name: uri.replace(/^.*\//, "") });
		fakeEvents.folders.fire(undefined);
	}

	/** Opens a file in an editor and shows it. */
	open(uri: string, text: string, languageId = languageOf(uri)): FakeTextEditor {
		const document = this.read(uri, text, languageId);
		const editor = new FakeTextEditor(document);
		this.editors.push(editor);
		this.activate(editor);
		return editor;
	}

	/** Opens a notebook and shows its cells, of which headings are Markdown. The first code cell is active. */
	openNotebook(uri: string, cells: readonly string[], languageId = "typescript"): FakeNotebook {
		const notebook = new FakeNotebook(FakeUri.parse(uri), []);
		for (const cell of cells) this.addCell(notebook, cell, cell.startsWith("# ") ? "markdown" : languageId);
		this.notebooks.push(notebook);
		fakeEvents.notebookOpened.fire(notebook);
		const first = notebook.cells.find(({ kind }) => kind === cellKinds.Code);
		this.activate(this.editors.find(({ document }) => document === first?.document));
		return notebook;
	}

	/** Adds a cell at the end of a notebook, or before another one. */
	addCell(notebook: FakeNotebook, text: string, languageId = "typescript", at = notebook.cells.length): FakeTextEditor {
		const uri = notebook.uri.toString().replace(/^[a-z-]+:\/\//, "vscode-notebook-cell:");
		const kind = languageId === "markdown" ? cellKinds.Markup : cellKinds.Code;
		const document = new FakeDocument(FakeUri.parse(`${uri}#${++this.types}`), languageId, Text.of(text));
		notebook.cells.splice(at, 0, { kind, document });
		this.documents.push(document);
		const editor = new FakeTextEditor(document);
		this.editors.push(editor);
		fakeEvents.opened.fire(document);
		if (this.notebooks.includes(notebook)) fakeEvents.notebookChanged.fire({ notebook });
		return editor;
	}

	removeCell(notebook: FakeNotebook, at: number): void {
		const [cell] = notebook.cells.splice(at, 1);
		this.documents = this.documents.filter((document) => document !== cell?.document);
		this.editors = this.editors.filter(({ document }) => document !== cell?.document);
		if (cell !== undefined) fakeEvents.closed.fire(cell.document);
		fakeEvents.notebookChanged.fire({ notebook });
	}

	closeNotebook(notebook: FakeNotebook): void {
		const isCell = (document: FakeDocument) => notebook.cells.some((cell) => cell.document === document);
		this.notebooks = this.notebooks.filter((one) => one !== notebook);
		this.documents = this.documents.filter((document) => !isCell(document));
		this.editors = this.editors.filter(({ document }) => !isCell(document));
		for (const { document } of notebook.cells) fakeEvents.closed.fire(document);
		fakeEvents.notebookClosed.fire(notebook);
	}

	/** Opens a document without showing it. */
	read(uri: string, text: string, languageId = languageOf(uri)): FakeDocument {
		const document = new FakeDocument(FakeUri.parse(uri), languageId, Text.of(text));
		this.documents.push(document);
		fakeEvents.opened.fire(document);
		return document;
	}

	activate(editor: FakeTextEditor | undefined): void {
		this.active = editor;
		fakeEvents.activated.fire(editor);
	}

	/** Types text over a range. VS Code reports the change before the cursor. */
	type(from: number, to: number, insert: string): void {
		const { active } = this;
		if (active === undefined) throw new Error("no editor is active");
		active.document.change([{ from, to, insert }]);
		this.select(from + insert.length);
	}

	select(head: number, anchor = head): void {
		if (this.active !== undefined) this.active.selection = selectionAt(this.active.document, head, anchor);
	}

	/** Adds another cursor. */
	addCursor(at: number): void {
		const { active } = this;
		if (active === undefined) return;
		active.selections = [...active.selections, selectionAt(active.document, at)];
		fakeEvents.selected.fire({ textEditor: active });
	}

	set(key: string, value: unknown): void {
		this.settings.set(key, value);
		fakeEvents.configured.fire({ affectsConfiguration: (section) => key.startsWith(section) });
	}

	diagnose(uri: string, diagnostics: readonly { from: number; to: number; message: string }[]): void {
		const document = this.documents.find((one) => one.uri.toString() === uri);
		if (document === undefined) throw new Error(`${uri} is not open`);
		const found = diagnostics.map(({ from, to, message }) => {
			return { range: new FakeRange(document.positionAt(from), document.positionAt(to)), severity: 0, message };
		});
		this.diagnostics.set(uri, found);
		fakeEvents.diagnosed.fire({ uris: [document.uri] });
	}

	/** Shows the active document in a second editor. */
	split(): FakeTextEditor | undefined {
		if (this.active === undefined) return undefined;
		const editor = new FakeTextEditor(this.active.document);
		this.editors.push(editor);
		this.activate(editor);
		return editor;
	}

	/** Returns the command that a key runs in the text of the active editor. Later bindings win. */
	commandOf(key: string, context: Readonly<Record<string, unknown>> = {}): string | undefined {
		const keys = { editorTextFocus: true, ...Object.fromEntries(this.contexts), ...context };
		const bindings = manifest.contributes.keybindings.filter((binding) => binding.key === key);
		return bindings.findLast(({ when }) => isTrue(when, keys))?.command;
	}

	/** Runs a command as its key does. */
	async run(command: string): Promise<void> {
		await this.registered.get(command)?.();
	}

	/** The text of all decorations in the active editor, in the order of their positions. */
	get drawn(): string[] {
		return this.active === undefined ? [] : this.drawnIn(this.active);
	}

	drawnIn({ decorations }: FakeTextEditor): string[] {
		const texts = [...decorations].flatMap(([{ key }, options]) => {
			return options.flatMap((one) => {
				const text =
					"range" in one ? one.renderOptions?.after?.contentText?.replaceAll("\u00a0", " ").trim() : undefined;
				if (!("range" in one) || text === undefined) return [];
				const { line, character } = one.range.end;
				return [{ line, character, key, text }];
			});
		});
		return texts
			.toSorted((a, b) => a.line - b.line || a.character - b.character || (a.key < b.key ? -1 : 1))
			.map(({ line, text }) => `${line + 1}: ${text}`);
	}

	/** The ghost text at the cursor. */
	get ghost(): string | undefined {
		const text = this.ghostItem?.insertText;
		return text === undefined ? undefined : String(text);
	}

	private get ghostItem(): vscode.InlineCompletionItem | undefined {
		const { active } = this;
		if (active === undefined) return undefined;
		const [item] = this.providers.flatMap((provider) => {
			const at = active.selection.active;
			const document = active.document as unknown as vscode.TextDocument;
			const { provideInlineCompletionItems: provide } = provider;
			const context = {} as vscode.InlineCompletionContext;
			const token = {} as vscode.CancellationToken;
			const items = provide.call(provider, document, at as unknown as vscode.Position, context, token);
			return (items ?? []) as vscode.InlineCompletionItem[];
		});
		return item;
	}

	/** Accepts the ghost text as VS Code does on Tab. */
	acceptGhost(): void {
		const { active, ghost, ghostItem } = this;
		if (active === undefined || ghost === undefined) throw new Error("there is no ghost text");
		const at = active.document.offsetAt(active.selection.active);
		this.type(at, at, ghost);
		if (ghostItem?.command !== undefined) void this.run(ghostItem.command.command);
	}
}

export const fakeVscode = new FakeVscode();

const manifest: {
	readonly contributes: { readonly keybindings: readonly Readonly<Record<"command" | "key" | "when", string>>[] };
} = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** Evaluates a `when` clause with the operators that the manifest uses. */
function isTrue(when: string, context: Readonly<Record<string, unknown>>): boolean {
	const tokens = when.match(/\|\||&&|==|[!()]|'[^']*'|[\w.-]+/g) ?? [];
	const value = (): boolean => {
		const token = tokens.shift() ?? "";
		if (token === "!") return !value();
		if (token === "(") {
			const inner = either();
			tokens.shift();
			return inner;
		}
		if (tokens[0] !== "==") return Boolean(context[token]);
		tokens.shift();
		return String(context[token]) === tokens.shift()?.replaceAll("'", "");
	};
	/** Reads the operands of an operator. All of them, because the tokens must be consumed. */
	const operands = (operator: string, operand: () => boolean): boolean[] => {
		const values = [operand()];
		while (tokens[0] === operator) {
			tokens.shift();
			values.push(operand());
		}
		return values;
	};
	const both = () => operands("&&", value).every((one) => one);
	const either = () => operands("||", both).some((one) => one);
	return either();
}

export type SettingPlaces = Readonly<Partial<Record<`${(typeof PLACES)[number]}Value`, unknown>>>;

/** The places of a setting. Later ones win. */
export const PLACES = [
	"global",
	"workspace",
	"workspaceFolder",
	"globalLanguage",
	"workspaceLanguage",
	"workspaceFolderLanguage",
] as const;
