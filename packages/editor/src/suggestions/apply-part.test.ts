import type * as acp from "@segue/protocol/acp";
import { readPicture } from "@segue/story";
import { someEdits, someText } from "@segue/testing/arbitrary";
import { Change, type Edit, rangeAt, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstPart } from "./apply.js";
import { carrySuggestion, type EditorSuggestion, readSuggestion } from "./suggestion.js";

/** The texts that a user goes through who takes edits part by part, the first one included. */
function walk(edits: readonly Edit[], by: "word" | "line", before: Text): string[] {
	const about = { id: "1", uri: "file:///a.ts", why: undefined, fileText: undefined };
	let left: EditorSuggestion | string | undefined = { ...about, kind: "edit", edits, cursor: 0 };
	let text = before;
	const texts = [before.toString()];
	while (typeof left === "object" && left.kind === "edit") {
		const part = Change.of(firstPart(left.edits, by, text), text.length);
		const carried = carrySuggestion(left, part, text);
		left = typeof carried === "string" ? carried : carried.suggestion;
		text = part.apply(text);
		texts.push(text.toString());
		if (texts.length > 1000) throw new Error("it never ends");
	}
	expect(left).toBeUndefined();
	return texts;
}

function walkPicture(drawn: string, by: "word" | "line"): string[] {
	const { before, edits } = readPicture(drawn);
	return walk(edits, by, Text.of(before)).slice(1);
}

describe("word by word, a suggestion is taken", () => {
	test.for<[string, string, string[]]>([
		["space before a word goes with it", "let‹→ total = 0▮›", ["let total", "let total =", "let total = 0"]],
		["marks are a word of their own", "‹→a.b(c)▮›", ["a", "a.", "a.b", "a.b(", "a.b(c", "a.b(c)"]],
		["a line end goes with what follows", "a‹→\n⇥b▮›", ["a\n\tb"]],
		["a line end of a document with \\r\\n is not divided", "a␍\nb‹→␍\nc d▮›", ["a\r\nb\r\nc", "a\r\nb\r\nc d"]],
		["a replacement begins with its first word", "‹foo→bar baz▮›", ["bar", "bar baz"]],
		["what stays in a replacement is not a part", "‹foo(a, b)→bar(a, c)▮›", ["bar(a, b)", "bar(a, c)"]],
		["a deletion goes at once", "a‹ and b→›", ["a"]],
		["one edit after the other", "‹a→b›\n‹a→b▮›", ["b\na", "b\nb"]],
		["letters of any alphabet make a word", "‹→𝒳𝒴e\u0301é漢 x▮›", ["𝒳𝒴e\u0301é漢", "𝒳𝒴e\u0301é漢 x"]],
		["signs of two units are whole", "‹→😀😀 a▮›", ["😀😀", "😀😀 a"]],
		["nothing but space is taken, too", "a‹→  ▮›b", ["a  b"]],
	])("%s", ([, drawn, texts]) => {
		expect(walkPicture(drawn, "word")).toEqual(texts);
	});
});

describe("line by line, a suggestion is taken", () => {
	test.for<[string, string, string[]]>([
		["the rest of this line first", "a‹→ = 1\nb = 2\n▮›", ["a = 1", "a = 1\nb = 2", "a = 1\nb = 2\n"]],
		["all edits of a line at once", "‹a→b›(‹a→b›)\n‹a→b▮›", ["b(b)\na", "b(b)\nb"]],
		["\\r\\n is not divided", "a␍\n‹→b␍\nc␍\n▮›", ["a\r\nb", "a\r\nb\r\nc", "a\r\nb\r\nc\r\n"]],
		["a replacement of several lines", "‹a\nb→c\nd▮›", ["c\nb", "c\nd"]],
	])("%s", ([, drawn, texts]) => {
		expect(walkPicture(drawn, "line")).toEqual(texts);
	});
});

test("taken part by part, a suggestion always leads to what it suggests", () => {
	const someCase = someText().chain((before) => fc.tuple(fc.constant(Text.of(before)), someEdits(before.length)));
	fc.assert(
		fc.property(someCase, fc.constantFrom("word", "line"), ([text, some], by) => {
			const suggestion = readEdits(some, text);
			if ("invalid" in suggestion) return;
			const change = Change.of(suggestion.edits, text.length);
			expect(walk(change.edits, by, text).at(-1)).toBe(change.apply(text).toString());
		}),
	);
});

/** Edits as they are once an agent has said them. */
function readEdits(edits: readonly Edit[], text: Text) {
	const said: acp.Suggestion = {
		id: "1",
		kind: "edit",
		uri: "file:///a.ts",
		edits: edits.map(({ from, to, insert }) => ({ range: rangeAt(text, from, to, "utf-16"), newText: insert })),
	};
	const read = readSuggestion(said, { text, version: 1 }, { encoding: "utf-16", kinds: new Set() });
	return read as Extract<typeof read, { kind: "edit" } | { invalid: string }>;
}
