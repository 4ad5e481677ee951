import { expect, test } from "vitest";
import { declarationAt, isName } from "./identifiers.js";

test.each([
	["const X = 1", "local"],
	["    let mut X = 1;", "local"],
	["X := 1", "local"],
	["int X = 1;", "local"],
	["private final Counter X = 1;", "local"],
	["def area(a, X=1):", "parameter"],
	["func (c *Circle) area(X int) int {", "parameter"],
	["fn area(&self, X: u32)", "parameter"],
	["func (c *Circle) X() int {", "shared"],
	["export class X {", "shared"],
	["pub fn X()", "shared"],
	["log(X)", undefined],
	["return X;", undefined],
	["await X;", undefined],
	["a.X = 1", undefined],
	["if (a == X) {", undefined],
] as const)("in %j, the declaration of X is %s", (line, declaration) => {
	expect(declarationAt(line, line.indexOf("X"), "X")).toBe(declaration);
});

test.each([
	["größe", true],
	["$el", true],
	["1st", false],
	["a b", false],
	["return", false],
	["", false],
])("isName(%j) is %s", (text, expected) => expect(isName(text)).toBe(expected));

test.each([
	["map", "typescript", true],
	["map", "go", false],
	["func", "python", true],
	["def", "python", false],
	["def", "markdown", false],
] as const)("isName(%j) in %s is %s", (text, languageId, expected) => {
	expect(isName(text, languageId)).toBe(expected);
});
