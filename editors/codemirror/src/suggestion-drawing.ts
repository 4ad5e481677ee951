import {
	countColumn,
	EditorState,
	type Extension,
	type Range,
	RangeSet,
	StateEffect,
	StateField,
} from "@codemirror/state";
import {
	Decoration,
	type DecorationSet,
	EditorView,
	GutterMarker,
	gutterLineClass,
	WidgetType,
} from "@codemirror/view";
import type { DisplayedSuggestion } from "@segue/editor";
import type { Edit } from "@segue/text";
import { Badge, badge, badgePlacement, type DrawingOptions, drawingOptions } from "./accept-badge.js";
import { SUGGESTION_EVENT, takesSuggestions } from "./changes.js";

/** Replaces the suggestion drawn in a file; undefined removes it. */
export const showSuggestion = StateEffect.define<DisplayedSuggestion | undefined>();

/**
 * Draws suggestions: ghost text at the cursor, or removed text in red and new text in green, in the line or in a box
 * next to several lines. A badge at the end of the line shows the key, and an arrow in the gutter marks the line. Only
 * ghost text and text added inside a line move other text. A suggestion that is not visible is drawn by
 * `suggestionChip`.
 */
export function suggestionDrawing(options: DrawingOptions): Extension {
	return [drawingOptions.of(options), suggestionField, badgePlacement, landed, clearLanded];
}

interface Drawing {
	readonly shown: DisplayedSuggestion | undefined;
	readonly decorations: DecorationSet;
	/** The line with an arrow in the gutter. */
	readonly arrow: RangeSet<GutterMarker>;
}

const NOTHING: Drawing = { shown: undefined, decorations: Decoration.none, arrow: RangeSet.empty };

/** The parts of a state that determine whether it shows suggestions. */
const WHEN_VISIBLE = ["selection", EditorState.readOnly, EditorView.editable] as const;

/** The suggestion being shown, and its drawing. */
const suggestionField = StateField.define<Drawing>({
	create: () => NOTHING,
	update: (now, transaction) => {
		const effect = transaction.effects.findLast((each) => each.is(showSuggestion));
		if (effect !== undefined) return drawingOf(effect.value, transaction.state);
		if (!transaction.docChanged || now === NOTHING) return now;
		const { changes } = transaction;
		return { shown: now.shown, decorations: now.decorations.map(changes), arrow: now.arrow.map(changes) };
	},
	provide: (field) => [
		EditorView.decorations.compute([field, ...WHEN_VISIBLE], (state) => visibleIn(state).decorations),
		gutterLineClass.compute([field, ...WHEN_VISIBLE], (state) => visibleIn(state).arrow),
	],
});

function visibleIn(state: EditorState): Drawing {
	return takesSuggestions(state) ? state.field(suggestionField) : NOTHING;
}

/** Returns the suggestion that a view with this state shows, in the text or as a chip. */
export function shownIn(state: EditorState): DisplayedSuggestion | undefined {
	return visibleIn(state).shown;
}

function drawingOf(shown: DisplayedSuggestion | undefined, state: EditorState): Drawing {
	if (shown === undefined) return NOTHING;
	const drawn = rangesOf(shown, state);
	if (drawn === undefined) return { ...NOTHING, shown };
	const { doc } = state;
	const line = doc.lineAt(Math.min(drawn.at, doc.length));
	const ranges = [...drawn.ranges];
	if (drawn.badge !== undefined) {
		ranges.push(Decoration.widget({ widget: new Badge(drawn.badge), side: 2 }).range(line.to));
	}
	return { shown, decorations: Decoration.set(ranges, true), arrow: RangeSet.of(ARROW.range(line.from)) };
}

interface DrawnRanges {
	readonly ranges: readonly Range<Decoration>[];
	/** An offset in the line that has the arrow and the badge. */
	readonly at: number;
	/** The label next to the key; undefined if the ranges already contain a badge. */
	readonly badge: string | undefined;
}

/** Returns the ranges to draw; undefined for a suggestion that is not drawn in the text. */
function rangesOf(shown: DisplayedSuggestion, state: EditorState): DrawnRanges | undefined {
	if (shown.kind === "jump" && shown.uri === state.facet(drawingOptions).uri) {
		const at = Math.min(shown.at, state.doc.length);
		return { ranges: [TARGET.range(at)], at, badge: "Jump here" };
	}
	if (shown.as === "chip") return undefined;
	switch (shown.kind) {
		case "edit":
			return shown.as === "ghost" ? ghost(shown.edits, state) : diff(shown.edits, state);
		case "rename": {
			const word = state.wordAt(shown.at);
			return word === null ? undefined : diff([{ from: word.from, to: word.to, insert: shown.newName }], state);
		}
		case "jump":
		case "searchAndReplace":
			return undefined;
	}
}

type Edits = Extract<DisplayedSuggestion, { kind: "edit" }>["edits"];

/** Draws ghost text. Its first line starts at the cursor, and the others follow below. */
function ghost(edits: Edits, state: EditorState): DrawnRanges {
	const ranges = edits.flatMap(({ to, insert }) => {
		const [first = "", ...others] = insert.split("\n");
		const drawn: Range<Decoration>[] = [];
		if (first !== "") drawn.push(Decoration.widget({ widget: new Ghost(first, false), side: 1 }).range(to));
		if (others.length > 0) {
			const below = Decoration.widget({ widget: new Ghost(others.join("\n"), true), side: 3, block: true });
			drawn.push(below.range(state.doc.lineAt(to).to));
		}
		return drawn;
	});
	return { ranges, at: edits[0]?.to ?? 0, badge: "Accept" };
}

function diff(edits: Edits, state: EditorState): DrawnRanges {
	const { doc } = state;
	const at = edits[0]?.from ?? 0;
	const removed = edits.filter(({ from, to }) => from < to).map(({ from, to }) => REMOVED.range(from, to));
	const added = edits.filter(({ insert }) => insert !== "");
	const isInLines = added.every(({ from, to, insert }) => !insert.includes("\n") && doc.lineAt(from).to >= to);
	if (isInLines) {
		const widgets = added.map(({ to, insert }) => {
			return Decoration.widget({ widget: new Added(insert), side: 1 }).range(to);
		});
		return { ranges: [...removed, ...widgets], at, badge: "Accept" };
	}
	const box = sideBoxOf(edits, doc.toString());
	const first = doc.lineAt(Math.min(box.from, doc.length));
	const last = doc.lineAt(Math.min(Math.max(...edits.map(({ to }) => to)), doc.length));
	const height = box.parts.reduce((count, { text }) => count + text.split("\n").length - 1, 1);
	const columnsOf = (text: string) => countColumn(text, state.tabSize);
	const widths = Array.from({ length: Math.min(height, doc.lines - first.number + 1) }, (_, i) => {
		return columnsOf(doc.line(first.number + i).text);
	});
	const place: SideBoxPlace = {
		right: Math.max(...widths) - columnsOf(first.text),
		left: columnsOf(first.text.trimStart()),
		lines: last.number - first.number + 1,
	};
	const widget = Decoration.widget({ widget: new SideBox(dedent(box.parts), place), side: 1 }).range(first.to);
	return { ranges: [...removed, widget], at, badge: undefined };
}

const REMOVED = Decoration.mark({ class: "segue-removed", attributes: { "data-segue": "removed" } });

const ARROW = new (class extends GutterMarker {
	override elementClass = "segue-arrow";
})();

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
		return element(this.isBlock ? "div" : "span", "ghost", this.text);
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
		return element("span", "added", this.text);
	}
}

/** Marks the target of a jump, without taking up any space. */
class Target extends WidgetType {
	override eq(): boolean {
		return true;
	}

	override toDOM(): HTMLElement {
		return element("span", "target", "");
	}
}

const TARGET = Decoration.widget({ widget: new Target(), side: -1 });

/** Distances from the end of the first line that the edits touch. */
interface SideBoxPlace {
	/** Columns to the end of the longest line next to the box. */
	readonly right: number;
	/** Columns back to the start of the code on the line. */
	readonly left: number;
	/** Lines down to the first line that the edits do not touch. */
	readonly lines: number;
}

/** A box to the right of the lines that the edits touch, or below them if there is no room. */
class SideBox extends WidgetType {
	constructor(
		private readonly parts: readonly SideBoxPart[],
		private readonly place: SideBoxPlace,
	) {
		super();
	}

	override eq({ parts, place }: SideBox): boolean {
		return JSON.stringify([parts, place]) === JSON.stringify([this.parts, this.place]);
	}

	override toDOM(view: EditorView): HTMLElement {
		const anchor = element("span", "beside", "");
		const box = document.createElement("span");
		const { right, left, lines } = this.place;
		box.style.setProperty("--right", `${right}ch`);
		box.style.setProperty("--left", `${left}ch`);
		box.style.setProperty("--lines", `${lines}`);
		box.append(...this.parts.map(({ text, isNew }) => (isNew ? element("span", "added", text) : text)));
		const accept = badge("Accept", view);
		box.append(accept);
		anchor.append(box);
		view.requestMeasure({
			read: ({ scrollDOM }) => {
				return accept.getBoundingClientRect().right > scrollDOM.getBoundingClientRect().left + scrollDOM.clientWidth;
			},
			write: (isCut) => box.classList.toggle("segue-below", isCut),
		});
		return anchor;
	}
}

type Part = "ghost" | "added" | "beside" | "target";

function element(tag: "div" | "span", part: Part, text: string): HTMLElement {
	const drawn = document.createElement(tag);
	drawn.className = `segue-${part}`;
	drawn.dataset["segue"] = part;
	drawn.textContent = text;
	return drawn;
}

/** A piece of text after the edits. */
interface SideBoxPart {
	readonly text: string;
	readonly isNew: boolean;
}

/**
 * Returns the lines that edits touch, as they will be after the edits, and the offset of the first line in the current
 * text.
 */
export function sideBoxOf(edits: readonly Edit[], text: string): { from: number; parts: readonly SideBoxPart[] } {
	const first = Math.min(...edits.map(({ from }) => from));
	const last = Math.max(...edits.map(({ to }) => to));
	const from = text.slice(0, first).lastIndexOf("\n") + 1;
	const lineEnd = text.indexOf("\n", last);
	const to = lineEnd < 0 ? text.length : lineEnd;
	const parts: SideBoxPart[] = [];
	let at = from;
	for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
		parts.push({ text: text.slice(at, edit.from), isNew: false }, { text: edit.insert, isNew: true });
		at = edit.to;
	}
	parts.push({ text: text.slice(at, to), isNew: false });
	return { from, parts: parts.filter((part) => part.text !== "") };
}

/** Removes shared indentation and an empty last line to save room. */
export function dedent(parts: readonly SideBoxPart[]): readonly SideBoxPart[] {
	const lines = parts
		.map(({ text }) => text)
		.join("")
		.split("\n");
	const used = lines.filter((line) => line.trim() !== "");
	const shared = used.length === 0 ? 0 : Math.min(...used.map((line) => line.search(/\S/)));
	let left = shared;
	const dedented = parts.map(({ text, isNew }) => {
		let kept = "";
		for (const character of text) {
			if (left > 0 && (character === " " || character === "\t")) left--;
			else {
				kept += character;
				left = character === "\n" ? shared : 0;
			}
		}
		return { text: kept, isNew };
	});
	return dedented.map((part, i) => (i === parts.length - 1 ? { ...part, text: part.text.replace(/\n$/, "") } : part));
}

const removeLanded = StateEffect.define();

/** Highlights text that a suggestion has just written. The theme fades it, unless the user asked for less motion. */
const landed = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (marks, transaction) => {
		if (transaction.effects.some((effect) => effect.is(removeLanded))) return Decoration.none;
		if (!transaction.docChanged) return marks;
		if (!transaction.isUserEvent(SUGGESTION_EVENT)) return Decoration.none;
		const ranges: Range<Decoration>[] = [];
		transaction.changes.iterChanges((_from, _to, from, to) => {
			if (from < to) ranges.push(LANDED.range(from, to));
		});
		return Decoration.set(ranges, true);
	},
	provide: (field) => EditorView.decorations.from(field),
});

const LANDED = Decoration.mark({ class: "segue-landed" });

/** Removes the marks after the animation. Otherwise, a line that is scrolled back into view would play it again. */
const clearLanded = EditorView.domEventHandlers({
	animationend: ({ animationName }, view) => {
		if (animationName === "segue-landed") view.dispatch({ effects: removeLanded.of(null) });
	},
});
