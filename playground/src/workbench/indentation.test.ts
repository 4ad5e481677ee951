import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { indentationOf } from "./editing.js";

test.for([
	["nothing yet", "a.ts", "", "\t"],
	["nothing yet in Python", "a.py", "", "    "],
	["tabs", "a.ts", "if (a) {\n\tif (b) {\n\t\tc();\n\t}\n}\n", "\t"],
	["tabs in Python", "a.py", "if a:\n\tb()\n", "\t"],
	["two spaces", "a.ts", "switch (a) {\n  case 1:\n    return 2;\n  case 3:\n    return 4;\n}\n", "  "],
	["four spaces", "a.ts", "if (a) {\n    if (b) {\n        c();\n    }\n}\n", "    "],
	["two spaces below a comment's stars", "a.ts", "/**\n * A\n * B\n */\nif (a) {\n  b();\n}\n", "  "],
	["two spaces beside one aligned line", "a.ts", "if (a) {\n  b(1,\n      2);\n}\nif (c) {\n  d();\n}\n", "  "],
] as const)("a level of %s in %s is found", ([, path, text, unit]) => {
	expect(indentationOf(Text.of(text.split("\n")), path)).toBe(unit);
});
