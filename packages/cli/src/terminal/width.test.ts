import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, cutAtWord, hang, pad, table, widthOf, wrap } from "./width.js";

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
	["\x1b[2mab\x1b[22m", 2],
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
	["one  two   three", 8, ["one  two", "three"]],
	["one  two", 4, ["one", "two"]],
	["  one two", 7, ["  one", "two"]],
	["run `ssh -L 1:a HOST` there", 9, ["run", "`ssh -L 1:a HOST`", "there"]],
])("wraps %j at %s cells without cutting words", ([words, cells, lines]) => {
	expect(wrap(words, cells)).toEqual(lines);
});

test("wraps words after a label, and indents the other lines", () => {
	expect(hang("Note: ", "one two three", 13)).toEqual(["Note: one two", "      three"]);
	expect(hang("Note: ", "one two three", Number.POSITIVE_INFINITY)).toEqual(["Note: one two three"]);
});

test("aligns a table, or prints each row as a list if it is too wide", () => {
	const rows = [
		["one", "\x1b[2mtwo\x1b[22m", "three four"],
		["日本", "", "x"],
	];
	expect(table(rows, 21)).toEqual([["one   \x1b[2mtwo\x1b[22m  three four"], ["日本       x"]]);
	expect(table(rows, 20)).toEqual([
		["one", "  \x1b[2mtwo\x1b[22m, three four"],
		["日本", "  x"],
	]);
	expect(table([], 20)).toEqual([]);
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
