import { Change, type Edit, type Text } from "@segue/text";
import fc from "fast-check";

// Characters that text code tends to mishandle, frequent enough to occur next to each other: all line ends and their
// lookalikes, characters of one to four bytes, combining marks and unpaired surrogates, with plain letters in between.
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
	"\u0085", // next line; not a line end here
	"\u2028", // line separator; not a line end here either
	"\f",
	"\ufeff", // byte order mark
	"\u0000",
];

/** Generates a short string that is likely to contain difficult characters. */
export function someText(): fc.Arbitrary<string> {
	return fc.string({ unit: fc.constantFrom(...ALPHABET) });
}

/**
 * Generates a string long enough to span many leaves of a rope: a short string repeated to a few KB, at most about 100
 * KB.
 */
export function someLongText(): fc.Arbitrary<string> {
	const fragment = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 40, size: "max" });
	const times = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 250 }) }, fc.integer({ min: 1, max: 2500 }));
	return fc.tuple(fragment, times).map(([text, count]) => text.repeat(count));
}

/**
 * Generates edits that `Change.of` accepts for a text of this length: in ascending order, without overlaps, possibly
 * adjacent.
 */
export function someEdits(length: number, someInsert = someText()): fc.Arbitrary<Edit[]> {
	const cut = fc.record({ ends: fc.tuple(fc.nat(length), fc.nat(length)), insert: someInsert });
	return fc.array(cut, { maxLength: 4 }).map((cuts) => {
		const offsets = cuts.flatMap(({ ends }) => ends).sort((a, b) => a - b);
		return cuts.map(({ insert }, i) => ({ from: offsets[2 * i] as number, to: offsets[2 * i + 1] as number, insert }));
	});
}

/** Generates a change to a text. Its edits may begin and end anywhere, even inside a surrogate pair. */
export function someChange(text: Text): fc.Arbitrary<Change> {
	return someEdits(text.length).map((edits) => Change.of(edits, text.length));
}
