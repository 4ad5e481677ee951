import { someLongText, someText } from "@segue/testing/arbitrary";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isWhole, Search } from "./search.js";

test("finds whole words made of any letters", () => {
	expect(new Search("cnt").in(Text.of("cnt cnts 𝒳cnt cnt𝒳 écnt $cnt 😀cnt"))).toEqual([0, 33]);
	expect(new Search("f(x)").in(Text.of("f(x) af(x) f(x)b f(x);"))).toEqual([0, 11, 17]);
});

test("returns undefined for too many results", () =>
	expect(new Search("a").in(Text.of("a ".repeat(1001)))).toBeUndefined());

const someCode = fc
	.array(fc.constantFrom("cnt", "cnts", "x", "count_", "größe", "漢", "𝒳", "😀", " ", "\n", "=", "(", "\ud83d"), {
		maxLength: 60,
	})
	.map((tokens) => tokens.join(""));

test("agrees with a naive search in any text", () => {
	const someSource = fc.oneof(
		someText(),
		someLongText(),
		someCode,
		fc.tuple(someCode, fc.integer({ min: 1, max: 40 })).map(([code, count]) => code.repeat(count)),
		fc.integer({ min: 1, max: 3000 }).map((length) => `a ${"c".repeat(length)} b`),
	);
	const someWanted = fc.constantFrom("cnt", "x", "a", "a_", "cnt = x", "x x", "=cnt(", "größe", "漢", "é", "(x", "=");
	const someInsert = fc.constantFrom("cnt", " cnt ", "x", "");
	fc.assert(
		fc.property(
			someSource,
			fc.nat(),
			someInsert,
			someWanted,
			fc.nat(),
			fc.nat(9),
			(source, where, insert, usual, at, size) => {
				const base = Text.of(source);
				const middle = where % (source.length + 1);
				const text = base.replace(middle, middle, insert);
				const all = text.toString();
				const start = at % (all.length + 1);
				for (const wanted of [
					usual,
					all.slice(start, start + size) || "cnt",
					"c".repeat(Math.max(source.length - 4, 1)),
				]) {
					expect(new Search(wanted).in(base)).toEqual(findInString(source, wanted));
					expect(new Search(wanted).in(text)).toEqual(findInString(all, wanted));
				}
			},
		),
	);
});

test("agrees with a naive search in every version of a long text", () => {
	const tokens = ["cnt", "cnts", "x", "count_", " ", " ", "\n", "=", "(", "é", "😀", "\ud83d"];
	const someTokens = (maxLength: number) => {
		return fc.array(fc.constantFrom(...tokens), { maxLength, size: "max" }).map((some) => some.join(""));
	};
	const someEdit = fc.tuple(fc.nat(), fc.oneof(fc.nat(6), fc.nat(3000)), someTokens(5));
	fc.assert(
		fc.property(someTokens(1500), fc.array(someEdit, { minLength: 1, maxLength: 6 }), (source, edits) => {
			let text = Text.of(source);
			for (const [where, length, insert] of edits) {
				for (const wanted of ["cnt", "x", "cnt x", "cnt = x", "x x", "(cnt", "count_ x"]) {
					expect(new Search(wanted).in(text)).toEqual(findInString(text.toString(), wanted));
				}
				const from = where % (text.length + 1);
				text = text.replace(from, Math.min(from + length, text.length), insert);
			}
		}),
	);
});

function findInString(source: string, wanted: string): number[] | undefined {
	const found: number[] = [];
	for (let at = source.indexOf(wanted); at !== -1; ) {
		const isFound = isWhole(source, at, at + wanted.length);
		if (isFound) found.push(at);
		if (found.length > 1000) return undefined;
		at = source.indexOf(wanted, at + (isFound ? wanted.length : 1));
	}
	return found;
}
