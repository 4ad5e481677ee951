import type { ChangeDesc } from "@codemirror/state";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import type { DocumentView } from "@segue/editor";

// New text is drawn after its position. At least this many columns must be visible for the user to notice it.
const ROOM_COLUMNS = 4;

/** The visible lines of a file, and the parts of these lines that are scrolled out of view or folded. */
export type Viewport = Required<Pick<DocumentView, "visible" | "hidden">>;

/** Remembers the visible part of a file, because measuring it may force the browser to lay out the page. */
export class ViewportTracker {
	private viewport: Viewport | undefined;

	constructor(
		private readonly view: EditorView,
		/** Called when the viewport turns out to differ from the remembered one. */
		private readonly moved: () => void,
	) {}

	get current(): Viewport {
		this.viewport ??= viewportOf(this.view);
		return this.viewport;
	}

	/** Measures again when it is next needed, for example after the user scrolled. */
	forget(): void {
		this.viewport = undefined;
	}

	update({ changes, docChanged, viewportChanged, geometryChanged }: ViewUpdate): void {
		if (docChanged) this.carry(changes);
		else if (viewportChanged || geometryChanged) this.forget();
	}

	/** Maps the viewport through a change, and measures it again when the editor is laid out for the next frame. */
	private carry(changes: ChangeDesc): void {
		if (this.viewport === undefined) return;
		const carried = carryViewport(this.viewport, changes);
		this.viewport = carried;
		this.view.requestMeasure({
			key: this,
			read: viewportOf,
			write: (now) => {
				if (this.viewport !== carried || JSON.stringify(now) === JSON.stringify(carried)) return;
				this.viewport = now;
				// The editor must not be updated during its layout.
				queueMicrotask(this.moved);
			},
		});
	}
}

/**
 * Returns the effect that scrolls to an offset. Does not scroll if it is visible; otherwise, centres it so that its
 * context is visible.
 */
export function scrollToOffset(view: EditorView, offset: number) {
	const shown = viewportOf(view);
	if (isInViewport(shown, offset)) return EditorView.scrollIntoView(offset);
	const { from, to } = shown.visible;
	const isInLines = from <= offset && offset <= to;
	const xMargin = view.scrollDOM.clientWidth / 3;
	return EditorView.scrollIntoView(offset, { y: isInLines ? "nearest" : "center", xMargin });
}

/** Measures the visible part of a file. May force the browser to lay out the page. */
export function viewportOf(view: EditorView): Viewport {
	const { scrollDOM, documentTop } = view;
	const { top, bottom } = visibleHeightOf(scrollDOM);
	const { from } = view.lineBlockAtHeight(top - documentTop);
	const { to } = view.lineBlockAtHeight(bottom - documentTop);
	const isWider = scrollDOM.scrollWidth > scrollDOM.clientWidth;
	return { visible: { from, to }, hidden: [...foldsIn(view, from, to), ...(isWider ? hiddenIn(view, from, to) : [])] };
}

function isInViewport({ visible, hidden }: Viewport, offset: number): boolean {
	const isIn = (range: { readonly from: number; readonly to: number }) => range.from <= offset && offset <= range.to;
	return isIn(visible) && !hidden.some(isIn);
}

/** Maps a viewport through a change. The result may be off by a few lines until it is measured again. */
function carryViewport({ visible, hidden }: Viewport, changes: ChangeDesc): Viewport {
	const carry = ({ from, to }: { readonly from: number; readonly to: number }) => {
		return { from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) };
	};
	return { visible: carry(visible), hidden: hidden.map(carry) };
}

/** Returns the vertical range in which an editor is visible. An editor without a fixed height scrolls with its page. */
function visibleHeightOf(scrollDOM: HTMLElement): { top: number; bottom: number } {
	const { top, bottom } = scrollDOM.getBoundingClientRect();
	const { innerHeight } = scrollDOM.ownerDocument.defaultView ?? { innerHeight: bottom };
	return { top: Math.max(top, Math.min(0, bottom)), bottom: Math.min(bottom, Math.max(innerHeight, top)) };
}

/** Returns the ranges of several lines that decorations hide, such as folded code. */
function foldsIn(view: EditorView, from: number, to: number): Viewport["hidden"] {
	const { doc } = view.state;
	const folds: { from: number; to: number }[] = [];
	for (const source of view.state.facet(EditorView.decorations)) {
		const decorations = typeof source === "function" ? source(view) : source;
		decorations.between(from, to, (start, end, { point }) => {
			if (point && doc.lineAt(start).to < end) folds.push({ from: start, to: end });
		});
	}
	return folds;
}

/** Returns the parts of lines to the left and right of the visible columns. */
function hiddenIn(view: EditorView, from: number, to: number): Viewport["hidden"] {
	const { scrollDOM, contentDOM, state } = view;
	// The gutter does not scroll sideways and covers the text behind it.
	const left = contentDOM.getBoundingClientRect().left + scrollDOM.scrollLeft;
	const right = scrollDOM.getBoundingClientRect().left + scrollDOM.clientWidth;
	const rightmost = right - ROOM_COLUMNS * view.defaultCharacterWidth;
	const hidden: { from: number; to: number }[] = [];
	for (let number = state.doc.lineAt(from).number; number <= state.doc.lineAt(to).number; number++) {
		const line = state.doc.line(number);
		const start = view.coordsAtPos(line.from);
		const end = view.coordsAtPos(line.to, -1);
		// Lines at the edge may not be drawn yet.
		if (start === null || end === null) continue;
		const y = (start.top + start.bottom) / 2;
		const at = (x: number) => view.posAtCoords({ x, y }, false);
		if (end.right < left) hidden.push({ from: line.from, to: line.to });
		else if (start.left < left) hidden.push({ from: line.from, to: Math.max(line.from, at(left) - 1) });
		if (end.right > rightmost) hidden.push({ from: at(rightmost), to: line.to });
	}
	return hidden;
}
