import { expect, test } from "vitest";
import { hasOtherType } from "./declared-type.js";

function isOther(before: string, after: string): boolean {
	const named = (line: string) => ({ line, at: line.indexOf("name"), name: "name" });
	return hasOtherType(named(before), named(after));
}

test.each([
	["another annotation", "let name: string = x", "let name: number = x"],
	["an annotation that came", "const name = read()", "const name: Row[] = read()"],
	["another type before the name", "const int name = 3;", "const long name = 3;"],
	["another result", "fn name(all: &[u8]) -> u8 {", "fn name(all: &[u8]) -> Option<u8> {"],
	["another result of a function of Python", "def name(a):", "def name(a) -> list:"],
	["a function that became async", "export function name() {", "export async function name() {"],
	["another result of an arrow function", "const name = (a): A => f(a)", "const name = (a): B => f(a)"],
	["an alias", 'type name = "a" | "b"', 'type name = "a"'],
	["a literal of another kind", "const name = 10", 'const name = "ten"'],
	["a list that was nothing", "name = None", "name = []"],
	["an object type", "let name: { a: string } = x", "let name: { a: number } = x"],
	["a value that is awaited", "const name = first()", "const name = await first()"],
	["another superclass", "class name extends A {", "class name extends B {"],
] as const)("sees another type in %s", (_, before, after) => expect(isOther(before, after)).toBe(true));

test.each([
	["another value of the same kind", 'const name = "a"', 'const name = "b"'],
	["another expression", "const name = read(1)", "const name = list(2)"],
	["another value with a written type", "let name: number = 1", "let name: number = f()"],
	["a modifier", "function name() {", "export function name() {"],
	["let for const", "const name = 1", "let name = 1"],
	["another body", "fn name() -> u8 { 1 }", "fn name() -> u8 { 2 }"],
	["another body in Python", "def name(a): return 1", "def name(a): return 2"],
	["another comment", "let name: number = 1 // one", "let name: number = 1 // 1"],
	["another body of an arrow function", "const name = (a) => f(a)", "const name = (a) => g(a)"],
	["a call that is awaited and is another one", "const name = readSync(p)", "const name = await read(p)"],
	["a string with a sign in it", 'const name = "a = b"', 'const name = "a: {"'],
	["white space", "let name : string", "let name :  string"],
] as const)("sees the same type in %s", (_, before, after) => expect(isOther(before, after)).toBe(false));
