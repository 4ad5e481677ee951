import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FenceStripper, fencedIn, withoutFence } from "./code-fences.js";

/** An answer in pieces, as it is told. */
function told(original: string, ...pieces: readonly string[]): string {
	const unfencing = new FenceStripper(original);
	return pieces.map((piece) => unfencing.take(piece)).join("") + unfencing.end();
}

describe("A fence", () => {
	test.for<[what: string, answer: string, text: string]>([
		["around everything", "```ts\na\nb\n```", "a\nb"],
		["without a language", "```\na\n```\n", "a"],
		["behind empty lines", "\n\n```ts\na\n```\n\n", "a"],
		["that is not closed", "```ts\na\nb\n", "a\nb"],
		["with words behind it", "```ts\na\n```\nThis is a.", "a"],
		["with fences in it", "```md\n# A\n```js\na\n```\nb\n```", "# A\n```js\na\n```\nb"],
		["that is not there", "a\n  b\n\n", "a\n  b"],
		["in the middle", "a\n```\nb\n```", "a\n```\nb\n```"],
		["of two signs", "``a``", "``a``"],
		["and nothing else", "```", "```"],
		["with nothing in it", "```\n```", ""],
		["whose first line is indented", "```ts\n  a\n  b\n```", "  a\n  b"],
	])("%s is taken off as it should be", ([, answer, text]) => {
		expect(withoutFence(answer)).toBe(text);
	});

	test("is kept where there was one before", () => {
		expect(told("```js\na\n```\n", "```js\nb\n```")).toBe("```js\nb\n```");
	});

	test("comes off alike however the text comes", () => {
		const word = fc.constantFrom("```", "`", "\n", "a", "  ", "ts", "\n```\n", "```ts\n", "\r\n");
		fc.assert(
			fc.property(fc.array(word), fc.constantFrom("", "```\na"), (pieces, original) => {
				expect(told(original, ...pieces)).toBe(told(original, pieces.join("")));
			}),
		);
	});

	test("holds nothing back that is certainly part of the text", () => {
		const unfencing = new FenceStripper("");
		expect(["``", "`ts\n", "one\n", "two\n``", "x\n```"].map((piece) => unfencing.take(piece))).toEqual([
			...["", "", "one", "\ntwo", "\n``x"],
		]);
		expect(unfencing.end()).toBe("");
	});
});

test.for<[answer: string, code: string | undefined]>([
	["Here it is:\n\n```ts\na\nb\n```\n\nDone.", "a\nb"],
	["Here it is:\n```\na\n```", "a"],
	["a\nb", undefined],
	["One:\n```\na\n```\nTwo:\n```\nb\n```", undefined],
	["Call `a`:\n```\na\n```", undefined],
])("the code in %j is %j", ([answer, code]) => {
	expect(fencedIn(answer)).toBe(code);
});
