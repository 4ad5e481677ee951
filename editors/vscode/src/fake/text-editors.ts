import { Change, type Edit, offsetOf, positionAt, type Text } from "@segue/text";
import type * as vscode from "vscode";
import { FakeEvent, FakePosition, FakeRange, FakeSelection, type FakeUri } from "./values.js";

// The documents and editors of the fake module `vscode`.

export const lineEndings = { LF: 1, CRLF: 2 };

export class FakeDocument {
	version = 1;
	isClosed = false;
	isReadOnly = false;
	private undone: Change[] = [];

	constructor(
		readonly uri: FakeUri,
		readonly languageId: string,
		public text: Text,
	) {}

	getWordRangeAtPosition(at: FakePosition): FakeRange | undefined {
		const offset = this.offsetAt(at);
		const word = [...this.getText().matchAll(/\w+/g)].find(({ 0: name, index }) => {
			return index <= offset && offset <= index + name.length;
		});
		return word && new FakeRange(this.positionAt(word.index), this.positionAt(word.index + word[0].length));
	}

	get eol(): number {
		return this.text.toString().includes("\r\n") ? lineEndings.CRLF : lineEndings.LF;
	}

	get lineCount(): number {
		return this.text.lineCount;
	}

	getText(range?: FakeRange): string {
		if (range === undefined) return this.text.toString();
		return this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end));
	}

	offsetAt({ line, character }: FakePosition): number {
		return offsetOf(this.text, { line, character }, "utf-16");
	}

	positionAt(offset: number): FakePosition {
		const { line, character } = positionAt(this.text, Math.max(0, Math.min(offset, this.text.length)), "utf-16");
		return new FakePosition(line, character);
	}

	lineAt(at: number | FakePosition): { text: string; range: FakeRange } {
		const line = typeof at === "number" ? at : at.line;
		const [from, to] = [this.text.lineStart(line), this.text.lineEnd(line)];
		return { text: this.text.slice(from, to), range: new FakeRange(this.positionAt(from), this.positionAt(to)) };
	}

	/** Changes the text in one undoable step. VS Code lists the changes from the end of the document. */
	change(edits: readonly Edit[], reason?: number): void {
		const change = Change.of(edits, this.text.length);
		const contentChanges = change.edits.toReversed().map(({ from, to, insert }) => {
			return { rangeOffset: from, rangeLength: to - from, text: insert };
		});
		if (reason === undefined) this.undone.push(change.invert(this.text));
		this.text = change.apply(this.text);
		this.version++;
		fakeEvents.changedText.fire({ document: this, contentChanges, reason });
	}

	undo(): void {
		const change = this.undone.pop();
		if (change !== undefined) this.change(change.edits, 1);
	}
}

export class FakeTextEditor {
	readonly options = { tabSize: 4 };
	readonly viewColumn = 1;
	selections: FakeSelection[] = [];
	visibleRanges: FakeRange[];
	/** The decorations that are set, by their type. */
	readonly decorations = new Map<{ readonly key: string }, readonly (vscode.DecorationOptions | FakeRange)[]>();

	constructor(readonly document: FakeDocument) {
		this.selection = selectionAt(document, 0);
		const last = document.positionAt(document.text.length);
		this.visibleRanges = [new FakeRange(new FakePosition(0, 0), last)];
	}

	get selection(): FakeSelection {
		return this.selections[0] as FakeSelection;
	}

	set selection(selection: FakeSelection) {
		this.selections = [selection];
		fakeEvents.selected.fire({ textEditor: this });
	}

	async edit(run: (builder: { replace(range: FakeRange, text: string): void }) => void): Promise<boolean> {
		if (this.document.isReadOnly) return false;
		const edits: Edit[] = [];
		const { document } = this;
		run({
			replace: ({ start, end }, insert) => {
				edits.push({ from: document.offsetAt(start), to: document.offsetAt(end), insert });
			},
		});
		document.change(edits);
		return true;
	}

	setDecorations(type: { readonly key: string }, decorations: readonly (vscode.DecorationOptions | FakeRange)[]): void {
		this.decorations.set(type, decorations);
	}

	revealRange({ start }: FakeRange): void {
		const seen = this.visibleRanges.some((range) => range.start.line <= start.line && start.line <= range.end.line);
		if (!seen) this.scrollTo(start.line - 5, start.line + 5);
	}

	/** Hides lines. */
	fold(first: number, last: number): void {
		const end = this.document.lineCount - 1;
		const lines = (from: number, to: number) => new FakeRange(new FakePosition(from, 0), new FakePosition(to, 0));
		this.visibleRanges = [lines(0, first - 1), lines(last + 1, end)];
		fakeEvents.scrolled.fire({ textEditor: this });
	}

	/** Scrolls so that these lines are visible. */
	scrollTo(first: number, last: number): void {
		const end = Math.min(last, this.document.lineCount - 1);
		this.visibleRanges = [new FakeRange(new FakePosition(Math.max(0, first), 0), new FakePosition(end, 0))];
		fakeEvents.scrolled.fire({ textEditor: this });
	}
}

/** A notebook with code cells. */
export class FakeNotebook {
	constructor(
		readonly uri: FakeUri,
		readonly cells: { readonly kind: number; readonly document: FakeDocument }[],
	) {}

	getCells() {
		return this.cells;
	}
}

/** The events that tests fire. */
export const fakeEvents = {
	opened: new FakeEvent<FakeDocument>(),
	changedText: new FakeEvent<unknown>(),
	saved: new FakeEvent<FakeDocument>(),
	closed: new FakeEvent<FakeDocument>(),
	configured: new FakeEvent<{ affectsConfiguration(section: string): boolean }>(),
	activated: new FakeEvent<FakeTextEditor | undefined>(),
	selected: new FakeEvent<{ textEditor: FakeTextEditor }>(),
	scrolled: new FakeEvent<{ textEditor: FakeTextEditor }>(),
	diagnosed: new FakeEvent<{ uris: readonly FakeUri[] }>(),
	notebookOpened: new FakeEvent<FakeNotebook>(),
	notebookChanged: new FakeEvent<{ notebook: FakeNotebook }>(),
	folders: new FakeEvent<unknown>(),
	notebookClosed: new FakeEvent<FakeNotebook>(),
};

export function selectionAt(document: FakeDocument, head: number, anchor = head): FakeSelection {
	return new FakeSelection(document.positionAt(anchor), document.positionAt(head));
}
