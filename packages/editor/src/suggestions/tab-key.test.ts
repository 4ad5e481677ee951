import { Text } from "@segue/text";
import { expect, test } from "vitest";
import type { DisplayedSuggestion } from "./display.js";
import { tabIndents } from "./tab-key.js";

const A = "file:///project/a.ts";
const TEXT = "  one\n  two\n";

function suggestionAt(place: number, more: Partial<DisplayedSuggestion> = {}): DisplayedSuggestion {
	const edits = [{ from: place, to: place, insert: "x" }];
	return { kind: "edit", id: "1", uri: A, edits, as: "diff", place, ...more } as DisplayedSuggestion;
}

// The suggestion is on the second line.
test.each([
	[true, "in the white space at the start of another line", 1, 1, {}],
	[true, "at the end of that white space", 2, 2, {}],
	[false, "at the start of a line", 0, 0, {}],
	[false, "after the first character of a line", 3, 3, {}],
	[false, "in the white space of the suggestion's line", 7, 7, {}],
	[true, "in the white space of the line of a chip", 7, 7, { as: "chip" }],
	[true, "in white space while the suggestion is in another file", 7, 7, { uri: "file:///project/b.ts" }],
	[false, "in white space while a search is shown", 1, 1, { kind: "searchAndReplace", uri: "file:///project" }],
	[true, "with a selection", 3, 4, {}],
	[true, "with a selection on the suggestion's line", 11, 8, {}],
] as const)("returns %s %s", (expected, _title, anchor, head, more) => {
	const text = Text.of(TEXT);
	const lines = {
		lineAt: (offset: number) => {
			const from = TEXT.lastIndexOf("\n", offset - 1) + 1;
			return { from, to: TEXT.indexOf("\n", from) };
		},
		slice: (from: number, to: number) => text.slice(from, to),
	};
	expect(tabIndents(suggestionAt(8, more), A, { anchor, head }, lines)).toBe(expected);
});
