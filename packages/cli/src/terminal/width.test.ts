import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, cutAtWord, pad, widthOf, wrap } from "./width.js";

test.each([
	["", 0],
	["abc", 3],
	["日本語", 6],
	["한글", 4],
	["ｶﾅ", 2],
	["ＡＢ", 4],
	["e\u0301té", 3],
	["🎉", 2],
	["👩‍👩‍👧", 2],
	["❤️", 2],
	["→ …", 3],
])("%s takes %i cells", (text, cells) => {
	expect(widthOf(text)).toBe(cells);
});

test.each([
	["abcdef", 6, "abcdef"],
	["abcdef", 5, "abcd…"],
	["日本語", 5, "日本…"],
	["日本語", 4, "日…"],
	["abc", 1, "…"],
	["abc", 0, ""],
])("cuts %s to %i cells: %s", (text, cells, fitted) => {
	expect(cut(text, cells)).toBe(fitted);
});

test.each([
	["not sure enough to show it", 26, "not sure enough to show it"],
	["not sure enough to show it", 20, "not sure enough to…"],
	["not sure enough to show it", 16, "not sure enough…"],
	["not shown (below-threshold)", 24, "not shown (below-…"],
	["log(total,items,firstElement)", 20, "log(total,items,…"],
	["averyveryverylongidentifier", 10, "averyvery…"],
	["日本語 日本語", 10, "日本語…"],
])("cuts %j to %i cells after a word: %s", (text, cells, fitted) => {
	expect(cutAtWord(text, cells)).toBe(fitted);
});

test("pads a column by cells, not by characters", () => {
	expect([pad("日", 4), pad("ab", 4), pad("abcdef", 4)]).toEqual(["日  ", "ab  ", "abcdef"]);
});

test.for<[words: string, cells: number, lines: readonly string[]]>([
	["one two three", 7, ["one two", "three"]],
	["one two three", Number.POSITIVE_INFINITY, ["one two three"]],
	["see /a/long/path there", 6, ["see", "/a/long/path", "there"]],
	["日本 日本", 8, ["日本", "日本"]],
])("wraps %j at %s cells without cutting words", ([words, cells, lines]) => {
	expect(wrap(words, cells)).toEqual(lines);
});

test("a cut string fits", () => {
	const texts = fc.string({ unit: fc.constantFrom("a", "日", "🎉", "e\u0301", " ") });
	fc.assert(
		fc.property(texts, fc.nat(20), (text, cells) => {
			expect(widthOf(cut(text, cells))).toBeLessThanOrEqual(cells);
			expect(widthOf(cutAtWord(text, cells))).toBeLessThanOrEqual(cells);
		}),
	);
});
