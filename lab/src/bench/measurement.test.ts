import { expect, test } from "vitest";
import { figureOf, type Measurement, printTable } from "./measurement.js";

const other = { name: "another library", value: 30 };

test.each<[string, Measurement, { ratio: number | null; target: string | null; ok: boolean | null }]>([
	["has no ratio or target without a comparison", of(3), { ratio: null, target: null, ok: null }],
	["has a ratio without a target", of(45, { against: other }), { ratio: 1.5, target: null, ok: null }],
	[
		"computes the speedup for a speedup target",
		of(3, { against: other, target: { fasterAtLeast: 10 } }),
		{ ratio: 10, target: "≥ 10× faster", ok: true },
	],
	[
		"misses a speedup target",
		of(3.1, { against: other, target: { fasterAtLeast: 10 } }),
		{ ratio: 9.68, target: "≥ 10× faster", ok: false },
	],
	[
		"computes the ratio for a ratio target",
		of(45, { against: other, target: { timesAtMost: 1.5 } }),
		{ ratio: 1.5, target: "≤ 1.5×", ok: true },
	],
	[
		"misses a ratio target, even if the rounded ratio meets it",
		of(45.01, { against: other, target: { timesAtMost: 1.5 } }),
		{ ratio: 1.5, target: "≤ 1.5×", ok: false },
	],
	[
		"accepts a value below its bound",
		of(19.9, { target: { valueBelow: 20 } }),
		{ ratio: null, target: "< 20 ms", ok: true },
	],
	["rejects the bound itself", of(20, { target: { valueBelow: 20 } }), { ratio: null, target: "< 20 ms", ok: false }],
])("%s", (_, measurement, expected) => {
	expect(figureOf(measurement)).toMatchObject(expected);
});

test("rejects a ratio target without a comparison", () => {
	expect(() => figureOf(of(1, { target: { timesAtMost: 2 } }))).toThrow("needs a baseline");
});

test("always has the same members, rounded to three digits", () => {
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

test("prints an aligned table", () => {
	const figures = [
		figureOf(of(3, { against: other, target: { fasterAtLeast: 10 } })),
		figureOf({ figure: "memory of snapshots", value: 1234.5, unit: "MB", target: { valueBelow: 20 } }),
		figureOf(of(0.5)),
	];
	expect(printTable(figures)).toBe(
		[
			"figure                  value  against                 ratio  target        ok",
			"typing                   3 ms  another library: 30 ms    10×  ≥ 10× faster  yes",
			"memory of snapshots  1,235 MB                                 < 20 MB       NO",
			"typing                 0.5 ms",
			"",
		].join("\n"),
	);
});

function of(value: number, rest: Partial<Measurement> = {}): Measurement {
	return { figure: "typing", value, unit: "ms", ...rest };
}
