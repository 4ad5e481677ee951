import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renameIn, wordAt } from "./host.js";

test.each([
	["let ▮cnt = 0", "cnt"],
	["let c▮nt = 0", "cnt"],
	["let cnt▮ = 0", "cnt"],
	["let cnt ▮= 0", undefined],
	["▮", undefined],
	["größe▮", "größe"],
	["$el_1▮.x", "$el_1"],
])("finds the name in %j: %j", (drawn, name) => {
	expect(wordAt(drawn.replace("▮", ""), drawn.indexOf("▮"))).toBe(name);
});

test.each([
	["cnt + cnt", "count + count"],
	["cnt2 + xcnt + cnt.cnt", "cnt2 + xcnt + count.count"],
	["// cnt", "// count"],
	["", ""],
])("renames in %j: %j", (before, after) => {
	expect(renamed(before, "cnt", "count")).toBe(after);
});

test("gives the same result as splitting the text into names, renaming them and joining them", () => {
	const text = fc
		.array(fc.constantFrom("a", "b", "ab", " ", ".", "\n", "é"), { maxLength: 20 })
		.map((parts) => parts.join(""));
	fc.assert(
		fc.property(text, (before) => {
			const parts = before.split(/([^abé]+)/);
			expect(renamed(before, "a", "new")).toBe(parts.map((part) => (part === "a" ? "new" : part)).join(""));
		}),
	);
});

function renamed(text: string, oldName: string, newName: string): string {
	return Change.of(renameIn(text, oldName, newName), text.length)
		.apply(Text.of(text))
		.toString();
}
