// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is drawn is code
import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { swallows, unbalances } from "./balance.js";

/** The edits of a picture, and the document that they are for. */
function read(drawn: string, languageId: string) {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a", languageId, version: 0, text: Text.of(before) };
	return { change: Change.of(edits, before.length), document };
}

/** Whether the edits of a picture leave brackets, strings or comments without their ends. */
function isHarmful(drawn: string, languageId = "typescript"): boolean {
	const { change, document } = read(drawn, languageId);
	return unbalances(change, document);
}

describe("a change does harm", () => {
	test.each([
		["that opens a block and does not close it", "a()\n‹→if (all) {\n›b()\n"],
		["that closes a block that is not open", "a()\n‹→}\n›b()\n"],
		["that takes away the head of a block", "‹if (all) {\n→›  a()\n}\n"],
		["that takes away an argument with the end of its call", "f() {\n  a(b‹)→›\n}\n"],
		["that opens a bracket inside of a block", "f() {\n  ‹→[›a\n}\n"],
		["that opens a string over several lines", "a(‹b→`b›)\n"],
		["that opens a comment", "‹→/* ›a()\nb()\n"],
		["that closes with another bracket", "a(b‹)→]›\n"],
	])("%s", (_, drawn) => expect(isHarmful(drawn)).toBe(true));
});

describe("a change does no harm", () => {
	test.each([
		["that brings both brackets", "a(‹→b(›c‹→)›)\n"],
		["that brings a whole block", "a()\n‹→if (all) {\n  b()\n}\n›c()\n"],
		["that brings no bracket", "if (‹one→all›) {\n}\n"],
		["that closes what was left open", "if (all) {\n  a()\n‹→}\n›"],
		["that takes away what was closed twice", "if (all) {\n}\n‹}\n→›a()\n"],
		["that writes a bracket into a string", 'a("‹→(›")\n'],
		["that writes a bracket into a comment", "a() // ‹→(›\n"],
		["that goes on with a call that lies on several lines", "a(\n  b,\n‹→  c(d),\n›)\n"],
		["that turns one kind of block into another", "‹if (all)→while (all)› {\n}\n"],
	])("%s", (_, drawn) => expect(isHarmful(drawn)).toBe(false));

	test("where brackets need not belong together, because it is no program", () => {
		expect(isHarmful("one ‹→:-) ›two\n", "plaintext")).toBe(false);
	});
});

/** In each language, what is inserted with something behind it. */
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
	"%s swallows what stands behind it, in %s",
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
	"%s swallows nothing, in %s",
	(drawn, languageId) => {
		const { change, document } = read(drawn, languageId);
		expect(swallows(change, document)).toBe(false);
	},
);

describe("whatever is written, a change", () => {
	const someSource = fc
		.array(fc.constantFrom("(", ")", "{", "}", "[", "]", "a", " ", "\n"), { maxLength: 30 })
		.map((signs) => signs.join(""));

	/** The simplest check there is: brackets of a text without blocks, strings and comments. */
	function isBalanced(source: string): boolean {
		const open: string[] = [];
		for (const sign of source) {
			if ("([{".includes(sign)) open.push(sign);
			else if (")]}".includes(sign) && open.pop() !== { ")": "(", "]": "[", "}": "{" }[sign]) return false;
		}
		return open.length === 0;
	}

	test("of a balanced text to another does no harm, and one to a text that has a brace too many does", () => {
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
