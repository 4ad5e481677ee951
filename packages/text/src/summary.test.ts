import { someEdits, someLongText, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Summary } from "./summary.js";
import { Text } from "./text.js";

test("a summary equals that of the whole text, regardless of pieces and earlier versions", () => {
	const capitals = new Summary(
		(piece) => piece.toUpperCase(),
		(left, right) => left + right,
	);
	const someCase = fc
		.oneof(someText(), someLongText())
		.chain((source) => fc.tuple(fc.constant(source), someEdits(source.length)));
	fc.assert(
		fc.property(someCase, ([source, edits]) => {
			const before = Text.of(source);
			expect(capitals.of(before)).toBe(source.toUpperCase());
			const after = edits.reduceRight((text, { from, to, insert }) => text.replace(from, to, insert), before);
			expect(capitals.of(after)).toBe(after.toString().toUpperCase());
		}),
	);
});

test("recomputes only one piece after a keystroke", () => {
	const read: string[] = [];
	const lengths = new Summary(
		(piece) => read.push(piece) && piece.length,
		(left, right) => left + right,
	);
	const text = Text.of("some line\n".repeat(1000));
	expect(lengths.of(text)).toBe(10_000);
	expect(read.length).toBeGreaterThan(5);
	read.length = 0;
	expect(lengths.of(text.replace(5000, 5000, "x"))).toBe(10_001);
	expect(lengths.of(text)).toBe(10_000);
	expect(read).toHaveLength(1);
});
