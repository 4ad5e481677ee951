import { someLongText, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Branch, build, type Leaf, type Rope, replace, slice } from "./rope.js";

function leavesOf(rope: Rope): Leaf[] {
	return rope instanceof Branch ? [...leavesOf(rope.left), ...leavesOf(rope.right)] : [rope];
}

/** Returns the branches that are inconsistent or unbalanced. */
function faultsOf(rope: Rope): Branch[] {
	if (!(rope instanceof Branch)) return [];
	const { left, right } = rope;
	const isSound =
		rope.height === Math.max(left.height, right.height) + 1 &&
		Math.abs(left.height - right.height) <= 1 &&
		rope.length === left.length + right.length &&
		rope.breaks === left.breaks + right.breaks &&
		rope.leftLength === left.length &&
		rope.leftBreaks === left.breaks &&
		rope.count("bytes") === left.count("bytes") + right.count("bytes") &&
		rope.count("points") === left.count("points") + right.count("points") &&
		rope.head === left.head &&
		rope.tail === right.tail;
	return [...(isSound ? [] : [rope]), ...faultsOf(left), ...faultsOf(right)];
}

const encoder = new TextEncoder();

/** Compares ropes with plain strings, and the counts in their leaves with a fresh count. */
function expectRopes(versions: readonly { rope: Rope; plain: string }[]): void {
	for (const { rope, plain } of versions) {
		expect(slice(rope, 0, rope.length)).toBe(plain);
		expect(faultsOf(rope)).toEqual([]);
		const leaves = leavesOf(rope);
		const lengths = leaves.map((leaf) => leaf.length);
		expect(Math.max(...lengths)).toBeLessThanOrEqual(1025);
		if (leaves.length > 1) expect(Math.min(...lengths)).toBeGreaterThanOrEqual(128);
		const boundaries = leaves.slice(1).map((leaf, i) => `${leaves[i]?.text.at(-1)}${leaf.text[0]}`);
		expect(boundaries.filter((two) => /\r\n|[\ud800-\udbff][\udc00-\udfff]/.test(two))).toEqual([]);
	}
	const leaves = [...new Set(versions.flatMap(({ rope }) => leavesOf(rope)))]; // versions of a rope share most leaves
	const counted = leaves.map((leaf) => {
		const { length, breaks, ends, head, tail, isAscii } = leaf;
		return [length, breaks, ends.join(), head, tail, isAscii, leaf.count("bytes"), leaf.count("points")].join(" ");
	});
	const recounted = leaves.map(({ text }) => {
		const ends = Array.from(text.matchAll(/\r\n|\n|\r/g), (match) => match.index + match[0].length);
		const [head, tail] = text === "" ? [-1, -1] : [text.charCodeAt(0), text.charCodeAt(text.length - 1)];
		const bytes = encoder.encode(text).length;
		const isAscii = bytes === text.length;
		return [text.length, ends.length, ends.join(), head, tail, isAscii, bytes, Array.from(text).length].join(" ");
	});
	expect(counted).toEqual(recounted);
}

function expectRope(rope: Rope, plain: string): void {
	expectRopes([{ rope, plain }]);
}

test.each([
	["an empty text", ""],
	["the maximum of one leaf", "x".repeat(1024)],
	["one character more than a leaf's maximum", "x".repeat(1025)],
	["a line ending between two leaves", `${"x".repeat(1023)}\r\n${"x".repeat(1023)}`],
	["a surrogate pair between two leaves", `${"x".repeat(1023)}😀${"x".repeat(1023)}`],
	["line endings at all possible leaf boundaries", `x${"\r\n".repeat(5000)}`],
	["surrogate pairs at all possible leaf boundaries", `x${"😀".repeat(5000)}`],
	["separate halves of surrogate pairs", "\ude00\ud83d-".repeat(3000)],
])("builds a valid tree for %s", (_, plain) => expectRope(build(plain), plain));

function expectReplaced(plain: string, from: number, to: number, insert: string): void {
	const rope = build(plain);
	const after = { rope: replace(rope, from, to, insert), plain: plain.slice(0, from) + insert + plain.slice(to) };
	expectRopes([{ rope, plain }, after]);
}

// 1025 characters are two leaves, of 513 and 512 characters.
test("moves a line feed into the leaf of its carriage return", () =>
	expectReplaced(`${"x".repeat(512)}\r${"y".repeat(512)}`, 513, 513, "\n"));
test("moves a low surrogate into the leaf of its high one", () =>
	expectReplaced(`${"x".repeat(512)}\ud83d${"y".repeat(512)}`, 513, 513, "\ude00"));
test("joins the halves of a line ending after a deletion across two leaves", () =>
	expectReplaced(`${"x".repeat(500)}\r${"-".repeat(24)}\n${"y".repeat(499)}`, 501, 525, ""));
test("deletes down to one leaf", () => expectReplaced("x".repeat(50_000), 10, 49_990, ""));
test("merges a small leaf into its neighbour", () => expectReplaced("x".repeat(5000), 1000, 1900, ""));
test("inserts many leaves into one", () => expectReplaced("x".repeat(1000), 500, 500, "\r\n".repeat(20_000)));
test("deletes everything except the last leaf", () => expectReplaced("x".repeat(50_000), 0, 49_900, ""));

test("stays valid when a text is typed character by character", () => {
	let rope = build("");
	let plain = "";
	for (let i = 0; i < 6000; i++) {
		const insert = "a\r\n😀é"[i % 6] ?? "";
		rope = replace(rope, plain.length, plain.length, insert);
		plain += insert;
	}
	expectRope(rope, plain);
});

test("stays valid when a text is deleted from the front and the back", () => {
	let plain = "a\r\n😀é".repeat(2000);
	let rope = build(plain);
	while (plain.length > 0) {
		const [from, to] = plain.length % 2 === 0 ? [0, 7] : [Math.max(plain.length - 5, 0), plain.length];
		rope = replace(rope, from, Math.min(to, plain.length), "");
		plain = plain.slice(0, from) + plain.slice(to);
		if (plain.length % 50 === 0) expectRope(rope, plain);
	}
	expectRope(rope, plain);
});

/** An edit near a leaf boundary: `leaf` is taken modulo the number of leaves, `shift` counts from the boundary. */
const someStep = fc.record({
	leaf: fc.nat(),
	shift: fc.integer({ min: -2, max: 2 }),
	remove: fc.oneof(fc.nat(3), fc.nat(3), fc.nat(2000)),
	insert: fc.oneof(
		{ weight: 5, arbitrary: fc.constantFrom("", "\r", "\n", "\ud83d", "\ude00", "\r\n", "😀") },
		{ weight: 2, arbitrary: someText() },
		{ weight: 1, arbitrary: someLongText() },
	),
});

test("stays valid after edits at leaf boundaries, as does every older version", () =>
	fc.assert(
		fc.property(someLongText(), fc.array(someStep, { maxLength: 5 }), (start, steps) => {
			let rope = build(start);
			let plain = start;
			const versions = [{ rope, plain }];
			for (const { leaf, shift, remove, insert } of steps) {
				const leaves = leavesOf(rope);
				const boundary = leaves.slice(0, leaf % (leaves.length + 1)).reduce((sum, { length }) => sum + length, 0);
				const from = Math.min(Math.max(boundary + shift, 0), plain.length);
				const to = Math.min(from + remove, plain.length);
				rope = replace(rope, from, to, insert);
				plain = plain.slice(0, from) + insert + plain.slice(to);
				versions.push({ rope, plain });
			}
			expectRopes(versions);
		}),
	));
