import { expect, test } from "vitest";
import { SUGGESTION_COLOURS } from "./suggestion-theme.js";

/** The minimum contrast between text and its background that WCAG 2.2 requires at level AA. */
const CONTRAST_MIN = 4.5;

/** CodeMirror's own backgrounds, and those of its best-known dark themes. */
const EDITOR_BACKS = [
	["#ffffff", "#f5f5f5"],
	["#17191e", "#282c34"],
] as const;

test.for([
	["light", 0],
	["dark", 1],
] as const)("draws suggestions with enough contrast in %s editors", ([, theme]) => {
	const of = (name: keyof typeof SUGGESTION_COLOURS) => SUGGESTION_COLOURS[name][theme];
	const pairs = [
		...EDITOR_BACKS[theme].flatMap((back) => [
			[of("dim"), back],
			[of("accent"), back],
		]),
		[of("accent"), of("accent-back")],
		[of("on-accent"), of("accent")],
		[of("added"), of("added-back")],
		[of("removed"), of("removed-back")],
	] as const;
	expect(pairs.filter(([front = "", back = ""]) => contrastOf(front, back) < CONTRAST_MIN)).toEqual([]);
});

function contrastOf(one: string, other: string): number {
	const [a, b] = [luminanceOf(one), luminanceOf(other)];
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns the relative luminance of an sRGB colour, as WCAG defines it. */
function luminanceOf(colour: string): number {
	const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
		const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
		return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
