import { expect, test } from "vitest";
import { readLine, segmentsBetween, similarity, writeLine } from "./line.js";

/** The tokens that went and came between two lines. */
function swaps(before: string, after: string): [string, string][] {
	const [a, b] = [readLine(before), readLine(after)];
	const said = (tokens: readonly { readonly text: string }[]) => tokens.map(({ text }) => text).join(" ");
	return segmentsBetween(a, b).map(({ from, to, newFrom, newTo }) => {
		return [said(a.tokens.slice(from, to)), said(b.tokens.slice(newFrom, newTo))];
	});
}

test.each([
	["one word for another", "log(cnt)", "log(count)", [["cnt", "count"]]],
	["white space alone", "  log( cnt )", "log(cnt)", []],
	["words with only white space between them", "new Map a", "let set a", [["new Map", "let set"]]],
	["what came", "f(a)", "f(a, b)", [["", ", b"]]],
	["what went", "f(a, b)", "f(b)", [["a ,", ""]]],
	["a sign of two code units", "😀 = 1", "😎 = 1", [["😀", "😎"]]],
])("sees what is different between two lines: %s", (_, before, after, expected) => {
	expect(swaps(before, after)).toEqual(expected);
});

test.each([
	["log(a)", "log(a)", 1],
	["log(a)", "  log( a )", 1],
	["log(a)", "log(b)", 0.75],
	["one", "two", 0],
	["", "", 0],
])("measures how much %j and %j have in common", (a, b, share) => {
	expect(similarity(readLine(a), readLine(b))).toBeCloseTo(share);
});

test("writes a line after edits", () => {
	const edits = [
		{ from: 0, to: 3, insert: "print" },
		{ from: 4, to: 7, insert: "count" },
	];
	expect(writeLine("log(cnt)", edits)).toBe("print(count)");
	expect(writeLine("log(cnt)", [])).toBe("log(cnt)");
});
