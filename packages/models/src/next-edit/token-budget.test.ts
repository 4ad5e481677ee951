import { FormatRequest, readPastEdit, readPromptInput } from "@segue/testing/models/prompt-input";
import { describe, expect, test } from "vitest";
import { editModelRequestOf, FORMATS } from "./formats.js";

/** Other files, most useful first. The third is too long for all formats, and the last is short. */
const INPUT = readPromptInput(
	Array.from({ length: 30 }, (_, i) => `line${i}(${i});`)
		.with(15, "▮")
		.join("\n"),
	{
		edits: Array.from({ length: 9 }, (_, i) => readPastEdit(`edit${i}`, `${"x".repeat(600)}\n‹→y\n›z`)),
		related: [3000, 3000, 15_000].map((length, i) => ({
			path: `file${i}`,
			first: 9,
			last: 9,
			text: "r".repeat(length),
		})),
		recent: [{ path: "file3", first: 9, last: 9, text: "recent".repeat(30) }],
	},
);

const SIX = "edit3 edit4 edit5 edit6 edit7 edit8";
const THREE = "edit6 edit7 edit8";

describe("Context that does not fit is omitted", () => {
	test.each<[format: string, windowTokens: number | undefined, expected: string, lines: number]>([
		["zeta-1", undefined, SIX, 29],
		["zeta-1", 620, "edit8", 29],
		["zeta-1", 440, "", 29],
		["zeta-2", undefined, `file0 file1 ${SIX}`, 29],
		["zeta-2", 3400, `file0 ${SIX}`, 29],
		["zeta-2", 1200, THREE, 29],
		["zeta-2", 440, "", 29],
		["zeta-2.1", undefined, `file0 file1 ${SIX}`, 29],
		["zeta-2.1", 3400, `file0 ${SIX}`, 29],
		["zeta-2.1", 1200, THREE, 29],
		["zeta-2.1", 440, "", 29],
		["sweep", undefined, `file0 file1 file3 ${THREE}`, 20],
		["sweep", 3400, `file0 file3 ${THREE}`, 20],
		["sweep", 1400, "edit7 edit8", 20],
		["sweep", 320, "", 20],
		["sweep-v2", undefined, `file3 file0 file1 ${SIX}`, 29],
		["sweep-v2", 4960, `file3 file0 ${SIX}`, 29],
		["sweep-v2", 3900, `file3 ${SIX}`, 29],
		["sweep-v2", 3780, SIX, 24],
		["sweep-v2", 2000, THREE, 20],
	])("in %s with %s tokens: shows %j and %i lines", (name, windowTokens, expected, lines) => {
		const { prompt } = new FormatRequest(formatOf(name), INPUT, windowTokens);
		const names = [...new Set(prompt.match(/\b(?:edit|file|line)\d+\b/g))];
		expect(names.filter((each) => !each.startsWith("line")).join(" ")).toBe(expected);
		expect(names.filter((each) => each.startsWith("line"))).toHaveLength(lines);
	});

	test.each(["zeta-1", "zeta-2", "zeta-2.1", "sweep", "sweep-v2"])(
		"except the lines to rewrite: %s sends nothing if they don't fit",
		(name) => {
			expect(editModelRequestOf(formatOf(name), INPUT, { model: "any", windowTokens: 280 })).toBe("too-long");
		},
	);
});

function formatOf(name: string) {
	const format = FORMATS.get(name);
	if (format === undefined) throw new Error(`unknown format ${name}`);
	return format;
}
