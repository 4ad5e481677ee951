import { someEdits, someLongText, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Text } from "./text.js";

/** Splits a plain string into lines with a regular expression. */
function linesOf(plain: string): { start: number; end: number }[] {
	const lines: { start: number; end: number }[] = [];
	let start = 0;
	for (const { 0: lineEnd, index } of plain.matchAll(/\r\n|\n|\r/g)) {
		lines.push({ start, end: index });
		start = index + lineEnd.length;
	}
	return [...lines, { start, end: plain.length }];
}

/** Compares a text with a plain string at the given offsets and lines. */
function expectText(text: Text, plain: string, offsets: readonly number[], numbers: readonly number[]): void {
	const lines = linesOf(plain);
	const stretches = offsets.slice(1).map((at, i) => [at, offsets[i] ?? 0].sort((a, b) => a - b) as [number, number]);
	expect({
		text: text.toString(),
		length: text.length,
		lineCount: text.lineCount,
		lines: numbers.map((line) => ({ start: text.lineStart(line), end: text.lineEnd(line), text: text.line(line) })),
		offsets: offsets.map((at) => ({ ...text.locate(at), code: text.codeAt(at) })),
		lineAt: offsets.map((at) => text.lineAt(at)),
		slices: stretches.map(([from, to]) => text.slice(from, to)),
	}).toEqual({
		text: plain,
		length: plain.length,
		lineCount: lines.length,
		lines: numbers.map((line) => ({ ...lines[line], text: plain.slice(lines[line]?.start, lines[line]?.end) })),
		offsets: offsets.map((at) => {
			const line = lines.findLastIndex(({ start }) => start <= at);
			return { line, start: lines[line]?.start, code: plain[at]?.charCodeAt(0) ?? -1 };
		}),
		lineAt: offsets.map((at) => lines.findLastIndex(({ start }) => start <= at)),
		slices: stretches.map(([from, to]) => plain.slice(from, to)),
	});
}

/** Compares a short text with a plain string at every offset and line. */
function expectWhole(text: Text, plain: string): void {
	expectText(text, plain, [...Array(plain.length + 1).keys()], [...linesOf(plain).keys()]);
}

function expectLines(plain: string, lines: readonly string[]): void {
	const text = Text.of(plain);
	expectWhole(text, plain);
	expect([...lines.keys()].map((line) => text.line(line))).toEqual(lines);
	expect(text.lineCount).toBe(lines.length);
}

test("an empty text has one empty line", () => expectLines("", [""]));
test("ends a line at a line feed", () => expectLines("a\nb", ["a", "b"]));
test("ends a line at a carriage return", () => expectLines("a\rb", ["a", "b"]));
test("ends one line at a carriage return and line feed", () => expectLines("a\r\nb", ["a", "b"]));
test("ends two lines at a line feed and carriage return", () => expectLines("a\n\rb", ["a", "", "b"]));
test("ends two lines at two carriage returns and a line feed", () => expectLines("a\r\r\nb", ["a", "", "b"]));
test("handles mixed line endings", () => expectLines("a\r\nb\nc\rd", ["a", "b", "c", "d"]));
test("has an empty last line after a final newline", () => expectLines("a\n", ["a", ""]));
test("counts the lines in a text of only line endings", () => expectLines("\n\r\n\r", ["", "", "", ""]));
test("ends no line at U+2028, U+2029, U+0085, form feed or vertical tab", () =>
	expectLines("a\u2028b\u2029c\u0085d\fe\vf\n", ["a\u2028b\u2029c\u0085d\fe\vf", ""]));
test("keeps a byte order mark in the text", () => expectLines("\ufeffa\r\n", ["\ufeffa", ""]));
test("keeps a lone surrogate", () => expectLines("\ud83d\n\ude00", ["\ud83d", "\ude00"]));

function expectReplaced(plain: string, from: number, to: number, insert: string, lines: readonly string[]): void {
	const text = Text.of(plain).replace(from, to, insert);
	expectWhole(text, plain.slice(0, from) + insert + plain.slice(to));
	expect([...lines.keys()].map((line) => text.line(line))).toEqual(lines);
}

test("joins a carriage return and a typed line feed into one line ending", () =>
	expectReplaced("a\rb", 2, 2, "\n", ["a", "b"]));
test("splits a line ending when something is typed inside it", () =>
	expectReplaced("a\r\nb", 2, 2, "x", ["a", "x", "b"]));
test("leaves a carriage return when its line feed is deleted", () => expectReplaced("a\r\nb", 2, 3, "", ["a", "b"]));
test("joins a line ending across a deletion", () => expectReplaced("a\r--\nb", 2, 4, "", ["a", "b"]));
test("slices to the end by default", () => expect(Text.of("one\ntwo").slice(2)).toBe("e\ntwo"));
test("replaces everything", () => expectReplaced("a\nb", 0, 3, "", [""]));

test("equals a text with the same characters, no matter how it was built", () => {
	const text = Text.of("one\ntwo");
	expect(text.equals(Text.of("one\n").replace(4, 4, "two"))).toBe(true);
	expect(text.equals(Text.of("one\ntwO"))).toBe(false);
	expect(text.equals(Text.empty)).toBe(false);
});

test.each([
	["a slice that starts before the text", (text: Text) => text.slice(-1, 2)],
	["a slice that ends after the text", (text: Text) => text.slice(0, 8)],
	["a reversed slice", (text: Text) => text.slice(3, 2)],
	["a replacement past the end", (text: Text) => text.replace(8, 8, "x")],
	["a replacement at a fractional offset", (text: Text) => text.replace(0.5, 1, "x")],
	["a code unit past the end", (text: Text) => text.codeAt(8)],
	["the line of NaN", (text: Text) => text.lineAt(Number.NaN)],
	["a line before the first", (text: Text) => text.line(-1)],
	["a line after the last", (text: Text) => text.lineStart(2)],
	["the end of a fractional line", (text: Text) => text.lineEnd(0.5)],
])("rejects %s", (_, use) => expect(() => use(Text.of("one\ntwo"))).toThrow(RangeError));

/** One step of an editing session. `at` and `remove` are taken modulo the available length. */
const someStep = fc.record({ at: fc.nat(), remove: fc.oneof(fc.nat(3), fc.nat(3000)), insert: someText() });

interface Version {
	readonly text: Text;
	readonly plain: string;
}

function versionsOf(plain: string, steps: readonly { at: number; remove: number; insert: string }[]): Version[] {
	let last: Version = { text: Text.of(plain), plain };
	const versions = [last];
	for (const { at, remove, insert } of steps) {
		const from = at % (last.plain.length + 1);
		const to = Math.min(from + remove, last.plain.length);
		last = {
			text: last.text.replace(from, to, insert),
			plain: last.plain.slice(0, from) + insert + last.plain.slice(to),
		};
		versions.push(last);
	}
	return versions;
}

test("matches a plain string in every version of a short text", () =>
	fc.assert(
		fc.property(someText(), fc.array(someStep, { maxLength: 5 }), (plain, steps) => {
			for (const version of versionsOf(plain, steps)) expectWhole(version.text, version.plain);
		}),
	));

test("matches a plain string in every version of a long text", () =>
	fc.assert(
		fc.property(
			someLongText(),
			fc.array(someStep, { maxLength: 4 }),
			fc.array(fc.nat(), { minLength: 2 }),
			(plain, steps, picks) => {
				for (const { text, plain: now } of versionsOf(plain, steps)) {
					const { length } = linesOf(now);
					const offsets = picks.map((pick) => pick % (now.length + 1));
					const lines = picks.map((pick) => pick % length);
					expectText(text, now, offsets, lines);
				}
			},
		),
	));

test("finds the common start and end of two versions", () => {
	const someCase = fc
		.oneof(someText(), someLongText())
		.chain((source) => fc.tuple(fc.constant(source), someEdits(source.length), fc.boolean()));
	fc.assert(
		fc.property(someCase, ([source, edits, isAnew]) => {
			const before = Text.of(source);
			const edited = edits.reduceRight((text, { from, to, insert }) => text.replace(from, to, insert), before);
			const after = isAnew ? Text.of(edited.toString()) : edited;
			const now = after.toString();
			const { head, tail } = before.common(after);
			const most = Math.min(source.length, now.length);
			expect(head + tail).toBeLessThanOrEqual(most);
			expect(now.slice(0, head)).toBe(source.slice(0, head));
			expect(now.slice(now.length - tail)).toBe(source.slice(source.length - tail));
			if (head < most) expect(now[head]).not.toBe(source[head]);
			if (head + tail < most) expect(now.at(-1 - tail)).not.toBe(source.at(-1 - tail));
		}),
	);
});

test("shares a lineage between versions of a text, but not with other texts", () => {
	const text = Text.of("a");
	expect(text.replace(0, 1, "b").lineage).toBe(text.lineage);
	expect(Text.of("a").lineage).not.toBe(text.lineage);
	expect(Text.empty.replace(0, 0, "a").lineage).not.toBe(Text.empty.replace(0, 0, "a").lineage);
});
