import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { changeOf, modelChangeCauseOf, operationsOf } from "./model-changes.js";

const TEXT = "abcdefghij";

/** One of Monaco's changes: offset, length of the removed text, new text. */
function change(rangeOffset: number, rangeLength: number, text: string) {
	return { rangeOffset, rangeLength, text };
}

test.for([
	["from the end to the start", [change(8, 1, "C"), change(0, 1, "AA")], "AAbcdefghCj"],
	["from the start to the end", [change(0, 1, "AA"), change(9, 1, "C")], "AAbcdefghCj"],
	["at overlapping places", [change(2, 4, "x"), change(1, 3, "")], "ahij"],
	["at one place", [change(3, 0, "x"), change(3, 0, "y")], "abcyxdefghij"],
	["with line ends", [change(3, 0, "\r\n😀")], "abc\r\n😀defghij"],
] as const)("combines a model's changes %s into one change", ([_order, changes, after]) => {
	expect(changeOf(changes, TEXT.length).apply(Text.of(TEXT)).toString()).toBe(after);
});

test("refuses changes that do not fit the known text", () => {
	expect(() => changeOf([change(5, 3, "")], 6)).toThrow(RangeError);
});

test.for([
	[{ isUndoing: true, isRedoing: false }, { isPasting: false, hasFocus: true }, "undo"],
	[{ isUndoing: false, isRedoing: true }, { isPasting: false, hasFocus: true }, "redo"],
	[{ isUndoing: false, isRedoing: false }, { isPasting: true, hasFocus: true }, "paste"],
	[{ isUndoing: false, isRedoing: false }, { isPasting: false, hasFocus: true }, "typing"],
	[{ isUndoing: false, isRedoing: false }, { isPasting: false, hasFocus: false }, "other"],
] as const)("reports %j in an editor with %j as %s", ([event, state, cause]) => {
	expect(modelChangeCauseOf(event, state)).toBe(cause);
});

test("converts edits to ranges of lines and columns", () => {
	const getPositionAt = (offset: number) => ({ lineNumber: offset < 4 ? 1 : 2, column: (offset % 4) + 1 }) as never;
	expect(operationsOf([{ from: 2, to: 5, insert: "x\n" }], { getPositionAt })).toEqual([
		{
			range: { startLineNumber: 1, startColumn: 3, endLineNumber: 2, endColumn: 2 },
			text: "x\n",
			forceMoveMarkers: true,
		},
	]);
});
