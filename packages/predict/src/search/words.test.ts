import { someLongText, someText } from "@segue/testing/arbitrary";
import { Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasHash, hashesIn, mayHave, visitPlaces, wordQueryOf, wordsOfText } from "./words.js";

/** Words of any length, so that some span several pieces, with other characters between them. */
const someWords = fc
	.array(
		fc.oneof(
			fc.constantFrom("cnt", "x", "$a_1", " ", " ", "\n", "é", "😀", "("),
			fc.integer({ min: 1, max: 2500 }).map((length) => "ab".repeat(length)),
		),
		{ maxLength: 40 },
	)
	.map((tokens) => tokens.join(""));
const someSource = fc.oneof(someText(), someLongText(), someWords);

test("visits every whole word, in every version of a text", () =>
	fc.assert(
		fc.property(someSource, fc.nat(), fc.nat(3000), someWords, (source, where, length, insert) => {
			const before = Text.of(source);
			const from = where % (source.length + 1);
			const after = before.replace(from, Math.min(from + length, source.length), insert);
			for (const text of [before, after]) {
				for (const [word, places] of placesOf(text.toString())) {
					const visited: number[] = [];
					visitPlaces(wordsOfText(text), wordQueryOf(word), (at) => visited.push(at) > 0);
					const isPlace = new Set(places);
					const found = visited.filter((at) => isPlace.has(at));
					expect(found).toEqual(found.toSorted((a, b) => a - b));
					expect([...new Set(found)]).toEqual(places);
				}
			}
		}),
	));

test("reports whether a version of a text contains a word, and lists its words", () =>
	fc.assert(
		fc.property(someSource, fc.nat(), fc.nat(3000), someWords, (source, where, length, insert) => {
			const before = Text.of(source);
			const from = where % (source.length + 1);
			const after = before.replace(from, Math.min(from + length, source.length), insert);
			const present = placesOf(after.toString());
			const queried = [...placesOf(`${source} ${insert}`).keys(), ...present.keys(), "ab", "absent"];
			for (const word of queried) {
				expect(hasHash(wordsOfText(after), wordQueryOf(word).hash)).toBe(present.has(word));
			}
			const hashes = [...present.keys()].map((word) => wordQueryOf(word).hash);
			expect(hashesIn(after.toString())).toEqual(new Set(hashes));
		}),
	));

/** The offsets of every word in a text. */
function placesOf(source: string): Map<string, number[]> {
	const places = new Map<string, number[]>();
	for (const { 0: word, index } of source.matchAll(/[\w$]+/g)) places.set(word, [...(places.get(word) ?? []), index]);
	return places;
}

test("rules out most absent words of a long text without reading it", () => {
	const lines = Array.from({ length: 5000 }, (_, i) => `const some${i % 40} = other(${i % 60});\n`);
	const words = wordsOfText(Text.of(lines.join("")));
	const others = Array.from({ length: 1000 }, (_, i) => wordQueryOf(`absent${i}`));
	expect(others.filter((wanted) => mayHave(words, wanted)).length).toBeLessThan(150);
});

test("stops when the visitor returns false", () => {
	const visited: number[] = [];
	const words = wordsOfText(Text.of("a ".repeat(3000)));
	expect(visitPlaces(words, wordQueryOf("a"), (at) => visited.push(at) < 3)).toBe(false);
	expect(visited).toEqual([0, 2, 4]);
});
