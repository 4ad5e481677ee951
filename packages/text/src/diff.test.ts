import { someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Edit } from "./change.js";
import { diffItems, diffLines, diffTokens, splitLines, splitTokens } from "./diff.js";

/** Applies sorted edits that do not touch to a plain string. */
function splice(plain: string, edits: readonly Edit[]): string {
	return edits.reduceRight((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), plain);
}

function draw(plain: string, edits: readonly Edit[]): string {
	return edits.reduceRight(
		(text, { from, to, insert }) => `${text.slice(0, from)}‹${text.slice(from, to)}→${insert}›${text.slice(to)}`,
		plain,
	);
}

/** A picture is the original text, with each expected edit drawn as `‹old→new›`. */
function expectFound(diff: typeof diffLines, picture: string): void {
	const before = picture.replace(/‹([^→]*)→[^›]*›/g, "$1");
	const after = picture.replace(/‹[^→]*→([^›]*)›/g, "$1");
	expect(draw(before, diff(before, after))).toBe(picture);
}

test("finds no edits between equal texts", () => {
	expectFound(diffLines, "a\nb\n");
	expectFound(diffTokens, "a b");
	expectFound(diffLines, "");
});
test("finds added lines", () => expectFound(diffLines, "a\n‹→b\n›c\n"));
test("finds deleted lines", () => expectFound(diffLines, "a\n‹b\n→›c\n"));
test("finds lines changed in two places", () => expectFound(diffLines, "‹a\n→A\n›b\n‹c\n→C\n›"));
test("finds text added to an empty text", () => expectFound(diffLines, "‹→a\nb›"));
test("finds the deletion of all text", () => expectFound(diffLines, "‹a\nb→›"));
test("finds an added final newline", () => expectFound(diffLines, "a\n‹b→b\n›"));
test("finds changed line endings", () => expectFound(diffLines, "‹a\n→a\r\n›b\r‹c\r\n→c\n›"));
test("finds changed words", () => expectFound(diffTokens, "let ‹cnt→count› = cnt + ‹1→2›"));
test("finds changed characters separately", () => expectFound(diffTokens, "f(a)‹[→(›0‹]→)›"));
test("finds an indentation change as one edit", () => expectFound(diffTokens, "‹\t\t→    ›a"));

test("splits lines only at line endings", () =>
	expect(splitLines("a\r\n\nb\rc\u2028\u0085\fd")).toEqual(["a\r\n", "\n", "b\r", "c\u2028\u0085\fd"]));
test("splits an empty text into no lines and no tokens", () =>
	expect([splitLines(""), splitTokens("")]).toEqual([[], []]));
test("splits words, including digits, marks and underscores, from whitespace and symbols", () =>
	expect(splitTokens("$a_1  +=e\u0301é漢")).toEqual(["$a_1", "  ", "+", "=", "e\u0301é漢"]));
test("splits no surrogate pair, and keeps a lone surrogate", () =>
	expect(splitTokens("😀😀\ud83d-")).toEqual(["😀", "😀", "\ud83d", "-"]));

test("quickly returns a single replacement if the order of the lines differs too much", () => {
	const lines = Array.from({ length: 50_000 }, (_, i) => `${i}\n`);
	const mixed = lines.map((_, i) => lines[(i * 17_389) % lines.length]).slice(1); // 17389 is prime
	expect(diffLines(`head\n${lines.join("")}tail`, `head\n${mixed.join("")}tail`)).toEqual([
		{ from: 5, to: 5 + lines.join("").length, insert: mixed.join("") },
	]);
});
test("finds two changes far apart in a long text", () => {
	const lines = Array.from({ length: 50_000 }, (_, i) => `${i % 5000}\n`).join("");
	expectFound(diffLines, `‹a\n→A\n›${lines}‹b\n→B\n›`);
});
test("compares long texts that have nothing in common", () => {
	const [before, after] = ["a", "b"].map((letter) =>
		Array.from({ length: 50_000 }, (_, i) => `${letter}${i}\n`).join(""),
	);
	expectFound(diffLines, `‹${before}→${after}›`);
});
test("splits a line of many megabytes", () => expect(splitLines("x".repeat(2 ** 24))).toHaveLength(1));

/** Two texts, the second often similar to the first. */
const someTexts = fc.oneof(
	fc.tuple(someText(), someText()),
	fc.tuple(someText(), someText(), someText(), someText()).map(([a, b, c, d]) => [a + b + c, a + d + c] as const),
);

function expectDiff(before: string, after: string, edits: readonly Edit[], items: readonly string[]): void {
	expect(items.join("")).toBe(before);
	expect(splice(before, edits)).toBe(after);
	const boundaries = new Set([0]);
	for (const item of items) boundaries.add(Math.max(...boundaries) + item.length);
	for (const [i, { from, to }] of edits.entries()) {
		expect([from, to].filter((offset) => !boundaries.has(offset))).toEqual([]);
		expect(from).toBeGreaterThan(edits[i - 1]?.to ?? -1);
	}
	if (before === after) expect(edits).toEqual([]);
}

test("turns any text into any other by replacing whole lines", () =>
	fc.assert(
		fc.property(someTexts, ([before, after]) => {
			expectDiff(before, after, diffLines(before, after), splitLines(before));
			const lines = before.split(/(?<=\n|\r(?!\n))/);
			expect(splitLines(before)).toEqual(lines.filter((line) => line !== ""));
		}),
	));

test("turns any text into any other by replacing whole tokens", () =>
	fc.assert(
		fc.property(someTexts, ([before, after]) => {
			expectDiff(before, after, diffTokens(before, after), splitTokens(before));
		}),
	));

/** The length of a longest common subsequence, by definition. */
function common(a: readonly string[], b: readonly string[]): number {
	if (a.length === 0 || b.length === 0) return 0;
	if (a[0] === b[0]) return 1 + common(a.slice(1), b.slice(1));
	return Math.max(common(a.slice(1), b), common(a, b.slice(1)));
}

test("removes and adds as little as possible", () => {
	const someItems = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
	fc.assert(
		fc.property(someItems, someItems, (before, after) => {
			const replaced = diffItems(before, after);
			const cost = replaced.reduce((sum, r) => sum + (r.to - r.from) + (r.newTo - r.newFrom), 0);
			expect(cost).toBe(before.length + after.length - 2 * common(before, after));
		}),
	);
});
