import { Change, type Edit, type Text } from "@segue/text";
import fc from "fast-check";

// Whatever text code gets wrong, often enough that two of them meet: every line end and what only looks like one,
// characters of one to four bytes, marks that combine, halves of surrogate pairs, and plain letters in between.
const ALPHABET = [
	..."aab_ \t\n\n",
	"\r",
	"\r\n",
	"é",
	"\u0301", // combining acute accent
	"漢",
	"😀",
	"\ud83d", // the halves of 😀
	"\ude00",
	"\u0085", // next line, which ends no line here
	"\u2028", // line separator, nor does this
	"\f",
	"\ufeff", // byte order mark
	"\u0000",
];

/** A short text in which every kind of trouble is likely. */
export function someText(): fc.Arbitrary<string> {
	return fc.string({ unit: fc.constantFrom(...ALPHABET) });
}

/** A text of many leaves of a rope, mostly of a few KB and up to about 100: a short one over and over. */
export function someLongText(): fc.Arbitrary<string> {
	const fragment = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 40, size: "max" });
	const times = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 250 }) }, fc.integer({ min: 1, max: 2500 }));
	return fc.tuple(fragment, times).map(([text, count]) => text.repeat(count));
}

/** Edits of a text of that length, in ascending order and apart or touching, as `Change.of` takes them. */
export function someEdits(length: number, someInsert = someText()): fc.Arbitrary<Edit[]> {
	const cut = fc.record({ ends: fc.tuple(fc.nat(length), fc.nat(length)), insert: someInsert });
	return fc.array(cut, { maxLength: 4 }).map((cuts) => {
		const offsets = cuts.flatMap(({ ends }) => ends).sort((a, b) => a - b);
		return cuts.map(({ insert }, i) => ({ from: offsets[2 * i] as number, to: offsets[2 * i + 1] as number, insert }));
	});
}

/** A change of a text. Its edits may begin and end anywhere, inside a character too. */
export function someChange(text: Text): fc.Arbitrary<Change> {
	return someEdits(text.length).map((edits) => Change.of(edits, text.length));
}
