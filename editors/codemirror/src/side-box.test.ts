import { someEdits } from "@segue/testing/arbitrary";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dedent, sideBoxOf } from "./suggestion-drawing.js";

function draw(text: string, from: number, to: number, insert: string): string {
	const { parts } = sideBoxOf([{ from, to, insert }], text);
	return parts.map((part) => (part.isNew ? `[${part.text}]` : part.text)).join("");
}

test.each([
	["an added line", "a\nb\nc", 3, 3, "\nx", "b[\nx]"],
	["several lines that become one", "a\nb\nc", 2, 5, "x", "[x]"],
	["part of a line", "a\nfoo(b)\nc", 6, 7, "x,\ny", "foo([x,\ny])"],
	["the beginning of a document", "\na", 0, 0, "x\n", "[x\n]"],
])("shows the affected lines as they will be after the edit: %s", (_title, text, from, to, insert, drawn) => {
	expect(draw(text, from, to, insert)).toBe(drawn);
});

test.each([
	["the indentation that all lines share", ["    a\n", "      b\n    c"], ["a\n", "  b\nc"]],
	["tabs", ["\t\ta", "\n\t\t\tb"], ["a", "\n\tb"]],
	["indentation that is split into parts", ["  ", "  a\n    b"], ["", "a\nb"]],
	["nothing if a line has no indentation", ["a\n", "  b"], ["a\n", "  b"]],
	["an empty last line", ["  a", "\n  b\n"], ["a", "\nb"]],
	["nothing from blank lines", ["\n", "\n"], ["\n", ""]],
])("removes %s", (_, texts, expected) => {
	const parts = texts.map((text, i) => ({ text, isNew: i % 2 === 1 }));
	expect(dedent(parts).map(({ text }) => text)).toEqual(expected);
});

test("shows exactly the text after the edits", () => {
	const drawn = fc.string({ unit: fc.constantFrom("a", "b", "\n") }).chain((text) => {
		return fc.record({ text: fc.constant(text), edits: someEdits(text.length) });
	});
	fc.assert(
		fc.property(drawn, ({ text, edits }) => {
			fc.pre(edits.length > 0);
			const { from, parts } = sideBoxOf(edits, text);
			const last = Math.max(...edits.map(({ to }) => to));
			const lineEnd = text.indexOf("\n", last);
			const shown = parts.map((part) => part.text).join("");
			const after = text.slice(0, from) + shown + text.slice(lineEnd < 0 ? text.length : lineEnd);
			expect(after).toBe(Change.of(edits, text.length).apply(Text.of(text)).toString());
			expect(from === 0 || text[from - 1] === "\n").toBe(true);
		}),
	);
});
