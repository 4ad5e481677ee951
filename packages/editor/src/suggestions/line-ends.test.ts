import { someText } from "@segue/testing/arbitrary";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { lineEndOf, withLineEnds } from "./line-ends.js";

test.each([
	["that is empty", "", "\n"],
	["of one line", "one", "\n"],
	["of lines that end in \\n", "one\ntwo\n", "\n"],
	["of lines that end in \\r\\n", "one\r\ntwo\r\n", "\r\n"],
	["of lines that end in \\r", "one\rtwo\r", "\r"],
	["with an empty first line", "\r\n", "\r\n"],
	["whose first line is an exception", "one\ntwo\r\nsix\r\n", "\r\n"],
	["in which no kind has the most", "one\r\ntwo\nsix", "\r\n"],
	["whose end alone is different", `${"one\r\n".repeat(16)}${"two\n".repeat(40)}`, "\r\n"],
])("the line end of a text %s is found", (_, source, lineEnd) => {
	expect(lineEndOf(Text.of(source))).toBe(lineEnd);
});

test("what is written takes the line ends of its document, and keeps its lines", () => {
	const someLineEnd = fc.constantFrom("\n", "\r\n", "\r");
	fc.assert(
		fc.property(someText(), someLineEnd, (insert, lineEnd) => {
			const written = Text.of(withLineEnds(insert, lineEnd));
			const lines = Array.from({ length: written.lineCount }, (_, line) => written.line(line));
			expect(lines.join("\n")).toBe(withLineEnds(insert, "\n"));
			expect(written.toString()).toBe(lines.join(lineEnd));
			if (lines.length > 1) expect(lineEndOf(written)).toBe(lineEnd);
			expect(withLineEnds(written.toString(), lineEnd)).toBe(written.toString());
		}),
	);
});
