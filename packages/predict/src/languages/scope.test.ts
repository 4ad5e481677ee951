import { runs } from "@segue/testing/setup/tier";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { closeOf, openAt, scopeOf } from "./scope.js";

function documentOf(languageId: string, text: string | Text) {
	return { uri: "a", languageId, version: 0, text: typeof text === "string" ? Text.of(text) : text };
}

// X marks the offset; ‹ and › mark the block around it.
test.each([
	["typescript", "‹a\nX\nb›"],
	["typescript", "f() ‹{\n\tif (a) { b }\n\tX\n›}\nc"],
	["typescript", "f() { if (a) ‹{ X ›} b }"],
	["typescript", `f() ‹{ "}" /* } */ X \`\${a}}\` ›}`],
	["typescript", "f() ‹{\n\tg(a, [b\n\tX\n›}\nh() {}"],
	["typescript", "f() ‹{\n\tX\n\tg()›"],
	["python", "a\n‹def f():\n    if b:\n        X\n\n    c\n›d"],
	["python", "a\n‹class A:\n    def f(X):\n        pass\n›b"],
	["python", "‹def f(a):\n    pass\nX›"],
	["ruby", "‹def f\n  X\n›end"],
])("in %s, finds the block of %j", (languageId, picture) => {
	const source = picture.replaceAll(/[‹›]/g, "");
	const scope = scopeOf(documentOf(languageId, source), source.indexOf("X"));
	const { from, to } = scope;
	expect(`${source.slice(0, from)}‹${source.slice(from, to)}›${source.slice(to)}`).toBe(picture);
});

test("finds the same brackets after every edit as in a text created from scratch", () => {
	const tokens = [
		"a",
		" ",
		"\n",
		"\n",
		"\r\n",
		"(",
		")",
		"[",
		"]",
		"{",
		"}",
		"{\n",
		"}\n",
		'"',
		"`",
		"${",
		"//",
		"/*",
		"*/",
	];
	const someTokens = (maxLength: number) => {
		return fc.array(fc.constantFrom(...tokens), { maxLength, size: "max" }).map((some) => some.join(""));
	};
	const lines = ["if (a) {\n", "}\n", "f([a, {b}])\n", "} else {\n", "(\n", ")\n"];
	const someSource = fc.array(fc.constantFrom(...lines), { minLength: 300, maxLength: 400, size: "max" });
	const someEdit = fc.tuple(fc.nat(), fc.nat(5), someTokens(4));
	fc.assert(
		fc.property(someSource, fc.array(someEdit, { minLength: 1, maxLength: 4 }), fc.nat(), (source, edits, place) => {
			let text = Text.of(source.join(""));
			for (const [where, length, insert] of edits) {
				scopeOf(documentOf("typescript", text), place % text.length);
				const from = where % (text.length + 1);
				text = text.replace(from, Math.min(from + length, text.length), insert);
				const now = documentOf("typescript", text);
				const first = documentOf("typescript", Text.of(text.toString()));
				for (const at of [place % (text.length + 1), from, text.length]) {
					const open = openAt(now, at);
					expect(open).toEqual(openAt(first, at));
					const known = new Set(open.slice(-3).map((bracket) => bracket.at));
					for (const bracket of known) expect(closeOf(now, bracket)).toBe(closeByReading(first, bracket));
				}
			}
		}),
		{ numRuns: runs(40) },
	);
});

/** The offset of the closing bracket, by binary search for the first offset at which `bracket` is not open. */
function closeByReading(document: ReturnType<typeof documentOf>, bracket: number): number {
	const { text } = document;
	let low = bracket;
	let high = text.length;
	const isOpen = (at: number) => openAt(document, at).some((one) => one.at === bracket);
	if (isOpen(high)) return high;
	while (low + 1 < high) {
		const middle = (low + high) >> 1;
		if (isOpen(middle)) low = middle;
		else high = middle;
	}
	return high - 1;
}
