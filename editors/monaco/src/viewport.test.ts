import { Text } from "@segue/text";
import type * as monaco from "monaco-editor";
import { expect, test } from "vitest";
import { viewOfEditor } from "./viewport.js";

const COLUMN_WIDTH = 8;

/** An editor whose window is 20 columns wide, in which wide characters take two columns. Counts measurements. */
class FakeEditor {
	measured = 0;
	isMonospace = true;
	wrappingColumn = -1;
	/** Lines with text that is not in the model. */
	readonly injected: number[] = [];

	constructor(
		private readonly source: string,
		private readonly scrollLeft = 0,
	) {}

	view() {
		const text = Text.of(this.source);
		const lines = this.source.split("\n");
		const point = (lineNumber: number, column: number) => ({ lineNumber, column, equals: () => true });
		const range = {
			...{ startLineNumber: 1, endLineNumber: lines.length },
			getStartPosition: () => point(1, 1),
			getEndPosition: () => point(lines.length, (lines.at(-1) ?? "").length + 1),
			plusRange: () => range,
		};
		const model = {
			getOffsetAt: ({ lineNumber, column }: monaco.IPosition) => text.lineStart(lineNumber - 1) + column - 1,
			getOptions: () => ({ tabSize: 4 }),
			getLineLength: (line: number) => (lines[line - 1] ?? "").length,
			getLineMaxColumn: (line: number) => (lines[line - 1] ?? "").length + 1,
			getLineContent: (line: number) => lines[line - 1] ?? "",
			getDecorationsInRange: () => {
				return this.injected.map((line) => {
					return { options: { after: { content: "hint" } }, range: { startLineNumber: line, endLineNumber: line } };
				});
			},
		};
		const editor = {
			getSelection: () => ({
				getSelectionStart: () => point(1, 1),
				getPosition: () => point(1, 1),
				getEndPosition: () => point(1, 1),
			}),
			getVisibleRanges: () => [range],
			getLayoutInfo: () => ({ contentWidth: 24 * COLUMN_WIDTH, verticalScrollbarWidth: 0 }),
			getScrollLeft: () => this.scrollLeft,
			getScrollWidth: () => 1000,
			getOption: () => ({
				typicalHalfwidthCharacterWidth: COLUMN_WIDTH,
				isMonospace: this.isMonospace,
				wrappingColumn: this.wrappingColumn,
			}),
			getOffsetForColumn: (line: number, column: number) => {
				this.measured++;
				const before = (lines[line - 1] ?? "").slice(0, column - 1);
				return COLUMN_WIDTH * [...before].reduce((sum, one) => sum + (one > "\u2000" ? 2 : 1), 0);
			},
		};
		const api = { editor: { EditorOption: { fontInfo: 0, wrappingInfo: 1 } } } as unknown as typeof monaco;
		return viewOfEditor(
			api,
			editor as unknown as monaco.editor.ICodeEditor,
			model as unknown as monaco.editor.ITextModel,
		);
	}
}

test("calculates the hidden parts of plain lines, because measuring them would draw the editor after each key", () => {
	const editor = new FakeEditor(`short\n${"x".repeat(30)}\n\t\t\t\t${"y".repeat(10)}`);
	// Column 21 is the last visible one, after tabs of four columns.
	expect(editor.view()?.hidden).toEqual([
		{ from: 6 + 21, to: 6 + 30 },
		{ from: 37 + 9, to: 37 + 14 },
	]);
	expect(editor.measured).toBe(0);
});

test("calculates the parts of plain lines to the left of the window", () => {
	const editor = new FakeEditor("x".repeat(12), 4 * COLUMN_WIDTH);
	expect(editor.view()?.hidden).toEqual([{ from: 0, to: 4 }]);
	expect(editor.measured).toBe(0);
});

test.each<[string, string, (editor: FakeEditor) => void]>([
	["a line with wide characters", "漢".repeat(15), () => {}],
	["a line with inlay hints", "x".repeat(30), (editor) => editor.injected.push(1)],
	["a proportional font", "x".repeat(30), (editor) => Object.assign(editor, { isMonospace: false })],
	["wrapped lines", "x".repeat(30), (editor) => Object.assign(editor, { wrappingColumn: 25 })],
	["a line that Monaco cuts off", "x".repeat(10_001), () => {}],
])("measures %s", (_title, source, prepare) => {
	const editor = new FakeEditor(source);
	prepare(editor);
	expect(editor.view()?.hidden).toHaveLength(1);
	expect(editor.measured).toBeGreaterThan(0);
});
