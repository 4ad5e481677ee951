import type { DocumentView } from "@segue/editor";
import type * as monaco from "monaco-editor";

// New text is drawn after its position. At least this many columns must be visible for the user to notice it.
const ROOM_COLUMNS = 4;

// Monaco draws the characters of such lines at equal distances if the font allows it.
const PLAIN = /^[\t\x20-\x7e]*$/;
// Monaco cuts longer lines off by default.
const PLAIN_LENGTH_MAX = 10_000;

/** Returns the selection, the visible lines, and the folded code and line ends that are not visible. */
export function viewOfEditor(
	{ editor: { EditorOption } }: Pick<typeof monaco, "editor">,
	editor: monaco.editor.ICodeEditor,
	model: monaco.editor.ITextModel,
): DocumentView | undefined {
	const selection = editor.getSelection();
	if (selection === null) return undefined;
	const anchor = model.getOffsetAt(
		selection.getSelectionStart().equals(selection.getPosition())
			? selection.getEndPosition()
			: selection.getStartPosition(),
	);
	const head = model.getOffsetAt(selection.getPosition());
	const ranges = editor.getVisibleRanges();
	const [first] = ranges;
	const last = ranges.at(-1);
	// An editor without a size shows nothing.
	if (first === undefined || last === undefined) return { anchor, head, visible: { from: head, to: head } };
	const visible = { from: model.getOffsetAt(first.getStartPosition()), to: model.getOffsetAt(last.getEndPosition()) };
	const folded = ranges.slice(1).map((range, i) => {
		const before = ranges[i] ?? range;
		return {
			from: model.getOffsetAt(before.getEndPosition()) + 1,
			to: Math.max(0, model.getOffsetAt(range.getStartPosition()) - 1),
		};
	});
	const { contentWidth, verticalScrollbarWidth } = editor.getLayoutInfo();
	const left = editor.getScrollLeft();
	const width = contentWidth - verticalScrollbarWidth;
	if (left === 0 && editor.getScrollWidth() <= width) return { anchor, head, visible, hidden: folded };
	const { typicalHalfwidthCharacterWidth: columnWidth, isMonospace } = editor.getOption(EditorOption.fontInfo);
	const right = left + width - ROOM_COLUMNS * columnWidth;
	const isRegular = isMonospace && editor.getOption(EditorOption.wrappingInfo).wrappingColumn === -1;
	const places = placesOf(editor, model, first.plusRange(last), isRegular ? columnWidth : undefined);
	return { anchor, head, visible, hidden: [...folded, ...sidesOf(places, model, ranges, left, right)] };
}

/** For a line, returns the distance of each column from its start. Negative if the line is not drawn yet. */
type LinePlaces = (lineNumber: number) => (column: number) => number;

/**
 * Calculates distances where possible. Monaco measures by drawing everything that has changed, which would double the
 * time that each key takes. `columnWidth` is undefined if characters differ in width or lines are wrapped.
 */
function placesOf(
	editor: monaco.editor.ICodeEditor,
	model: monaco.editor.ITextModel,
	range: monaco.IRange,
	columnWidth: number | undefined,
): LinePlaces {
	const { tabSize } = model.getOptions();
	// Inlay hints and other text that is not in the model.
	const injected = new Set(
		model.getDecorationsInRange(range).flatMap(({ options: { before, after }, range }) => {
			return before || after ? [range.startLineNumber, range.endLineNumber] : [];
		}),
	);
	return (lineNumber) => {
		const isShort = model.getLineLength(lineNumber) <= PLAIN_LENGTH_MAX;
		const text =
			columnWidth !== undefined && isShort && !injected.has(lineNumber) ? model.getLineContent(lineNumber) : undefined;
		if (columnWidth === undefined || text === undefined || !PLAIN.test(text)) {
			return (column) => editor.getOffsetForColumn(lineNumber, column);
		}
		const places = [0];
		for (const character of text) {
			const columns = places.at(-1) ?? 0;
			places.push(columns + (character === "\t" ? tabSize - (columns % tabSize) : 1));
		}
		return (column) => (places[column - 1] ?? 0) * columnWidth;
	};
}

/** Returns the parts of lines to the left and right of the visible columns. */
function sidesOf(
	placesIn: LinePlaces,
	model: monaco.editor.ITextModel,
	ranges: readonly monaco.Range[],
	left: number,
	right: number,
): { from: number; to: number }[] {
	return ranges.flatMap(({ startLineNumber, endLineNumber }) => {
		const hidden: { from: number; to: number }[] = [];
		for (let lineNumber = startLineNumber; lineNumber <= endLineNumber; lineNumber++) {
			const end = model.getLineMaxColumn(lineNumber);
			const placeOf = placesIn(lineNumber);
			const lineWidth = placeOf(end);
			if (lineWidth < 0) continue;
			const offsetOf = (column: number) => model.getOffsetAt({ lineNumber, column });
			const firstAfter = (x: number) => firstColumn(1, end, (column) => placeOf(column) > x);
			if (left > 0) hidden.push({ from: offsetOf(1), to: offsetOf(Math.max(1, firstAfter(left) - 1)) });
			if (lineWidth > right) hidden.push({ from: offsetOf(firstAfter(right)), to: offsetOf(end) });
		}
		return hidden;
	});
}

/** Returns the first column with a property that all later columns have too, or the last column. */
function firstColumn(from: number, to: number, has: (column: number) => boolean): number {
	let [low, high] = [from, to];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (has(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}
