import { Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listAt, signatureOn } from "./signature.js";

function documentOf(languageId: string, source: string) {
	return { uri: "a", languageId, version: 0, text: Text.of(source) };
}

describe("a signature", () => {
	test.for([
		["typescript", "export async function load(path: string, mode?: Map<a, b>) {", "load", ["path", "mode?"]],
		["typescript", "const load = async (path: string, ...rest) => {", "load", ["path", "rest?"]],
		["typescript", "  private static load(path = { a: [1, 2] }) {", "load", ["path?"]],
		["python", "    def load(self, path, *, mode=None):", "load", ["path", "*?", "mode?"]],
		["rust", "    pub fn load<T>(&mut self, path: &str, mut mode: Vec<(u8, u8)>) -> T {", "load", ["path", "mode"]],
		["go", "func (s *Store) Load(path string, mode ...int) error {", "Load", ["path", "mode?"]],
		["java", "    public static Map<A, B> load(String path, List<A> all) {", "load", ["path", "all"]],
		["csharp", "    public int Load(string path, params int[] all) {", "Load", ["path", "all?"]],
		["cpp", "static int load(const char *path, int mode) {", "load", ["path", "mode"]],
		["ruby", "  def load(path, mode = nil)", "load", ["path", "mode?"]],
	] as const)("is read in %s: %s", ([languageId, line, name, parameters]) => {
		const signature = signatureOn(documentOf(languageId, line), 0);
		expect(signature?.name).toBe(name);
		expect(signature?.parameters.map((one) => one.name + (one.isOptional ? "?" : ""))).toEqual(parameters);
	});

	test.for([
		["typescript", "  if (path) {"],
		["typescript", "  load(path)"],
		["typescript", "// function load(path) {"],
		["java", "        return load(path);"],
		["go", "\trun(path)"],
		["python", "load(path, mode)"],
	] as const)("is not found in %s: %s", ([languageId, line]) => {
		expect(signatureOn(documentOf(languageId, line), 0)).toBeUndefined();
	});
});

describe("a list", () => {
	const someItem = fc.constantFrom("a", "f(b, c)", "[1, 2]", "{ d: (e, 1) }", '"(,"', "x => y");

	test("has all items with their offsets", () => {
		fc.assert(
			fc.property(fc.array(someItem), fc.constantFrom(", ", ",\n\t", " , "), (items, between) => {
				const source = `call(${items.join(between)}) + other(1)`;
				const list = listAt(documentOf("typescript", source), 4, "arguments");
				expect(list?.items.map(({ text }) => text)).toEqual(items);
				expect(list?.items.map(({ from, to }) => source.slice(from, to))).toEqual(items);
				expect(source.slice(list?.to)).toBe(" + other(1)");
			}),
		);
	});

	test("is undefined if it is not closed", () => {
		expect(listAt(documentOf("typescript", "call(a, (b)"), 4, "arguments")).toBeUndefined();
		expect(listAt(documentOf("typescript", `call(${"a, ".repeat(5000)})`), 4, "arguments")).toBeUndefined();
	});
});
