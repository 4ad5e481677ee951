import { expect, test } from "vitest";
import { hasOtherType } from "./declared-type.js";

function isOther(before: string, after: string): boolean {
	const named = (line: string) => ({ line, at: line.indexOf("name"), name: "name" });
	return hasOtherType(named(before), named(after));
}

test.each([
	["a different annotation", "let name: string = x", "let name: number = x"],
	["an added annotation", "const name = read()", "const name: Row[] = read()"],
	["a different type before the name", "const int name = 3;", "const long name = 3;"],
	["a different result", "fn name(all: &[u8]) -> u8 {", "fn name(all: &[u8]) -> Option<u8> {"],
	["a different result of a Python function", "def name(a):", "def name(a) -> list:"],
	["a function that became async", "export function name() {", "export async function name() {"],
	["a different result of an arrow function", "const name = (a): A => f(a)", "const name = (a): B => f(a)"],
	["an alias", 'type name = "a" | "b"', 'type name = "a"'],
	["a literal of a different kind", "const name = 10", 'const name = "ten"'],
	["a list instead of None", "name = None", "name = []"],
	["an object type", "let name: { a: string } = x", "let name: { a: number } = x"],
	["an awaited value", "const name = first()", "const name = await first()"],
	["a different type after a modifier", "private volatile int name;", "private volatile long name;"],
	["a different parameter", "fun name(a: Int) {", "fun name(a: String) {"],
	["a different type of a loop variable", "for (Row name : items) {", "for (Cell name : items) {"],
	["a different superclass", "class name extends A {", "class name extends B {"],
] as const)("finds a different type in %s", (_, before, after) => expect(isOther(before, after)).toBe(true));

test.each([
	["a different value of the same kind", 'const name = "a"', 'const name = "b"'],
	["a different expression", "const name = read(1)", "const name = list(2)"],
	["a different value with a type annotation", "let name: number = 1", "let name: number = f()"],
	["a modifier", "function name() {", "export function name() {"],
	["let instead of const", "const name = 1", "let name = 1"],
	["a different body", "fn name() -> u8 { 1 }", "fn name() -> u8 { 2 }"],
	["a different body in Python", "def name(a): return 1", "def name(a): return 2"],
	["a different comment", "let name: number = 1 // one", "let name: number = 1 // 1"],
	["a different body of an arrow function", "const name = (a) => f(a)", "const name = (a) => g(a)"],
	["an awaited call to a different function", "const name = readSync(p)", "const name = await read(p)"],
	["a string with punctuation", 'const name = "a = b"', 'const name = "a: {"'],
	["a restricted visibility", "fn name() -> u8 {", "pub(crate) fn name() -> u8 {"],
	["a volatile field", "private int name;", "private volatile int name;"],
	["a volatile variable in C", "static int name = 3;", "static volatile int name = 3;"],
	["a constant expression", "static int name = 3;", "static constexpr int name = 3;"],
	["a transient field", "private List<Row> name;", "private transient List<Row> name;"],
	["an open class", "class name {", "open class name {"],
	["a data class", "class name(val a: Int)", "data class name(val a: Int)"],
	["a sealed interface", "interface name {", "sealed interface name {"],
	["a partial class", "public class name {", "public sealed partial class name {"],
	["a foreign function", "fn name() {", 'pub unsafe extern "C" fn name() {'],
	["a suspend function", "fun name(): Row {", "suspend fun name(): Row {"],
	["a virtual method", "public int name() {", "public virtual int name() {"],
	["an annotation before the declaration", "private String name;", '@Column("a") private String name;'],
	["a loop over other values", "for (const name of items) {", "for (const name of lists) {"],
	["a loop over other keys", "for (const name in items) {", "for (const name in lists) {"],
	["a loop over another collection", "for (Row name : items) {", "for (Row name : lists) {"],
	["whitespace", "let name : string", "let name :  string"],
] as const)("finds the same type in %s", (_, before, after) => expect(isOther(before, after)).toBe(false));
