import { Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { isMemberAccess, isObjectKey, type Role, roleAt } from "./name-role.js";

const LETTERS: Readonly<Record<Role, string>> = {
	argument: "a",
	declaration: "D",
	field: "f",
	foreign: "o",
	import: "I",
	key: "k",
	member: "m",
	pattern: "P",
	shorthand: "S",
	use: "u",
};

function documentOf(languageId: string, source: string) {
	return { uri: "a", languageId, version: 0, text: Text.of(source) };
}

/** Returns the roles of all occurrences of `name` in a program, one letter each. */
function rolesIn(languageId: string, source: string): string {
	const document = documentOf(languageId, source);
	return Array.from(source.matchAll(/(?<![\w$])name(?![\w$])/g), ({ index }) => {
		const role = roleAt(document, index, "name");
		return role === undefined ? "-" : LETTERS[role];
	}).join("");
}

describe.each([
	[
		"typescript",
		[
			["const name = 1; let a = name", "Du"],
			["function name(a) { name(1) }", "Du"],
			["function f(name: string, b = name) {}", "Du"],
			["function f(a: string, name?: string): name {}", "Du"],
			["function f(\n\ta: A,\n\tname: B,\n) {}", "D"],
			["const f = (name: string) => name", "Du"],
			["const f = (a, name): A => name", "Du"],
			["list.map(name => name.id)", "Du"],
			["list.map(async ({ name, a: { b } }) => name)", "Pu"],
			["f({ name: 1, a: name })", "ku"],
			["f({ name })", "S"],
			["f({ a, name, b })", "S"],
			["return { a: 1, name }", "S"],
			["const x = {\n\ta: 1, // b\n\tname,\n}", "S"],
			["f({ name() {}, async name() {} })", "kk"],
			["const { name } = a", "P"],
			["const { a, name = 1, ...b } = c", "P"],
			["const { name: b, c: name } = a", "kD"],
			["const { a: { name } } = b", "P"],
			["const [a, name] = b", "D"],
			["function f({ name, b }: A) {}", "P"],
			['import { a, name } from "./a"', "I"],
			['import {\n\ta,\n\tname,\n} from "./a"', "I"],
			['import { name as a, b as name } from "./a"', "oD"],
			['import name from "./a"', "D"],
			['import * as name from "./a"', "D"],
			["export { name }", "u"],
			["a.name = b?.name + this.#name", "mmm"],
			["a\n\t.name()", "m"],
			["interface A { name: string; a(name: string): void }", "fD"],
			["interface A {\n\treadonly name?: string\n}", "f"],
			["type A = { name: string }", "f"],
			["function f(a: { name: string }) {}", "f"],
			["class A {\n\tprivate readonly name = 1\n\tname(): void {}\n\tf() { return name }\n}", "ffu"],
			["class A {\n\tconstructor(private readonly name: string) {}\n}", "D"],
			["if (a) { name(1) } else { name = 2 }", "uu"],
			["a ? name : b; switch (a) { case name: f() }", "uu"],
			["for (const name of names) f(name)", "Du"],
			["switch (a) {\n\tcase 1: {\n\t\tconst name = 1\n\t\tname()\n\t}\n}", "Du"],
			["const a = b ? null : { name, c: 1 }", "S"],
			["const a = b as { name: string }", "f"],
			["class A {\n\tstatic readonly a = new name(1)\n}", "u"],
			["function f(a: readonly name[]) {}", "u"],
			["try { f() } catch (name) { g(name) }", "Du"],
			["type name = A; const a = [...name]", "Du"],
			[`f(\`\${name} name\`, "name") // name`, "u---"],
			["class name extends A<name> {}", "Du"],
		],
	],
	["typescriptreact", [["return <A on={() => a} name={name} b>name {name}</A>", "au-u"]]],
	[
		"python",
		[
			["name = 1\nf(name)", "Du"],
			["f(name=1)", "a"],
			["f(a, name=name)", "au"],
			["f(\n    a,\n    name=name,\n)", "au"],
			["def f(a, name=1, *b): return name", "Du"],
			["def f(a: name, b=name): pass", "uu"],
			["def f(\n    a,\n    name: str = b,\n): pass", "D"],
			["class A:\n    name: str = 1\n    def name(self): pass", "ff"],
			["def f():\n    def name(): pass\n    name()", "Du"],
			["from a import name, b", "I"],
			["from a import (\n    b,\n    name,\n)", "I"],
			["from a import name as b, c as name", "oD"],
			["import name", "I"],
			["self.name = name", "mu"],
			["for a, name in b: f(name)", "Du"],
			["with f() as name: g(name)", "Du"],
			["f(lambda name: name)", "Du"],
			["{name: 1, 'a': name}", "uu"],
			["if (name == 1): pass", "u"],
			["a, name = b", "D"],
			["f'{name}' # name", "u-"],
		],
	],
	[
		"go",
		[
			["name := 1", "D"],
			["a, name := f(name)", "Du"],
			["if name := f(); name {", "Du"],
			["var name int", "D"],
			["func name() {}", "D"],
			["func (a *A) name(b int) {}", "f"],
			["func f(a int, name string) {}", "D"],
			["a := A{name: name}", "ku"],
			["type A struct {\n\tname string\n}", "f"],
			["a.name = name", "mu"],
		],
	],
	[
		"rust",
		[
			["let mut name = 1;", "D"],
			["fn f(a: u8, name: &str) -> name {}", "Du"],
			["fn f<'name>(a: &'name str) {}", "--"],
			["let a = A { name: 1, b: name };", "ku"],
			["let a = A { name };", "S"],
			["struct A {\n    pub name: u8,\n}", "f"],
			["impl A {\n    pub fn name(&self) { self.name() }\n}", "fm"],
			["a.map(|name| name + 1)", "Du"],
			["a | name", "u"],
			["use a::name;", "m"],
			["A::name(name)", "mu"],
		],
	],
	[
		"java",
		[
			["int name = 1;", "D"],
			["void f(String a, final String name) { g(name); }", "Du"],
			["class A {\n\tprivate String name;\n\tvoid name() {}\n}", "ff"],
			["f(name -> name + 1);", "Du"],
			["this.name = name;", "mu"],
		],
	],
	[
		"csharp",
		[
			["f(name: 1, a: name);", "au"],
			["var name = a.Select(b => b.name);", "Dm"],
		],
	],
	[
		"cpp",
		[
			["int f(const A& name) { return name; }", "Du"],
			["a->name = b::name;", "mm"],
		],
	],
	[
		"ruby",
		[
			["name = 1\nf(name: name)", "Dau"],
			["def f(a, name = 1)\nend", "D"],
			["a.name", "m"],
		],
	],
	["php", [["<?php f(name: 1); $a->name = 1;", "am"]]],
] as const)("in %s", (languageId, cases) => {
	test.each(cases as readonly (readonly [string, string])[])("%j: %s", (source, letters) =>
		expect(rolesIn(languageId, source)).toBe(letters),
	);
});

test("distinguishes an object key from a typed parameter", () => {
	expect(isObjectKey(documentOf("typescript", "f({ name: a })"), 4, "name")).toBe(true);
	expect(isObjectKey(documentOf("typescript", "function f(name: A) {}"), 11, "name")).toBe(false);
});

test("distinguishes a member access from a spread", () => {
	expect(isMemberAccess(documentOf("typescript", "a.name"), 2)).toBe(true);
	expect(isMemberAccess(documentOf("typescript", "[...name]"), 4)).toBe(false);
});
