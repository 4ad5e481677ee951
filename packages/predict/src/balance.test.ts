import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unbalances } from "./balance.js";

/** Whether the edits of a picture leave brackets, strings or comments without their ends. */
function isHarmful(drawn: string, languageId = "typescript"): boolean {
	const { before, edits } = readPicture(drawn);
	const document = { uri: "a", languageId, version: 0, text: Text.of(before) };
	return unbalances(Change.of(edits, before.length), document);
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
