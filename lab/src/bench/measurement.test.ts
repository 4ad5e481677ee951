import { expect, test } from "vitest";
import { figureOf, type Measurement, printTable } from "./measurement.js";

const other = { name: "another library", value: 30 };

test.each<[string, Measurement, { ratio: number | null; target: string | null; ok: boolean | null }]>([
	["leaves out what a figure does not have", of(3), { ratio: null, target: null, ok: null }],
	["compares without a target", of(45, { against: other }), { ratio: 1.5, target: null, ok: null }],
	[
		"counts how many times faster it is where speed is the target",
		of(3, { against: other, target: { fasterAtLeast: 10 } }),
		{ ratio: 10, target: "≥ 10× faster", ok: true },
	],
	[
		"says when it is not fast enough",
		of(3.1, { against: other, target: { fasterAtLeast: 10 } }),
		{ ratio: 9.68, target: "≥ 10× faster", ok: false },
	],
	[
		"counts how many times the other it takes where that is the target",
		of(45, { against: other, target: { timesAtMost: 1.5 } }),
		{ ratio: 1.5, target: "≤ 1.5×", ok: true },
	],
	[
		"says when it takes too long, even where rounding hides it",
		of(45.01, { against: other, target: { timesAtMost: 1.5 } }),
		{ ratio: 1.5, target: "≤ 1.5×", ok: false },
	],
	[
		"takes a value below its bound",
		of(19.9, { target: { valueBelow: 20 } }),
		{ ratio: null, target: "< 20 ms", ok: true },
	],
	[
		"does not take the bound itself",
		of(20, { target: { valueBelow: 20 } }),
		{ ratio: null, target: "< 20 ms", ok: false },
	],
])("%s", (_, measurement, expected) => {
	expect(figureOf(measurement)).toMatchObject(expected);
});

test("refuses a target for a ratio with nothing to compare", () => {
	expect(() => figureOf(of(1, { target: { timesAtMost: 2 } }))).toThrow("needs something to compare with");
});

test("has the same members in every line, and no digits that are not known", () => {
	const figure = figureOf(of(12.3456789, { against: { name: "another library", value: 34567.89 } }));
	expect(JSON.parse(JSON.stringify(figure))).toEqual({
		figure: "typing",
		value: 12.3,
		unit: "ms",
		against: "another library: 34,568 ms",
		ratio: 0.000357,
		target: null,
		ok: null,
	});
});

test("prints a table that lines up", () => {
	const figures = [
		figureOf(of(3, { against: other, target: { fasterAtLeast: 10 } })),
		figureOf({ figure: "keeping everything", value: 1234.5, unit: "MB", target: { valueBelow: 20 } }),
		figureOf(of(0.5)),
	];
	expect(printTable(figures)).toBe(
		[
			"figure                 value  against                 ratio  target        ok",
			"typing                  3 ms  another library: 30 ms    10×  ≥ 10× faster  yes",
			"keeping everything  1,235 MB                                 < 20 MB       NO",
			"typing                0.5 ms",
			"",
		].join("\n"),
	);
});

function of(value: number, rest: Partial<Measurement> = {}): Measurement {
	return { figure: "typing", value, unit: "ms", ...rest };
}
