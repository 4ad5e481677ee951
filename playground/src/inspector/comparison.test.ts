import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { comparisonOf, type DiffSegment } from "./agent-documents.js";

function draw(stretches: readonly DiffSegment[]): string {
	return stretches.map(({ text, isSame }) => (isSame ? text : `[${text}]`)).join("");
}

test.each([
	["equal texts", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n"],
	["an added line", "a\nb\n", "a\nx\nb\n", "a\nb\n", "a\n[x\n]b\n"],
	["a changed line", "a\nb\nc", "a\nx\nc", "a\n[b\n]c", "a\n[x\n]c"],
	["an empty document", "a\n", "", "[a\n]", ""],
])("compares %s", (_title, theirs, ours, drawnTheirs, drawnOurs) => {
	const found = comparisonOf(theirs, ours);
	expect([draw(found.theirs), draw(found.ours)]).toEqual([drawnTheirs, drawnOurs]);
});

test("each side has its whole text, and both sides have the same shared segments", () => {
	fc.assert(
		fc.property(someText(), someText(), (theirText, ourText) => {
			const { theirs, ours } = comparisonOf(theirText, ourText);
			expect(whole(theirs)).toBe(theirText);
			expect(whole(ours)).toBe(ourText);
			expect(same(theirs)).toEqual(same(ours));
		}),
	);
});

function whole(stretches: readonly DiffSegment[]): string {
	return stretches.map(({ text }) => text).join("");
}

function same(stretches: readonly DiffSegment[]): string[] {
	return stretches.filter(({ isSame }) => isSame).map(({ text }) => text);
}
