import { afterOf, readPicture } from "@segue/story";
import { Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { boxBeside, columnsIn } from "./drawing.js";

/** Draws the box of a suggestion to the right of the code, without the marks of the picture. */
function beside(picture: string, tabSize = 4): string {
	const { before, edits } = readPicture(picture);
	const lines = before.split(/\r?\n/);
	for (const { line, gap, text, isNew } of boxBeside(edits, Text.of(before), tabSize)) {
		lines[line] += `${" ".repeat(gap)}${isNew ? "+" : "|"}${text}|`;
	}
	expect(afterOf({ before, edits, selection: undefined, diagnostics: [] })).not.toBe(before);
	return lines.join("\n");
}

describe("the box beside the code", () => {
	test("contains the touched lines as they will be, without their shared indentation", () => {
		expect(beside("f() {\n  first()‹→\n  second()›\n}\n\nend")).toBe(
			["f() {", "  first()   | first()  |", "}           + second() |", "", "end"].join("\n"),
		);
	});

	test("is to the right of the longest line beside it", () => {
		expect(beside("a‹→\nb›\nmuch longer\nend")).toBe(["a             | a |", "much longer   + b |", "end"].join("\n"));
	});

	test("starts further up if the document ends", () => {
		expect(beside("one\ntwo\nthree‹→\nfour\nfive›")).toBe(
			["one     | three |", "two     + four  |", "three   + five  |"].join("\n"),
		);
	});

	test("is cut off if the document has too few lines", () => {
		expect(beside("a‹→\nb\nc\nd›")).toBe("a   | … 4 more lines |");
	});

	test("expands tabs and counts wide characters twice", () => {
		expect(beside("漢‹→\nb›\n⇥x\nend")).toBe(["漢      | 漢 |", "\tx   + b  |", "end"].join("\n"));
	});
});

test.each([
	["", 0],
	["abc", 3],
	["\ta", 5],
	["a\tb", 5],
	["漢字", 4],
	["😀", 2],
	["e\u0301", 1],
])("%j takes %i columns", (text, columns) => {
	expect(columnsIn(text, 4)).toBe(columns);
});
