import { expect, test } from "vitest";
import { readLine, segmentsBetween, similarity, writeLine } from "./line.js";

/** The tokens deleted and inserted between two lines. */
function swaps(before: string, after: string): [string, string][] {
	const [a, b] = [readLine(before), readLine(after)];
	const joined = (tokens: readonly { readonly text: string }[]) => tokens.map(({ text }) => text).join(" ");
	return segmentsBetween(a, b).map(({ from, to, newFrom, newTo }) => {
		return [joined(a.tokens.slice(from, to)), joined(b.tokens.slice(newFrom, newTo))];
	});
}

test.each([
	["a replaced word", "log(cnt)", "log(count)", [["cnt", "count"]]],
	["whitespace only", "  log( cnt )", "log(cnt)", []],
	["adjacent words", "new Map a", "let set a", [["new Map", "let set"]]],
	["inserted tokens", "f(a)", "f(a, b)", [["", ", b"]]],
	["deleted tokens", "f(a, b)", "f(b)", [["a ,", ""]]],
	["a surrogate pair", "😀 = 1", "😎 = 1", [["😀", "😎"]]],
])("finds the differences between two lines: %s", (_, before, after, expected) => {
	expect(swaps(before, after)).toEqual(expected);
});

test.each([
	["log(a)", "log(a)", 1],
	["log(a)", "  log( a )", 1],
	["log(a)", "log(b)", 0.75],
	["one", "two", 0],
	["", "", 0],
])("measures the similarity of %j and %j", (a, b, share) => {
	expect(similarity(readLine(a), readLine(b))).toBeCloseTo(share);
});

test("applies edits to a line", () => {
	const edits = [
		{ from: 0, to: 3, insert: "print" },
		{ from: 4, to: 7, insert: "count" },
	];
	expect(writeLine("log(cnt)", edits)).toBe("print(count)");
	expect(writeLine("log(cnt)", [])).toBe("log(cnt)");
});
