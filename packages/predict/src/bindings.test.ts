import { Text } from "@segue/text";
import { expect, test } from "vitest";
import { bindingAt, declarationsIn } from "./bindings.js";
import { Search } from "./find.js";

/** For each place where `x` stands, the number of the one where that is declared: `-` if it is not. */
function bindingsIn(languageId: string, source: string): string {
	const document = { uri: "a", languageId, version: 0, text: Text.of(source) };
	const name = new Search("x");
	const places = name.in(document.text) ?? [];
	return places
		.map((at) => {
			const declared = bindingAt(document, at, name);
			return declared === undefined ? "-" : places.indexOf(declared.at);
		})
		.join("");
}

test.each([
	["typescript", "const x = 1\nf(x)", "00"],
	["typescript", "f(x)\n{ const x = 1; f(x) }\nf(x)", "-11-"],
	["typescript", "const x = 1\nlist.map((x) => x + 1)\nf(x)", "0110"],
	["typescript", "const x = 1\nf(x => x, x)", "0110"],
	["typescript", "const x = 1\nconst g = x =>\n\tx\n\t\t.y(x)\nf(x)", "01110"],
	["typescript", "function f(x: A) {\n\tif (x) { return x }\n}\nx", "000-"],
	["typescript", "function f({ x }: A): B {\n\treturn x\n}\nx", "00-"],
	["typescript", "function f(x: A): { b: B } {\n\treturn x ? { x } : { a: x }\n}\nx", "0000-"],
	["typescript", "for (const x of a) {\n\tf(x)\n}\nx", "00-"],
	["typescript", "class A { m(x) { f(x) } n() { x } }", "00-"],
	["typescript", "import { x } from 'a'\nf(x, (x) => { x }, x)", "00220"],
	["python", "def f(x):\n    return x\n\ndef g():\n    x = 1\n    return x\nx", "0022-"],
	["python", "x = 1\ndef f(\n    x,\n):\n    return x\nx", "0110"],
	["python", "def f():\n    x = 1\n\n    def g():\n        return x\n    return x", "000"],
	["go", "func f(x int) int {\n\treturn x\n}\nfunc g() { x := 1; h(x) }", "0022"],
	["rust", "let x = 1; a.map(|x| x + 1); f(x)", "0110"],
	["rust", "fn f(x: u8) -> u8 { x }\nfn g(y: u8) -> u8 { x }", "00-"],
	["java", "void f(int x) { g(x); }\nvoid h() { int x = 1; g(x); }", "0022"],
] as const)("in %s, %j is bound as %s", (languageId, source, bindings) => {
	expect(bindingsIn(languageId, source)).toBe(bindings);
});

test("knows all declarations of a name, and where they reach", () => {
	const source = "const x = 1\nfunction f(x) {\n\treturn { x }\n}\n";
	const document = { uri: "a", languageId: "typescript", version: 0, text: Text.of(source) };
	const found = declarationsIn(document, new Search("x"));
	const scopes = found.map(({ scope }) => source.slice(scope.from, scope.to));
	expect(found.map(({ isParameter }) => isParameter)).toEqual([false, true]);
	expect(scopes).toEqual([source, "(x) {\n\treturn { x }\n"]);
});
