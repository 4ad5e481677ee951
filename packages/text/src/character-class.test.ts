import fc from "fast-check";
import { expect, test } from "vitest";
import { CharacterSet, parseClass } from "./character-class.js";

test.each([
	["a repeated range", `[${"a-b".repeat(1350)}]`, false, [[97, 98]]],
	[
		"overlapping or adjacent ranges",
		"[d-fa-be-hcz]",
		false,
		[
			[97, 104],
			[122, 122],
		],
	],
	[
		"overlapping names",
		"[[:alnum:][:alpha:][:digit:]]",
		false,
		[
			[48, 57],
			[65, 90],
			[97, 122],
		],
	],
	[
		"both cases of a range",
		"[A-CB-D]",
		true,
		[
			[65, 68],
			[97, 100],
		],
	],
	["a reversed range", "[z-a]", false, [[122, 122]]],
])("a set stores a minimal list of ranges for %s", (_, pattern, fold, ranges) => {
	expect(parseClass(pattern, 0, fold).set?.ranges).toEqual(ranges);
});

test("a set contains the characters in its ranges, or all other characters, but never a slash", () => {
	const code = fc.integer({ min: 30, max: 70 });
	fc.assert(
		fc.property(fc.array(fc.tuple(code, code).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)), (ranges) => {
			const [set, others] = [new CharacterSet(ranges), new CharacterSet(ranges, true)];
			for (let each = 28; each < 73; each++) {
				const isIn = ranges.some(([low, high]) => low <= each && each <= high);
				expect([set.has(each), others.has(each)]).toEqual(each === 47 ? [false, false] : [isIn, !isIn]);
			}
		}),
		{ numRuns: 100 },
	);
});
