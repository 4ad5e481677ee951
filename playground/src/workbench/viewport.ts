import type { ChangeDesc } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { DocumentView } from "@segue/editor";

// New text is drawn after its position. At least this many columns must be visible for the user to notice it.
const ROOM_COLUMNS = 4;

/** The visible lines of a file, and the parts of these lines that are scrolled out of view. */
export type Viewport = Required<Pick<DocumentView, "visible" | "hidden">>;

/** Measures the visible part of a file. May force the browser to lay out the page. */
export function viewportOf(view: EditorView): Viewport {
	const { scrollDOM, documentTop } = view;
	const { top, bottom } = scrollDOM.getBoundingClientRect();
	const { from } = view.lineBlockAtHeight(top - documentTop);
	const { to } = view.lineBlockAtHeight(bottom - documentTop);
	const isWider = scrollDOM.scrollWidth > scrollDOM.clientWidth;
	return { visible: { from, to }, hidden: isWider ? hiddenIn(view, from, to) : [] };
}

export function isInViewport({ visible, hidden }: Viewport, offset: number): boolean {
	const isIn = (range: { readonly from: number; readonly to: number }) => range.from <= offset && offset <= range.to;
	return isIn(visible) && !hidden.some(isIn);
}

/** Maps a viewport through a change. The result may be off by a few lines until it is measured again. */
export function carryViewport({ visible, hidden }: Viewport, changes: ChangeDesc): Viewport {
	const carry = ({ from, to }: { readonly from: number; readonly to: number }) => {
		return { from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) };
	};
	return { visible: carry(visible), hidden: hidden.map(carry) };
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
