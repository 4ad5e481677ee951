import { countColumn, type EditorState, type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { DisplayedSuggestion } from "@segue/editor";
import type { Edit } from "@segue/text";

/** Draws what is offered in the file that is in front, in place of what was drawn before. */
export const showSuggestion = StateEffect.define<DisplayedSuggestion | undefined>();

/**
 * How a suggestion is drawn: ghost text, or what goes in red and what comes in green: in the line, or where there are several
 * in a box beside them. Nothing but ghost text moves what is there. What is out of sight is not drawn in the text.
 */
export const suggestionDrawing: Extension = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (drawn, transaction) => {
		const said = transaction.effects.findLast((effect) => effect.is(showSuggestion));
		if (said === undefined) return drawn.map(transaction.changes);
		return drawingOf(said.value, transaction.state);
	},
	provide: (field) => EditorView.decorations.from(field),
});

function drawingOf(shown: DisplayedSuggestion | undefined, state: EditorState): DecorationSet {
	if (shown === undefined || shown.as === "chip") return Decoration.none;
	switch (shown.kind) {
		case "edit":
			return Decoration.set(shown.as === "ghost" ? ghost(shown.edits, state) : diff(shown.edits, state), true);
		case "rename": {
			const word = state.wordAt(shown.at);
			if (word === null) return Decoration.none;
			return Decoration.set(diff([{ from: word.from, to: word.to, insert: shown.newName }], state), true);
		}
		case "jump":
		case "searchAndReplace":
			return Decoration.none;
	}
}

type Edits = Extract<DisplayedSuggestion, { kind: "edit" }>["edits"];

/** The first line goes on where the cursor is, and the others follow under it. */
function ghost(edits: Edits, state: EditorState): Range<Decoration>[] {
	return edits.flatMap(({ to, insert }) => {
		const [first = "", ...others] = insert.split("\n");
		const drawing: Range<Decoration>[] = [];
		if (first !== "") drawing.push(Decoration.widget({ widget: new Ghost(first, false), side: 1 }).range(to));
		if (others.length > 0) {
			const under = Decoration.widget({ widget: new Ghost(others.join("\n"), true), side: 1, block: true });
			drawing.push(under.range(state.doc.lineAt(to).to));
		}
		return drawing;
	});
}

function diff(edits: Edits, state: EditorState): Range<Decoration>[] {
	const going = edits.filter(({ from, to }) => from < to).map(({ from, to }) => removed.range(from, to));
	const coming = edits.filter(({ insert }) => insert !== "");
	const { doc } = state;
	const isInLines = coming.every(({ from, to, insert }) => !insert.includes("\n") && doc.lineAt(from).to >= to);
	if (isInLines) {
		const widgets = coming.map(({ to, insert }) => {
			return Decoration.widget({ widget: new Added(insert), side: 1 }).range(to);
		});
		return [...going, ...widgets];
	}
	const box = sideBoxOf(edits, doc.toString());
	const first = doc.lineAt(Math.min(box.from, doc.length));
	const widths = box.pieces
		.map(({ text }) => text)
		.join("")
		.split("\n")
		.flatMap((_, i) =>
			first.number + i <= doc.lines ? [countColumn(doc.line(first.number + i).text, state.tabSize)] : [],
		);
	const shift = Math.max(...widths) - countColumn(first.text, state.tabSize);
	return [...going, Decoration.widget({ widget: new SideBox(box.pieces, shift), side: 1 }).range(first.to)];
}

const removed = Decoration.mark({ class: "segue-removed", attributes: { "data-segue": "removed" } });

class Ghost extends WidgetType {
	constructor(
		private readonly text: string,
		private readonly isBlock: boolean,
	) {
		super();
	}

	override eq(other: Ghost): boolean {
		return other.text === this.text && other.isBlock === this.isBlock;
	}

	override toDOM(): HTMLElement {
		return drawn(this.isBlock ? "div" : "span", "ghost", this.text);
	}
}

class Added extends WidgetType {
	constructor(private readonly text: string) {
		super();
	}

	override eq(other: Added): boolean {
		return other.text === this.text;
	}

	override toDOM(): HTMLElement {
		return drawn("span", "added", this.text);
	}
}

/** A box that begins at the height of a line, to the right of all lines that it lies beside. */
class SideBox extends WidgetType {
	constructor(
		private readonly pieces: readonly SideBoxPart[],
		/** By how many columns a line beside it is longer than the one that it begins at. */
		private readonly shift: number,
	) {
		super();
	}

	override eq(other: SideBox): boolean {
		return other.shift === this.shift && JSON.stringify(other.pieces) === JSON.stringify(this.pieces);
	}

	override toDOM(): HTMLElement {
		const place = drawn("span", "beside", "");
		const box = document.createElement("span");
		box.style.setProperty("--shift", `${this.shift}ch`);
		box.append(...this.pieces.map(({ text, isNew }) => (isNew ? drawn("span", "added", text) : text)));
		place.append(box);
		return place;
	}
}

function drawn(tag: "div" | "span", what: "ghost" | "added" | "beside", text: string): HTMLElement {
	const element = document.createElement(tag);
	element.className = `segue-${what}`;
	element.dataset["segue"] = what;
	element.textContent = text;
	return element;
}

/** A stretch of text as it will be. */
interface SideBoxPart {
	readonly text: string;
	readonly isNew: boolean;
}

/** The whole lines that edits touch, as they will be, and where the first of them begins in the text as it is. */
export function sideBoxOf(edits: readonly Edit[], text: string): { from: number; pieces: readonly SideBoxPart[] } {
	const first = Math.min(...edits.map(({ from }) => from));
	const last = Math.max(...edits.map(({ to }) => to));
	const from = text.slice(0, first).lastIndexOf("\n") + 1;
	const lineEnd = text.indexOf("\n", last);
	const to = lineEnd < 0 ? text.length : lineEnd;
	const pieces: SideBoxPart[] = [];
	let at = from;
	for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
		pieces.push({ text: text.slice(at, edit.from), isNew: false }, { text: edit.insert, isNew: true });
		at = edit.to;
	}
	pieces.push({ text: text.slice(at, to), isNew: false });
	return { from, pieces: pieces.filter((piece) => piece.text !== "") };
}
