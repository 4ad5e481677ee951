import { someText } from "@segue/testing/arbitrary";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { lineEndOf, withLineEnds } from "./line-ends.js";

test.each([
	["that is empty", "", "\n"],
	["with one line", "one", "\n"],
	["with \\n", "one\ntwo\n", "\n"],
	["with \\r\\n", "one\r\ntwo\r\n", "\r\n"],
	["with \\r", "one\rtwo\r", "\r"],
	["with an empty first line", "\r\n", "\r\n"],
	["with a different ending in its first line", "one\ntwo\r\nsix\r\n", "\r\n"],
	["with a tie", "one\r\ntwo\nsix", "\r\n"],
	["with different endings only near its end", `${"one\r\n".repeat(16)}${"two\n".repeat(40)}`, "\r\n"],
])("finds the line ending of a document %s", (_, source, lineEnd) => {
	expect(lineEndOf(Text.of(source))).toBe(lineEnd);
});

test("converts text to the line endings of its document", () => {
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
