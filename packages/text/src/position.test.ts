import { someLongText, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Encoding, offsetOf, offsetsOf, type Position, positionAt, rangeAt, splitsCharacter } from "./position.js";
import { Text } from "./text.js";

const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-16", "utf-32"];

function read(place: string): Position {
	const [line, character] = place.split(":").map(Number) as [number, number];
	return { line, character };
}

/** `places` are the positions of the offsets 0, 1, 2, … up to the end of the text, as `line:character`. */
function expectPositions(plain: string, encoding: Encoding, places: string): void {
	const text = Text.of(plain);
	const actual = Array.from({ length: plain.length + 1 }, (_, offset) => positionAt(text, offset, encoding));
	expect(actual.map(({ line, character }) => `${line}:${character}`).join(" ")).toBe(places);
}

function expectOffsets(plain: string, encoding: Encoding, offsets: Readonly<Record<string, number>>): void {
	const text = Text.of(plain);
	const actual = Object.keys(offsets).map((place) => [place, offsetOf(text, read(place), encoding)]);
	expect(Object.fromEntries(actual)).toEqual(offsets);
}

test("counts bytes in utf-8, and rounds down inside a surrogate pair", () =>
	expectPositions("aé漢😀b", "utf-8", "0:0 0:1 0:3 0:6 0:6 0:10 0:11"));
test("counts code units in utf-16, and rounds down inside a surrogate pair", () =>
	expectPositions("aé漢😀b", "utf-16", "0:0 0:1 0:2 0:3 0:3 0:5 0:6"));
test("counts code points in utf-32, and rounds down inside a surrogate pair", () =>
	expectPositions("aé漢😀b", "utf-32", "0:0 0:1 0:2 0:3 0:3 0:4 0:5"));
test("counts the characters at the boundaries between UTF-8 lengths", () =>
	expectPositions(
		"\x7f\x80\u07ff\u0800\uffff\u{10000}\u{10ffff}",
		"utf-8",
		"0:0 0:1 0:3 0:5 0:8 0:11 0:11 0:15 0:15 0:19",
	));
test("counts a combining mark as a separate character", () => {
	expectPositions("e\u0301x", "utf-8", "0:0 0:1 0:3 0:4");
	expectPositions("e\u0301x", "utf-32", "0:0 0:1 0:2 0:3");
});
test("counts a byte order mark like any other character", () => {
	expectPositions("\ufeffx", "utf-8", "0:0 0:3 0:4");
	expectPositions("\ufeffx", "utf-16", "0:0 0:1 0:2");
});
test("counts a lone surrogate as U+FFFD", () => {
	expectPositions("\ud83dx\ude00", "utf-8", "0:0 0:3 0:4 0:7");
	expectPositions("\ud83dx\ude00", "utf-16", "0:0 0:1 0:2 0:3");
	expectPositions("\ud83dx\ude00", "utf-32", "0:0 0:1 0:2 0:3");
	expectPositions("\ude00\ud83d", "utf-8", "0:0 0:3 0:6");
	expectPositions("\ud83d\ud83d\ude00", "utf-8", "0:0 0:3 0:3 0:7");
});
test("rounds down between a carriage return and its line feed", () =>
	expectPositions("a\r\nb", "utf-16", "0:0 0:1 0:1 1:0 1:1"));
test("starts a line after each kind of line ending", () =>
	expectPositions("\n\r\n\r\n\n\r", "utf-8", "0:0 1:0 1:0 2:0 2:0 3:0 4:0 5:0"));
test("starts no line after U+2028 or U+0085", () => expectPositions("a\u2028\u0085", "utf-8", "0:0 0:1 0:4 0:6"));
test("places the end of a text after its final newline", () => expectPositions("a\n", "utf-32", "0:0 0:1 1:0"));

test("treats a character past the end of its line as the line's end", () => {
	for (const encoding of ENCODINGS) expectOffsets("é\r\nb", encoding, { "0:5": 1, "0:4294967295": 1, "1:9": 4 });
});
test("treats a line past the end as the text's end", () => {
	for (const encoding of ENCODINGS) expectOffsets("a\nb", encoding, { "2:0": 3, "7:7": 3, "4294967295:0": 3 });
});
test("treats a line past the end of a text with a final newline as the text's end", () =>
	expectOffsets("a\n", "utf-8", { "0:1": 1, "0:2": 1, "1:0": 2, "1:1": 2, "2:0": 2 }));
test("treats every position in an empty text as its start", () =>
	expectOffsets("", "utf-8", { "0:0": 0, "0:1": 0, "1:1": 0 }));
test("rounds a byte inside a character down", () =>
	expectOffsets("é漢😀", "utf-8", { "0:1": 0, "0:2": 1, "0:3": 1, "0:4": 1, "0:5": 2, "0:6": 2, "0:8": 2, "0:9": 4 }));
test("rounds a byte inside a lone surrogate down", () =>
	expectOffsets("\ud83dx", "utf-8", { "0:1": 0, "0:2": 0, "0:3": 1, "0:4": 2 }));
test("rounds a code unit inside a surrogate pair down", () =>
	expectOffsets("a😀b", "utf-16", { "0:1": 1, "0:2": 1, "0:3": 3, "0:4": 4 }));
test("never resolves a position to an offset between a carriage return and its line feed", () =>
	expectOffsets("a\r\nb", "utf-16", { "0:1": 1, "0:2": 1, "0:3": 1, "1:0": 3 }));

test.each([
	["a negative line", { line: -1, character: 0 }],
	["a negative character", { line: 0, character: -1 }],
	["a fractional character number", { line: 0, character: 0.5 }],
	["a line that is NaN", { line: Number.NaN, character: 0 }],
	["an infinite character number", { line: 9, character: Number.POSITIVE_INFINITY }],
])("rejects %s", (_, position) => {
	for (const encoding of ENCODINGS) expect(() => offsetOf(Text.of("ab"), position, encoding)).toThrow(RangeError);
});

test.each([-1, 3, 0.5, Number.NaN])("rejects offset %d in a text of length 2", (offset) => {
	for (const encoding of ENCODINGS) expect(() => positionAt(Text.of("ab"), offset, encoding)).toThrow(RangeError);
});

test("swaps a reversed range", () => {
	const text = Text.of("ab\ncd");
	const range = rangeAt(text, 1, 4, "utf-16");
	expect(range).toEqual({ start: read("0:1"), end: read("1:1") });
	expect(offsetsOf(text, range, "utf-16")).toEqual({ from: 1, to: 4 });
	expect(offsetsOf(text, { start: range.end, end: range.start }, "utf-16")).toEqual({ from: 1, to: 4 });
});

/** Whether an offset splits a character or a line ending in a plain string. */
function isSplit(plain: string, offset: number): boolean {
	return /^(\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(plain.slice(Math.max(offset - 1, 0), offset + 1));
}

function roundDown(plain: string, offset: number): number {
	return isSplit(plain, offset) ? offset - 1 : offset;
}

/** Computes the position of an offset with a regular expression and the platform's encoder. */
function modelPosition(plain: string, offset: number, encoding: Encoding): Position {
	const lines = plain.slice(0, roundDown(plain, offset)).split(/\r\n|\n|\r/);
	return { line: lines.length - 1, character: unitsOf(lines.at(-1) ?? "", encoding) };
}

function unitsOf(plain: string, encoding: Encoding): number {
	if (encoding === "utf-8") return new TextEncoder().encode(plain).length;
	return encoding === "utf-16" ? plain.length : Array.from(plain).length;
}

/** Finds the last offset on the line that is not past the position, by trying every offset. */
function modelOffset(plain: string, { line, character }: Position, encoding: Encoding): number {
	const offsets = [...Array(plain.length + 1).keys()].filter((offset) => !isSplit(plain, offset));
	const fits = (offset: number) => {
		const place = modelPosition(plain, offset, encoding);
		return place.line === line && place.character <= character;
	};
	return offsets.findLast(fits) ?? plain.length;
}

test.each(ENCODINGS)("counts like the platform's encoders, at every offset, in %s", (encoding) =>
	fc.assert(
		fc.property(someText(), (plain) => {
			const text = Text.of(plain);
			for (let offset = 0; offset <= plain.length; offset++) {
				expect(positionAt(text, offset, encoding)).toEqual(modelPosition(plain, offset, encoding));
				expect(splitsCharacter(text, offset)).toBe(isSplit(plain, offset));
			}
		}),
	),
);

test.each(ENCODINGS)("finds the same offset as an exhaustive search, in %s", (encoding) =>
	fc.assert(
		fc.property(someText(), fc.nat(6), fc.nat(30), (plain, line, character) => {
			const position = { line, character };
			expect(offsetOf(Text.of(plain), position, encoding)).toBe(modelOffset(plain, position, encoding));
		}),
	),
);

test.each(ENCODINGS)("converts a position back to its offset, rounded down, in %s", (encoding) =>
	fc.assert(
		fc.property(someLongText(), fc.array(fc.nat()), (plain, picks) => {
			const text = Text.of(plain);
			for (const offset of picks.map((pick) => pick % (plain.length + 1))) {
				expect(offsetOf(text, positionAt(text, offset, encoding), encoding)).toBe(roundDown(plain, offset));
			}
		}),
	),
);

function compare(a: Position, b: Position): number {
	return a.line - b.line || a.character - b.character;
}

test.each(ENCODINGS)("preserves the order of offsets and positions, in %s", (encoding) =>
	fc.assert(
		fc.property(someText(), (plain) => {
			const text = Text.of(plain);
			const places = Array.from({ length: plain.length + 1 }, (_, offset) => positionAt(text, offset, encoding));
			expect(places).toEqual(places.toSorted(compare));
			const grid = [0, 1, 2, 3].flatMap((line) => [0, 1, 2, 3, 5, 8].map((character) => ({ line, character })));
			const offsets = grid.map((position) => offsetOf(text, position, encoding));
			expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
		}),
	),
);

test("counts a line of 100 KB like the platform's encoders", () => {
	const plain = `\n${"aé漢😀\ud83d".repeat(20_000)}\n`;
	const text = Text.of(plain);
	for (const encoding of ENCODINGS) {
		for (let offset = 0; offset <= plain.length; offset += 997) {
			const position = positionAt(text, offset, encoding);
			expect(position).toEqual(modelPosition(plain, offset, encoding));
			expect(offsetOf(text, position, encoding)).toBe(roundDown(plain, offset));
		}
		expect(offsetOf(text, { line: 1, character: 2 ** 31 }, encoding)).toBe(plain.length - 1);
	}
});
