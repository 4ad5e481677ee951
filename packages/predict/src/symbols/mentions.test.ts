import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Search } from "../search/search.js";
import { isDeclaredIn, mentionsOf } from "./mentions.js";

function documentOf(text: Text) {
	return { uri: "a.ts", languageId: "typescript", version: 0, text };
}

test("describes the mentions of a name", () => {
	const text = Text.of('const cnt = a.cnt; // cnt\nuse({ cnt: cnt, b: "cnt" })\n');
	const mentions = mentionsOf(documentOf(text), new Search("cnt"));
	expect(mentions).toEqual([
		{ at: 6, line: 0, isMember: false, isKey: false, isDeclaration: true },
		{ at: 14, line: 0, isMember: true, isKey: false, isDeclaration: false },
		{ at: 32, line: 1, isMember: false, isKey: true, isDeclaration: false },
		{ at: 37, line: 1, isMember: false, isKey: false, isDeclaration: false },
	]);
});

test("finds the same mentions in every version of a text as in a new text", () => {
	const tokens = ["cnt", "a", ".", ":", " ", "const ", "\n", "\n", '"', "`", "//", "/*", "*/", "cnts", "();\n"];
	const someTokens = (maxLength: number) => {
		return fc.array(fc.constantFrom(...tokens), { maxLength, size: "max" }).map((some) => some.join(""));
	};
	const someEdit = fc.tuple(fc.nat(), fc.nat(6), someTokens(4));
	fc.assert(
		fc.property(someTokens(1500), fc.array(someEdit, { minLength: 1, maxLength: 5 }), (source, edits) => {
			let text = Text.of(source);
			for (const [where, length, insert] of edits) {
				mentionsOf(documentOf(text), new Search("cnt"));
				const from = where % (text.length + 1);
				text = text.replace(from, Math.min(from + length, text.length), insert);
				const fresh = Text.of(text.toString());
				expect(mentionsOf(documentOf(text), new Search("cnt"))).toEqual(
					mentionsOf(documentOf(fresh), new Search("cnt")),
				);
			}
		}),
	);
});

test.each([
	["const cnt = 1;\n", true],
	["use(cnt);\nlet cnt;\n", true],
	["use(cnt, a.cnt);\n", false],
	["// const cnt = 1;\nuse(cnt);\n", false],
	['use("const cnt = 1");\n', false],
	["const cnts = 1;\n", false],
	[`const cnt = "${"a".repeat(1000)}";\n`, false],
])("determines whether %j declares a name", (source, isDeclared) => {
	expect(isDeclaredIn(documentOf(Text.of(source)), new Search("cnt"))).toBe(isDeclared);
});

test("a name is declared if one of its mentions declares it", () => {
	const tokens = ["cnt", "a", ".", ":", " ", "const ", "let ", "\n", "\n", '"', "`", "//", "/*", "*/", "cnts", "();\n"];
	const someSource = fc.array(fc.constantFrom(...tokens), { maxLength: 60 }).map((some) => some.join(""));
	fc.assert(
		fc.property(someSource, (source) => {
			const mentions = mentionsOf(documentOf(Text.of(source)), new Search("cnt"));
			const isDeclared = isDeclaredIn(documentOf(Text.of(source)), new Search("cnt"));
			expect(isDeclared).toBe(mentions.some(({ isDeclaration }) => isDeclaration));
		}),
	);
});
