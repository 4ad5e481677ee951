import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The minimum contrast between text and its background that WCAG 2.2 requires at level AA. */
const CONTRAST_MIN = 4.5;

/** Text colours used for code. */
const CODE = ["text", "keyword", "string", "number", "comment", "type", "function", "name", "meta"];
/** Background colours behind code: a plain line, the cursor's line, a search result, a selection. */
const BEHIND_CODE = ["back", "active-back", "found-back", "selected-back"];

const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

test.for(THEMES)("draws code with enough contrast on every background in the editor: %s", (theme) => {
	const colours = coloursOf(theme);
	const faint = CODE.flatMap((front) => BEHIND_CODE.map((back) => pair(colours, front, back)));
	expect(faint.filter(({ contrast }) => contrast < CONTRAST_MIN)).toEqual([]);
});

test.for(THEMES)("draws the page's text with enough contrast: %s", (theme) => {
	const colours = coloursOf(theme);
	const pairs = [
		...["text", "text-dim", "accent", "good", "bad"].flatMap((front) => {
			return ["back", "back-raised", "hover-back", "accent-back"].map((back) => [front, back] as const);
		}),
		["good", "good-back"] as const,
		["bad", "bad-back"] as const,
		["text", "bad-back"] as const,
		["back", "accent"] as const,
	];
	const faint = pairs.map(([front, back]) => pair(colours, front, back));
	expect(faint.filter(({ contrast }) => contrast < CONTRAST_MIN)).toEqual([]);
});

test.for(THEMES)("gives every kind of code a different colour: %s", (theme) => {
	const colours = coloursOf(theme);
	const drawn = CODE.map((name) => colours.get(name));
	expect(drawn).not.toContain(undefined);
	expect(new Set(drawn).size).toBe(CODE.length);
});

/** Returns a theme's colours by name, as defined in theme.css: `--name: light-dark(#rrggbb, #rrggbb)`. */
function coloursOf(theme: Theme): ReadonlyMap<string, string> {
	const css = readFileSync(new URL("theme.css", import.meta.url), "utf8");
	const defined = css.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g);
	return new Map([...defined].map(([, name = "", light = "", dark = ""]) => [name, theme === "light" ? light : dark]));
}

function pair(colours: ReadonlyMap<string, string>, front: string, back: string) {
	const [one, other] = [front, back].map((name) => {
		const colour = colours.get(name);
		if (colour === undefined) throw new Error(`theme.css does not define --${name}`);
		return luminanceOf(colour);
	}) as [number, number];
	return { front, back, contrast: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) };
}

/** Returns the relative luminance of an sRGB colour, as WCAG defines it. */
function luminanceOf(colour: string): number {
	const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
		const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
		return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
