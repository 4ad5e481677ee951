import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FenceStripper, fencedIn, withoutFence } from "./code-fences.js";

/** Strips a streamed answer. */
function told(original: string, ...pieces: readonly string[]): string {
	const unfencing = new FenceStripper(original);
	return pieces.map((piece) => unfencing.take(piece)).join("") + unfencing.end();
}

describe("A fence", () => {
	test.for<[what: string, answer: string, text: string]>([
		["around everything", "```ts\na\nb\n```", "a\nb"],
		["without a language", "```\na\n```\n", "a"],
		["after blank lines", "\n\n```ts\na\n```\n\n", "a"],
		["that is not closed", "```ts\na\nb\n", "a\nb"],
		["followed by text", "```ts\na\n```\nThis is a.", "a"],
		["that contains fences", "```md\n# A\n```js\na\n```\nb\n```", "# A\n```js\na\n```\nb"],
		["that is missing", "a\n  b\n\n", "a\n  b"],
		["in the middle", "a\n```\nb\n```", "a\n```\nb\n```"],
		["of two backticks", "``a``", "``a``"],
		["without content", "```", "```"],
		["around nothing", "```\n```", ""],
		["whose first line is indented", "```ts\n  a\n  b\n```", "  a\n  b"],
	])("%s is stripped correctly", ([, answer, text]) => {
		expect(withoutFence(answer)).toBe(text);
	});

	test("is kept if the original text starts with a fence", () => {
		expect(told("```js\na\n```\n", "```js\nb\n```")).toBe("```js\nb\n```");
	});

	test("is stripped in the same way regardless of how the text is split into chunks", () => {
		const word = fc.constantFrom("```", "`", "\n", "a", "  ", "ts", "\n```\n", "```ts\n", "\r\n");
		fc.assert(
			fc.property(fc.array(word), fc.constantFrom("", "```\na"), (pieces, original) => {
				expect(told(original, ...pieces)).toBe(told(original, pieces.join("")));
			}),
		);
	});

	test("does not delay text that cannot be part of a fence", () => {
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
