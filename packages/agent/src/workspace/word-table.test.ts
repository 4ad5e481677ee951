import fc from "fast-check";
import { expect, test } from "vitest";
import { WordTable } from "./word-table.js";

test("finds the same files as a map of sets while files are added and removed", () => {
	const hash = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer());
	const words = fc.array(hash, { maxLength: 40 });
	const step = fc.oneof(
		fc.record({ file: fc.nat(600), words }),
		fc.record({ file: fc.nat(600), words: fc.constant(undefined) }),
	);
	fc.assert(
		fc.property(fc.array(step, { maxLength: 900, size: "max" }), (steps) => {
			const table = new WordTable();
			const model = new Map<number, Set<number>>();
			for (const { file, words } of steps) {
				table.remove(file);
				model.delete(file);
				if (words === undefined) continue;
				model.set(file, new Set(words));
				table.add(file, new Set(words));
			}
			for (let wanted = -5; wanted <= 5; wanted++) {
				const expected = [...model].filter(([, own]) => own.has(wanted)).map(([file]) => file);
				expect(table.having(wanted).toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
			}
		}),
		{ numRuns: 60 },
	);
});

test("uses at most eight bytes for each distinct word in a file", () => {
	const table = new WordTable();
	const wordsOf = (file: number) => new Set(Array.from({ length: 300 }, (_, i) => (i < 200 ? i : file * 1000 + i)));
	for (let file = 0; file < 5000; file++) table.add(file, wordsOf(file));
	expect(table.bytes / (5000 * 300)).toBeLessThan(8);
	for (let file = 0; file < 5000; file++) table.remove(file);
	expect(table.bytes).toBeLessThan(1_000_000);
	expect(table.having(7)).toEqual([]);
});

test("stores a file with more words than fit in a segment", () => {
	const table = new WordTable();
	table.add(1, new Set([7]));
	table.add(2, new Set(Array.from({ length: 100_000 }, (_, i) => i)));
	table.add(3, new Set([7, 99_999]));
	expect(table.having(7)).toEqual([1, 2, 3]);
	expect(table.having(99_999)).toEqual([2, 3]);
});
