import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstInvisible, hasInvisible, showInvisible, showInvisibleIn } from "./invisible.js";

const INVISIBLE = [
	0x00, 0x0d, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2000, 0x2003,
	0x200b, 0x200d, 0x200f, 0x2028, 0x202e, 0x205f, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xfe00, 0xfe0f, 0xfeff,
	0xffa0, 0xfff9, 0xd800, 0x1d173, 0xe0001, 0xe0041, 0xe0100, 0xe01ef,
];

describe.each(INVISIBLE.map((code) => [code.toString(16).toUpperCase().padStart(4, "0"), code] as const))(
	"U+%s",
	(name, code) => {
		const text = `echo a${String.fromCodePoint(code)}b`;
		test("is found and replaced with its code", () => {
			expect(hasInvisible(text)).toBe(true);
			expect(firstInvisible(text)).toBe(`U+${name}`);
			expect(showInvisible(text)).toBe(`echo a⟨U+${name}⟩b`);
		});
	},
);

test.each(["", "echo hi", "a\tb\nc\r\nd", "日本語 é ß 😀 ¿", "‘quoted’ – dash", "a\u0301"])(
	"does not change %j",
	(text) => {
		expect(hasInvisible(text)).toBe(false);
		expect(firstInvisible(text)).toBeUndefined();
		expect(showInvisible(text)).toBe(text);
	},
);

test("leaves no invisible character in any text", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (text) => {
			expect(hasInvisible(showInvisible(text))).toBe(false);
			expect(showInvisible(text) === text).toBe(!hasInvisible(text));
		}),
	);
});

test("shows invisible characters in names and nested strings of a JSON value, up to a limit", () => {
	const value = { "a\u200bb": [{ city: "Os\u0007lo", count: 3, isCapital: true, none: null }] };
	expect(showInvisibleIn(value)).toEqual({
		"a⟨U+200B⟩b": [{ city: "Os⟨U+0007⟩lo", count: 3, isCapital: true, none: null }],
	});
	const depth = 100_000;
	const shown = JSON.stringify(showInvisibleIn(JSON.parse("[".repeat(depth) + "]".repeat(depth))));
	expect(shown).toBe(`${"[".repeat(500)}"…"${"]".repeat(500)}`);
});
