import type * as acp from "@segue/protocol/acp";
import { readPicture } from "@segue/story";
import { someEdits, someText } from "@segue/testing/arbitrary";
import { Change, type Edit, rangeAt, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstPart } from "./apply.js";
import { carrySuggestion, type EditorSuggestion, readSuggestion } from "./suggestion.js";

/** Returns the text before any edit and after each part is accepted. */
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

describe("accepting word by word", () => {
	test.for<[string, string, string[]]>([
		["includes whitespace before a word", "let‹→ total = 0▮›", ["let total", "let total =", "let total = 0"]],
		["treats punctuation as a word", "‹→a.b(c)▮›", ["a", "a.", "a.b", "a.b(", "a.b(c", "a.b(c)"]],
		["includes the line break before a word", "a‹→\n⇥b▮›", ["a\n\tb"]],
		["does not split \\r\\n", "a␍\nb‹→␍\nc d▮›", ["a\r\nb\r\nc", "a\r\nb\r\nc d"]],
		["starts a replacement with its first word", "‹foo→bar baz▮›", ["bar", "bar baz"]],
		["skips unchanged text in a replacement", "‹foo(a, b)→bar(a, c)▮›", ["bar(a, b)", "bar(a, c)"]],
		["applies a deletion in one step", "a‹ and b→›", ["a"]],
		["applies one edit at a time", "‹a→b›\n‹a→b▮›", ["b\na", "b\nb"]],
		["treats letters in any alphabet as parts of a word", "‹→𝒳𝒴e\u0301é漢 x▮›", ["𝒳𝒴e\u0301é漢", "𝒳𝒴e\u0301é漢 x"]],
		["does not split surrogate pairs", "‹→😀😀 a▮›", ["😀😀", "😀😀 a"]],
		["accepts whitespace at the end", "a‹→  ▮›b", ["a  b"]],
	])("%s", ([, drawn, texts]) => {
		expect(walkPicture(drawn, "word")).toEqual(texts);
	});
});

describe("accepting line by line", () => {
	test.for<[string, string, string[]]>([
		["starts with the rest of the current line", "a‹→ = 1\nb = 2\n▮›", ["a = 1", "a = 1\nb = 2", "a = 1\nb = 2\n"]],
		["applies all edits in a line together", "‹a→b›(‹a→b›)\n‹a→b▮›", ["b(b)\na", "b(b)\nb"]],
		["does not split \\r\\n", "a␍\n‹→b␍\nc␍\n▮›", ["a\r\nb", "a\r\nb\r\nc", "a\r\nb\r\nc\r\n"]],
		["splits a replacement that spans several lines", "‹a\nb→c\nd▮›", ["c\nb", "c\nd"]],
	])("%s", ([, drawn, texts]) => {
		expect(walkPicture(drawn, "line")).toEqual(texts);
	});
});

test("accepting part by part always leads to the suggested text", () => {
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

/** Returns the edits as if they had been read from an agent's message. */
function readEdits(edits: readonly Edit[], text: Text) {
	const raw: acp.Suggestion = {
		id: "1",
		kind: "edit",
		uri: "file:///a.ts",
		edits: edits.map(({ from, to, insert }) => ({ range: rangeAt(text, from, to, "utf-16"), newText: insert })),
	};
	const read = readSuggestion(raw, { text, version: 1 }, { encoding: "utf-16", kinds: new Set() });
	return read as Extract<typeof read, { kind: "edit" } | { invalid: string }>;
}
