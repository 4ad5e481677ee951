import { readPicture } from "@segue/story";
import { Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import { openAt } from "../languages/scope.js";
import { type BracketPurpose, codeAfter, codeBefore, hasMarkup, purposeOf } from "./code-context.js";

/** Returns the drawn document and the offset of its cursor. */
function drawnAs(drawn: string, languageId: string) {
	const { before, selection } = readPicture(drawn);
	return { document: { uri: "a", languageId, version: 0, text: Text.of(before) }, at: selection?.head ?? 0 };
}

/** The purpose of the innermost bracket around the cursor. */
function purposeAt(drawn: string, languageId: string): BracketPurpose {
	const { document, at } = drawnAs(drawn, languageId);
	return purposeOf(document, openAt(document, at));
}

describe("the purpose of the brackets around an offset", () => {
	test.each<[BracketPurpose, string, string]>([
		["block", "a▮b", "typescript"],
		["block", "if (a) { ▮ }", "typescript"],
		["block", "const f = () => { ▮ }", "typescript"],
		["block", "switch (a) { case 1: { ▮ } }", "typescript"],
		["block", "<A b={▮} />", "typescriptreact"],
		["block", "match a { ▮ }", "rust"],
		["block", "for x := range all { ▮ }", "go"],
		["block", "for i := 0; i < n; i++ { ▮ }", "go"],
		["block", "if a == b { ▮ }", "go"],
		["block", "if err := f(); err != nil { ▮ }", "go"],
		["block", "if a {\n} else if b == c { ▮ }", "go"],
		["block", "if let Some(x) = y { ▮ }", "rust"],
		["block", "while a == b { ▮ }", "rust"],
		["object", "const a = { ▮ }", "typescript"],
		["object", "f({ ▮ })", "javascript"],
		["object", "return { ▮ }", "typescript"],
		["object", "const a = b ? 1 : { ▮ }", "typescript"],
		["object", "p := Point{ ▮ }", "go"],
		["object", "let p = Point { ▮ }", "rust"],
		["pattern", "const { ▮ } = a", "typescript"],
		["pattern", "let [▮] = a", "typescript"],
		["pattern", "function f({ ▮ }) {}", "javascript"],
		["pattern", "function f(a, [▮]) {}", "javascript"],
		["import", "import { ▮ } from 'a'", "typescript"],
		["import", "import type { ▮ } from 'a'", "typescript"],
		["import", "import a, { ▮ } from 'a'", "typescript"],
		["export", "export { ▮ }", "typescript"],
		["type", "interface A { ▮ }", "typescript"],
		["type", "type A = { ▮ }", "typescript"],
		["type", "let a: { ▮ }", "typescript"],
		["type", "struct A { ▮ }", "rust"],
		["type", "a as { ▮ }", "typescript"],
		["class", "class A extends B { ▮ }", "typescript"],
		["class", "impl A for B { ▮ }", "rust"],
		["parameters", "function f(▮) {}", "javascript"],
		["parameters", "func (s *Server) Get(▮) {}", "go"],
		["parameters", "const f = (▮) => 1", "typescript"],
		["parameters", "try {} catch (▮) {}", "typescript"],
		["parameters", "class A { f(▮) {} }", "typescript"],
		["parameters", "int add(▮) {}", "c"],
		["call", "f(▮)", "typescript"],
		["call", "return f(▮)", "typescript"],
		["call", "new A(▮)", "java"],
		["call", "add(▮);", "c"],
		["group", "if (▮) {}", "typescript"],
		["group", "return (▮)", "typescript"],
		["group", "const a = [▮]", "typescript"],
	])("is %s: %s", (purpose, drawn, languageId) => expect(purposeAt(drawn, languageId)).toBe(purpose));

	test.each<[BracketPurpose, string, string]>([
		["object", "/* function */ f({ ▮ })", "javascript"],
		["call", "f( // function g(\n▮)", "javascript"],
		["call", 'f("function (", ▮)', "javascript"],
	])("is %s despite comments and strings: %s", (purpose, drawn, languageId) => {
		expect(purposeAt(drawn, languageId)).toBe(purpose);
	});
});

describe("the code around an offset", () => {
	test.each([
		["is the text on both sides", "one(▮two)", "one(", "two)"],
		["has no comments", "a /* b */ c▮ // d\ne", "a  c", " \ne"],
		["has empty strings", 'a("b", ▮"c")', 'a("", ', '"")'],
		["includes adjacent lines", "a\nb▮\nc", "a\nb", "\nc"],
	])("%s", (_, drawn, before, after) => {
		const { document, at } = drawnAs(drawn, "typescript");
		expect([codeBefore(document, at), codeAfter(document, at)]).toEqual([before, after]);
	});

	test("is limited to a few lines and a few hundred characters", () => {
		const many = drawnAs(`${"a\n".repeat(20)}▮${"b\n".repeat(20)}`, "typescript");
		expect(codeBefore(many.document, many.at)).toBe("a\n".repeat(6));
		expect(codeAfter(many.document, many.at)).toBe("b\n".repeat(6).slice(0, -1));
		const long = drawnAs(`${"a".repeat(900)}▮${"b".repeat(900)}`, "typescript");
		expect(codeBefore(long.document, long.at)).toBe("a".repeat(400));
		expect(codeAfter(long.document, long.at)).toBe("b".repeat(400));
	});
});

test.each([
	["typescriptreact", true],
	["javascriptreact", true],
	["javascript", true],
	["typescript", false],
	["python", false],
])("recognizes whether %s has JSX", (languageId, has) => expect(hasMarkup(languageId)).toBe(has));
