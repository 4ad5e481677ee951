import { EditorSelection, EditorState, Text } from "@codemirror/state";
import { beforeAll, expect, test } from "vitest";
import { loadSyntaxes } from "./colouring.js";
import { indentation, indentationOf, insertNewline } from "./indentation.js";
import { coloursOf } from "./language.js";

beforeAll(loadSyntaxes);

test.for([
	["the default", "a.ts", "", "\t"],
	["the default for Python", "a.py", "", "    "],
	["tabs", "a.ts", "if (a) {\n\tif (b) {\n\t\tc();\n\t}\n}\n", "\t"],
	["tabs in Python", "a.py", "if a:\n\tb()\n", "\t"],
	["two spaces", "a.ts", "switch (a) {\n  case 1:\n    return 2;\n  case 3:\n    return 4;\n}\n", "  "],
	["four spaces", "a.ts", "if (a) {\n    if (b) {\n        c();\n    }\n}\n", "    "],
	["two spaces below a comment's stars", "a.ts", "/**\n * A\n * B\n */\nif (a) {\n  b();\n}\n", "  "],
	["two spaces despite one aligned line", "a.ts", "if (a) {\n  b(1,\n      2);\n}\nif (c) {\n  d();\n}\n", "  "],
] as const)("recognizes the indentation of a file: %s in %s", ([, path, text, unit]) => {
	expect(indentationOf(Text.of(text.split("\n")), path)).toBe(unit);
});

test.for([
	["keeps tabs", "a.ts", "\tb();▮", "\tb();\n\t▮"],
	["keeps two spaces", "a.ts", "if (a) {\n  b();▮\n}", "if (a) {\n  b();\n  ▮\n}"],
	["goes one level deeper with the file's unit", "a.ts", "if (a) {\n  if (b) {▮", "if (a) {\n  if (b) {\n    ▮"],
	["goes one tab deeper", "a.go", "\tif a {▮", "\tif a {\n\t\t▮"],
	["goes deeper after a colon", "a.py", "def a():\n    if b:▮", "def a():\n    if b:\n        ▮"],
	["goes one level back after return", "a.py", "def a():\n    return b▮", "def a():\n    return b\n▮"],
	["opens a pair of brackets", "a.ts", "  f({▮})", "  f({\n    ▮\n  })"],
	["keeps spaces in a file with tabs", "a.ts", "\ta(b,\n\t  c,▮", "\ta(b,\n\t  c,\n\t  ▮"],
	["keeps the indentation of a comment", "a.ts", "\tb();\n// c▮", "\tb();\n// c\n▮"],
	["keeps the indentation of a blank line", "a.ts", "if (a) {\n\t\tb();\n\t▮\n}", "if (a) {\n\t\tb();\n\n\t▮\n}"],
	["keeps the indentation in a language without rules", "a.css", "p {\n   color: red;▮", "p {\n   color: red;\n   ▮"],
	["keeps the indentation of plain text", "notes", "  - one▮", "  - one\n  ▮"],
	["removes white space before the break", "a.ts", "\ta + ▮b", "\ta +\n\t▮b"],
	["moves a line down with its indentation", "a.ts", "▮\ta();", "\n▮\ta();"],
] as const)("Enter %s", ([, path, before, after]) => {
	expect(afterEnter(path, before)).toBe(after);
});

test("Enter uses the unit of the lines above, even in a file that was empty at first", () => {
	let state = stateOf("a.ts", "▮");
	state = state.update({ changes: { from: 0, insert: "a {\n  b {" }, selection: { anchor: 9 } }).state;
	expect(entered(state)).toBe("a {\n  b {\n    ▮");
});

function afterEnter(path: string, drawn: string): string {
	return entered(stateOf(path, drawn));
}

function entered(state: EditorState): string {
	let after = state;
	insertNewline({ state, dispatch: (transaction) => (after = transaction.state) });
	const { head } = after.selection.main;
	return `${after.sliceDoc(0, head)}▮${after.sliceDoc(head)}`;
}

function stateOf(path: string, drawn: string): EditorState {
	return EditorState.create({
		doc: drawn.replace("▮", ""),
		selection: EditorSelection.cursor(drawn.indexOf("▮")),
		extensions: [indentation(path), coloursOf(path)],
	});
}
