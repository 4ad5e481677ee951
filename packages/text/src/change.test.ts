import { someChange, someEdits, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Change, type Edit, type Side, wholeEdits } from "./change.js";
import { splitsCharacter } from "./position.js";
import { Text } from "./text.js";

/** Reads edits in short notation: `1=x` inserts, `1-2=` deletes, `1-2=x` replaces. */
function read(short: string): Edit[] {
	const edits = short.split(" ").filter((part) => part !== "");
	return edits.map((part) => {
		const [, from, to = from, insert = ""] = /^(.+?)(?:-(.+?))?=(.*)$/.exec(part) ?? expect.fail(part);
		return { from: Number(from), to: Number(to), insert };
	});
}

function draw(edits: readonly Edit[]): string {
	return edits.map(({ from, to, insert }) => `${from === to ? from : `${from}-${to}`}=${insert}`).join(" ");
}

/** Applies edits in ascending order to a plain string. */
function splice(plain: string, edits: readonly Edit[]): string {
	return edits.reduceRight((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), plain);
}

function expectApplied(plain: string, edits: string, after: string): void {
	const text = Text.of(plain);
	const change = Change.of(read(edits), plain.length);
	expect(change.apply(text).toString()).toBe(after);
	expect(change.lengthAfter).toBe(after.length);
	expect(change.invert(text).apply(Text.of(after)).toString()).toBe(plain);
}

test("applies no edits", () => expectApplied("abc", "", "abc"));
test("inserts, deletes and replaces", () => expectApplied("abcdef", "0=x 1-2= 4-6=yz!", "xacdyz!"));
test("accepts edits in any order", () => expectApplied("abcdef", "4-5=y 1-2=x", "axcdyf"));
test("uses offsets in the original text", () => expectApplied("ab", "0-1=long 1-2=B", "longB"));
test("makes insertions at the same offset in array order", () => expectApplied("ab", "1=1 1=2 1=3", "a123b"));
test("makes insertions before a replacement that starts at the same offset", () =>
	expectApplied("abc", "1=1 1=2 1-2=X", "a12Xc"));
test("inserts where a replacement ends", () => expectApplied("abc", "1-2=X 2=1", "aX1c"));
test("inserts where a later replacement ends", () => expectApplied("abc", "2=1 1-2=X", "aX1c"));
test("replaces adjacent ranges", () => expectApplied("abcd", "0-2=x 2-4=y", "xy"));
test("deletes adjacent ranges", () => expectApplied("abcd", "0-2= 2-3= 3-4=", ""));
test("drops an edit that does nothing", () => expect(Change.of(read("1="), 3).edits).toEqual([]));

test.each([
	["an edit that starts before the text", "-1-0=", "edit -1–0 is not in a text of length 3"],
	["an edit that ends after the text", "2-4=", "edit 2–4 is not in a text of length 3"],
	["an insertion after the text", "4=x", "edit 4–4 is not in a text of length 3"],
	["a reversed edit", "2-1=x", "edit 2–1 is not in a text of length 3"],
	["an edit at a fractional offset", "0.5-1=x", "edit 0.5–1 is not in a text of length 3"],
	["an edit that ends at NaN", "0-NaN=x", "edit 0–NaN is not in a text of length 3"],
	["edits that overlap", "0-2=x 1-3=y", "edit 1–3 overlaps edit 0–2"],
	["edits that overlap, in descending order", "1-3=y 0-2=x", "edit 1–3 overlaps edit 0–2"],
	["the same replacement twice", "0-2=x 0-2=x", "edit 0–2 overlaps edit 0–2"],
	["an insertion inside a replacement", "0-2=x 1=y", "edit 1–1 overlaps edit 0–2"],
	["an insertion listed after a replacement that starts at the same offset", "1-2=x 1=y", "edit 1–1 overlaps edit 1–2"],
])("rejects %s", (_, edits, message) => expect(() => Change.of(read(edits), 3)).toThrow(new RangeError(message)));

test("rejects a text of a different length", () => {
	const change = Change.of(read("0-3="), 3);
	const misfit = new RangeError("a change to a text of length 3 cannot be applied to a text of length 4");
	expect(() => change.apply(Text.of("abcd"))).toThrow(misfit);
	expect(() => change.invert(Text.of("abcd"))).toThrow(misfit);
	expect(() => Change.of(read("0-1=abcd"), 1).compose(change)).toThrow(misfit);
});

function expectComposed(plain: string, first: string, second: string, both: string): void {
	const one = Change.of(read(first), plain.length);
	const two = Change.of(read(second), one.lengthAfter);
	expect(draw(one.compose(two).edits)).toBe(both);
}

test("merges two typed characters", () => expectComposed("ab", "1=x", "2=y", "1=xy"));
test("merges typing before typed text", () => expectComposed("ab", "1=x", "1=y", "1=yx"));
test("cancels out typed text that is deleted again", () => expectComposed("ab", "1=xyz", "1-4=", ""));
test("deletes on both sides of typed text", () => expectComposed("abcd", "2=x", "1-4=", "1-3="));
test("keeps separate changes separate", () => expectComposed("abcdef", "0-1=x", "4-5=y", "0-1=x 4-5=y"));
test("replaces the middle of typed text", () => expectComposed("ab", "1=xyz", "2-3=Y", "1=xYz"));
test("appends after deleting to the end", () => expectComposed("abc", "1-3=", "1=x", "1-3=x"));

/** `offsets` lists the mapped values of the offsets 0, 1, 2, … up to the end of the text. */
function expectMapped(plain: string, edits: string, side: Side, offsets: readonly number[]): void {
	const change = Change.of(read(edits), plain.length);
	expect([...Array(plain.length + 1).keys()].map((offset) => change.map(offset, side))).toEqual(offsets);
}

test('moves offsets after an insertion, and an offset at the insertion only if the side is "after"', () => {
	expectMapped("abc", "1=xy", "before", [0, 1, 4, 5]);
	expectMapped("abc", "1=xy", "after", [0, 3, 4, 5]);
});
test("collapses offsets inside a deletion", () => {
	expectMapped("abcd", "1-3=", "before", [0, 1, 1, 1, 2]);
	expectMapped("abcd", "1-3=", "after", [0, 1, 1, 1, 2]);
});
test("moves offsets inside a replacement to its start or end, depending on the side, but not offsets at its ends", () => {
	expectMapped("abcd", "1-3=xyz", "before", [0, 1, 1, 4, 5]);
	expectMapped("abcd", "1-3=xyz", "after", [0, 1, 4, 4, 5]);
});
test("keeps an offset between adjacent edits", () => {
	expectMapped("abcd", "0-2=x 2-4=y", "before", [0, 0, 1, 1, 2]);
	expectMapped("abcd", "0-2=x 2-4=y", "after", [0, 1, 1, 2, 2]);
});

function expectMappedEdit(plain: string, edits: string, side: Side, before: string, after: string | undefined): void {
	const [edit] = read(before) as [Edit];
	const mapped = Change.of(read(edits), plain.length).mapEdit(edit, side);
	expect(mapped && draw([mapped])).toBe(after);
}

test("moves an edit after a change", () => expectMappedEdit("abcd", "0-1=xyz", "before", "2-3=Y", "4-5=Y"));
test("does not move an edit before a change", () => expectMappedEdit("abcd", "3-4=", "after", "1-2=Y", "1-2=Y"));
test("does not extend an edit over text inserted at its ends", () =>
	expectMappedEdit("abcd", "1=x 3=y", "before", "1-3=Y", "2-4=Y"));
test("orders two insertions at the same offset according to the side", () => {
	expectMappedEdit("ab", "1=x", "before", "1=Y", "1=Y");
	expectMappedEdit("ab", "1=x", "after", "1=Y", "2=Y");
});
test("drops an edit whose text was changed", () => {
	expectMappedEdit("abcd", "1-2=x", "before", "0-2=Y", undefined);
	expectMappedEdit("abcd", "1=x", "before", "0-2=Y", undefined);
	expectMappedEdit("abcd", "1-3=x", "before", "2=Y", undefined);
});

/** A text and a change to it. */
const someChanged = someText().chain((plain) => {
	const text = Text.of(plain);
	return fc.record({ plain: fc.constant(plain), text: fc.constant(text), one: someChange(text) });
});

test("has the same effect as splicing a plain string, and can be undone", () =>
	fc.assert(
		fc.property(someChanged, ({ plain, text, one }) => {
			const after = one.apply(text);
			expect(after.toString()).toBe(splice(plain, one.edits));
			expect(after.length).toBe(one.lengthAfter);
			const back = one.invert(text);
			expect(back.apply(after).toString()).toBe(plain);
			expect(back.invert(after).apply(text).toString()).toBe(after.toString());
			expect(back).toEqual(Change.of(back.edits, back.lengthBefore));
		}),
	));

test("accepts edits in any order, except for edits at the same offset", () =>
	fc.assert(
		fc.property(
			someText().chain((plain) => fc.record({ plain: fc.constant(plain), edits: someEdits(plain.length) })),
			({ plain, edits }) => {
				const backwards = edits.toSorted((a, b) => b.from - a.from);
				expect(Change.of(backwards, plain.length)).toEqual(Change.of(edits, plain.length));
				expect(Change.of(edits, plain.length).apply(Text.of(plain)).toString()).toBe(splice(plain, edits));
			},
		),
	));

test("composes to the same result as consecutive changes, in any grouping", () => {
	const someThree = someChanged.chain(({ text, one }) =>
		someChange(one.apply(text)).chain((two) =>
			someChange(two.apply(one.apply(text))).map((three) => ({ text, one, two, three })),
		),
	);
	fc.assert(
		fc.property(someThree, ({ text, one, two, three }) => {
			const both = one.compose(two);
			const end = two.apply(one.apply(text));
			expect(both.apply(text).toString()).toBe(end.toString());
			expect(both).toEqual(Change.of(both.edits, text.length));
			const last = three.apply(end).toString();
			expect(both.compose(three).apply(text).toString()).toBe(last);
			expect(one.compose(two.compose(three)).apply(text).toString()).toBe(last);
		}),
	);
});

/** Maps an offset through a change by treating the offset as a mark between the characters of a list. */
function modelMap(plain: string, edits: readonly Edit[], offset: number, side: Side): number {
	const items: unknown[] = [...plain.split("")];
	const mark = Symbol("offset");
	items.splice(offset, 0, mark);
	const before = (at: number) => (at > offset ? at + 1 : at); // the index in the list before the mark
	const past = (at: number) => (at >= offset ? at + 1 : at); // the index in the list after the mark
	for (const { from, to, insert } of edits.toReversed()) {
		if (from === to) items.splice(side === "before" ? past(from) : before(from), 0, ...insert.split(""));
		else {
			const start = past(from);
			const count = before(to) - start;
			const isGone = items.slice(start, start + count).includes(mark);
			const inserted: unknown[] = insert.split("");
			if (isGone) inserted.splice(side === "before" ? 0 : insert.length, 0, mark);
			items.splice(start, count, ...inserted);
		}
	}
	return items.indexOf(mark);
}

const someSide = fc.constantFrom<Side>("before", "after");

test("maps every offset like a mark in a list", () =>
	fc.assert(
		fc.property(someChanged, someSide, ({ plain, one }, side) => {
			const offsets = [...Array(plain.length + 1).keys()];
			const mapped = offsets.map((offset) => one.map(offset, side));
			expect(mapped).toEqual(offsets.map((offset) => modelMap(plain, one.edits, offset, side)));
			expect(mapped).toEqual(mapped.toSorted((a, b) => a - b));
		}),
	));

test("maps an edit so that it and the change can be applied in either order", () =>
	fc.assert(
		fc.property(
			someChanged.chain((changed) => fc.tuple(fc.constant(changed), someChange(changed.text), someSide)),
			([{ text, one }, { edits }, side]) => {
				for (const own of edits) {
					const mapped = one.mapEdit(own, side);
					const isTouched = one.edits.some(({ from, to }) => from < own.to && own.from < to);
					expect(mapped === undefined).toBe(isTouched);
					if (mapped === undefined) continue;
					expect(one.apply(text).slice(mapped.from, mapped.to)).toBe(text.slice(own.from, own.to));
					const alone = Change.of([own], text.length);
					const others = one.edits.map((other) => alone.mapEdit(other, side === "before" ? "after" : "before"));
					const after = Change.of([mapped], one.lengthAfter).apply(one.apply(text));
					const other = Change.of(others as Edit[], alone.lengthAfter).apply(alone.apply(text));
					expect(after.toString()).toBe(other.toString());
				}
			},
		),
	));

test("returns equivalent edits that do not touch and do not split a character", () =>
	fc.assert(
		fc.property(someChanged, ({ plain, text, one }) => {
			const whole = wholeEdits(one.edits, text);
			expect(splice(plain, whole)).toBe(splice(plain, one.edits));
			expect(whole.slice(1).filter(({ from }, i) => from <= (whole[i]?.to ?? -1))).toEqual([]);
			expect(whole.filter(({ from, to }) => splitsCharacter(text, from) || splitsCharacter(text, to))).toEqual([]);
		}),
	));

test("rejects an offset outside the text", () => {
	const change = Change.of([], 3);
	for (const offset of [-1, 4, Number.NaN]) expect(() => change.map(offset, "before")).toThrow(RangeError);
});
