import { expect, test } from "vitest";
import { editFor, readLine, segmentsBetween, segmentTextFor, similarity, writeLine } from "./line.js";

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

/** Repeats the only change between two lines on the tokens `from`–`to` of another line. */
function repeated(before: string, after: string, other: string, from: number, to: number): string {
	const [a, b, line] = [readLine(before), readLine(after), readLine(other)];
	const [segment] = segmentsBetween(a, b);
	if (segment === undefined) return other;
	const edit = editFor(line, from, to, segmentTextFor({ before: a, after: b }, segment));
	return writeLine(other, edit === undefined ? [] : [edit]);
}

test.each([
	["deleted tokens after a space", "return old(a", "return a", "if (old(a", 2, 4, "if (a"],
	["deleted tokens at the start of a line", "await load()", "load()", "  await save()", 0, 1, "  save()"],
	["deleted tokens before a bracket", "f(a, b)", "f(a)", "f( a , b )", 3, 5, "f( a )"],
	["deleted tokens at the end of a line", "f(a) as B", "f(a)", "g(a)  as B", 4, 6, "g(a)"],
	["inserted tokens after a space", "x: Term", "x: &Term", "Box<Term>", 2, 2, "Box<&Term>"],
	["an inserted word", "let x", "let mut x", "(x)", 1, 1, "(mut x)"],
	["an inserted sign at the end of a line", "f(a)", "f(a);", "g(a)", 4, 4, "g(a);"],
	["replaced tokens", "a = old", "a = now", "f(old)", 2, 3, "f(now)"],
	["replaced tokens and whitespace", "a=old", "a = old", "b=old", 1, 2, "b=old"],
])("repeats a change with the other line's whitespace: %s", (_, before, after, other, from, to, expected) => {
	expect(repeated(before, after, other, from, to)).toBe(expected);
});
