// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pictures contain code
import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { swallows, unbalances } from "./balance.js";

/** Returns the drawn document and the drawn change. */
function read(drawn: string, languageId: string) {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a", languageId, version: 0, text: Text.of(before) };
	return { change: Change.of(edits, before.length), document };
}

function isUnbalancing(drawn: string, languageId = "typescript"): boolean {
	const { change, document } = read(drawn, languageId);
	return unbalances(change, document);
}

describe("a change unbalances code", () => {
	test.each([
		["if it opens a block without closing it", "a()\n‹→if (all) {\n›b()\n"],
		["if it closes a block that is not open", "a()\n‹→}\n›b()\n"],
		["if it deletes the head of a block", "‹if (all) {\n→›  a()\n}\n"],
		["if it deletes the end of a call", "f() {\n  a(b‹)→›\n}\n"],
		["if it opens a bracket inside a block", "f() {\n  ‹→[›a\n}\n"],
		["if it opens a multi-line string", "a(‹b→`b›)\n"],
		["if it opens a comment", "‹→/* ›a()\nb()\n"],
		["if it closes with the wrong bracket", "a(b‹)→]›\n"],
	])("%s", (_, drawn) => expect(isUnbalancing(drawn)).toBe(true));
});

describe("a change keeps code balanced", () => {
	test.each([
		["if it inserts both brackets", "a(‹→b(›c‹→)›)\n"],
		["if it inserts a whole block", "a()\n‹→if (all) {\n  b()\n}\n›c()\n"],
		["if it inserts no bracket", "if (‹one→all›) {\n}\n"],
		["if it closes an open block", "if (all) {\n  a()\n‹→}\n›"],
		["if it deletes an extra closing bracket", "if (all) {\n}\n‹}\n→›a()\n"],
		["if it inserts a bracket into a string", 'a("‹→(›")\n'],
		["if it inserts a bracket into a comment", "a() // ‹→(›\n"],
		["if it adds an argument to a multi-line call", "a(\n  b,\n‹→  c(d),\n›)\n"],
		["if it turns one kind of block into another", "‹if (all)→while (all)› {\n}\n"],
	])("%s", (_, drawn) => expect(isUnbalancing(drawn)).toBe(false));

	test("if the document is not code", () => {
		expect(isUnbalancing("one ‹→:-) ›two\n", "plaintext")).toBe(false);
	});
});

/** Insertions before the end of a line, by language. */
const SWALLOWING: readonly (readonly [languageId: string, ...drawn: string[]])[] = [
	[
		"typescript",
		"log(a‹→ // todo›)",
		"log(a‹→ /* todo›)",
		"log(a‹→ // todo ›) // of the sum",
		'log(‹→"a›)',
		"log(‹→'a›, 'b')",
		"log(‹→`a ›)",
		"if (‹→a) // ›) {",
		'const a = "b‹→" + c›"',
		'log("a‹→" + b›")',
		"log(`a ‹→${b›`)",
		"‹→// todo›log(a)",
		"⇥‹→// ›if (a) {\n⇥}",
		"‹→/* ›log(a)",
	],
	["typescriptreact", "return <p>{a‹→ // todo›}</p>", 'return <p class=‹→"a›>b</p>'],
	[
		"python",
		"print(a‹→  # todo›)",
		'print(‹→"a›)',
		"print(‹→f'a {b} ›)",
		'print(‹→"""a›)',
		"print(a‹→  # ›, b)  # note",
		"‹→# call ›print(a)",
	],
	["rust", 'println!(‹→"{}›, a);', "let a = b‹→ // c›;", "let a: &‹→\"›'static str = b;"],
	["go", "fmt.Println(a‹→ // b›)", "fmt.Println(‹→`a›)"],
	["ruby", "puts(a‹→ # b›)", "puts a‹→ # b› if c"],
	["shellscript", "echo $(a‹→ # b›)"],
];

test.each(SWALLOWING.flatMap(([languageId, ...all]) => all.map((drawn) => [drawn, languageId])))(
	"%s swallows the rest of its line in %s",
	(drawn, languageId) => {
		const { change, document } = read(drawn, languageId);
		expect(swallows(change, document)).toBe(true);
	},
);

const HARMLESS: typeof SWALLOWING = [
	[
		"typescript",
		"log(a)‹→ // todo›",
		"log(a‹→ // todo›··",
		"log(a‹→ /* todo */›)",
		"log(a‹→) // of the sum ›// of all",
		'log(‹→"a"›)',
		"log(‹→\"a\", ›'b')",
		"log(‹→b(›a)",
		'log("a‹→bc›")',
		'log("a‹→" + b + "›")',
		'log("a‹→ // b›")',
		'log("a‹→"›)',
		"log(`a ‹→${b} ›`)",
		"log(`a ‹→// ›\n`)",
		'a.match(/b‹→"›/)',
		"// a‹→ // b› c",
		"/* a ‹→b › */ c()",
		"‹→// ›log(a)",
		"⇥‹→//›log(a)",
	],
	["typescriptreact", "return <p>‹→it's ›a</p>", "return <p>‹→<b>›</p>", "return <p>{‹→`a`›}</p>"],
	[
		"python",
		"print(a)‹→  # todo›",
		"print(‹→'a'›)",
		"print(f'a {‹→b›}')",
		"print('‹→#›')",
		"‹→# ›print(a)",
		'print("""a‹→"""›)',
	],
	["rust", "fn f<‹→'b, ›'a>(c: &'a str) {}", "let a = ‹→'b'›;"],
	["go", "fmt.Println(‹→`a`›)"],
	["ruby", 'puts(‹→"a #{b}"›)'],
	["shellscript", "echo ${#‹→a›}"],
	["plaintext", "see ‹→# 1 ›there"],
];

test.each(HARMLESS.flatMap(([languageId, ...all]) => all.map((drawn) => [drawn, languageId])))(
	"%s swallows nothing in %s",
	(drawn, languageId) => {
		const { change, document } = read(drawn, languageId);
		expect(swallows(change, document)).toBe(false);
	},
);

describe("a random change", () => {
	const someSource = fc
		.array(fc.constantFrom("(", ")", "{", "}", "[", "]", "a", " ", "\n"), { maxLength: 30 })
		.map((signs) => signs.join(""));

	/** A reference implementation for code without strings and comments. */
	function isBalanced(source: string): boolean {
		const open: string[] = [];
		for (const sign of source) {
			if ("([{".includes(sign)) open.push(sign);
			else if (")]}".includes(sign) && open.pop() !== { ")": "(", "]": "[", "}": "{" }[sign]) return false;
		}
		return open.length === 0;
	}

	test("to balanced code is rejected if it leaves a brace open, and accepted if the code stays balanced", () => {
		let checked = 0;
		fc.assert(
			fc.property(someSource, someSource, (before, after) => {
				fc.pre(isBalanced(before));
				const document = { uri: "a", languageId: "typescript", version: 0, text: Text.of(before) };
				const change = Change.of([{ from: 0, to: before.length, insert: after }], before.length);
				const braces = after.split("{").length - after.split("}").length;
				if (isBalanced(after)) expect(unbalances(change, document)).toBe(false);
				else if (braces !== 0) expect(unbalances(change, document)).toBe(true);
				checked++;
			}),
		);
		expect(checked).toBeGreaterThan(50);
	});
});
