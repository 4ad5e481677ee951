import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { comparisonOf, type DiffSegment } from "./agent-documents.js";

function draw(stretches: readonly DiffSegment[]): string {
	return stretches.map(({ text, isSame }) => (isSame ? text : `[${text}]`)).join("");
}

test.each([
	["the same", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n"],
	["a line more in the editor", "a\nb\n", "a\nx\nb\n", "a\nb\n", "a\n[x\n]b\n"],
	["another line", "a\nb\nc", "a\nx\nc", "a\n[b\n]c", "a\n[x\n]c"],
	["nothing in the editor", "a\n", "", "[a\n]", ""],
])("two texts beside each other: %s", (_title, theirs, ours, drawnTheirs, drawnOurs) => {
	const found = comparisonOf(theirs, ours);
	expect([draw(found.theirs), draw(found.ours)]).toEqual([drawnTheirs, drawnOurs]);
});

test("each side is its whole text, and what is the same is the same on both", () => {
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
