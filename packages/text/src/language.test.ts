import { expect, test } from "vitest";
import { languageOf } from "./language.js";

test.for([
	["src/main.ts", "typescript"],
	["view.tsx", "typescriptreact"],
	["file:///project/a.b/tool.py", "python"],
	["notes.txt", "plaintext"],
	["go", "plaintext"],
	["src.go/go", "plaintext"],
	["x.constructor", "plaintext"],
	["C:\\project.rs\\README", "plaintext"],
] as const)("the language of %s is %s", ([path, language]) => {
	expect(languageOf(path)).toBe(language);
});
