import { Change, type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Debounce } from "./debounce.js";

const MINUTE_MS = 60_000;

/** Creates a debounce after several decisions made at the same time. `+` is an acceptance, `-` a rejection. */
function paceAfter(verdicts: string, atMs = 0): Debounce {
	const debounce = new Debounce();
	for (const verdict of verdicts) {
		if (verdict === "+") debounce.accepted(atMs);
		else debounce.rejected(atMs, "a", 0);
	}
	return debounce;
}

describe("the debounce", () => {
	test.each([
		["nothing", "", 0, 100],
		["a rejection", "-", 0, 150],
		["an acceptance", "+", 0, 80],
		["both", "-+-", 0, 180],
		["only acceptances", "++++++++++", 0, 50],
		["only rejections", "----------", 0, 3000],
		["many rejections and then ten acceptances", "----------++++++++++", 0, 50],
		["a rejection five minutes ago", "-", 5 * MINUTE_MS, 100 * Math.sqrt(1.5)],
		["rejections ten minutes ago", "---", 10 * MINUTE_MS, 100],
		["rejections an hour ago", "---", 60 * MINUTE_MS, 100],
		["a rejection in the future, because the clock was set back", "-", -MINUTE_MS, 150],
	])("after %s", (_, verdicts, laterMs, expected) => {
		expect(paceAfter(verdicts, MINUTE_MS).debounceMs(MINUTE_MS + laterMs)).toBeCloseTo(expected, 9);
	});

	test("is 100 ms times the factors of the last ten decisions, weighted by age", () => {
		const someVerdicts = fc.array(fc.tuple(fc.boolean(), fc.nat(3 * MINUTE_MS)), { maxLength: 30 });
		fc.assert(
			fc.property(someVerdicts, fc.nat(12 * MINUTE_MS), (verdicts, restMs) => {
				const debounce = new Debounce();
				const dated: { isAccepted: boolean; atMs: number }[] = [];
				let atMs = 0;
				for (const [isAccepted, pauseMs] of verdicts) {
					atMs += pauseMs;
					if (isAccepted) debounce.accepted(atMs);
					else debounce.rejected(atMs, "a", 0);
					dated.push({ isAccepted, atMs });
				}
				const nowMs = atMs + restMs;
				let expected = 100;
				for (const one of dated.slice(-10)) {
					const age = nowMs - one.atMs;
					if (age < 600_000) expected *= (one.isAccepted ? 0.8 : 1.5) ** (1 - age / 600_000);
				}
				expect(debounce.debounceMs(nowMs)).toBeCloseTo(Math.min(Math.max(expected, 50), 3000), 6);
			}),
		);
	});
});

describe("a line with a rejected suggestion", () => {
	const text = Text.of("one\ntwo\nsix");
	const [inOne, inTwo, afterTwo, inSix] = [1, 5, 7, 9];

	/** Rejects a suggestion on the second line, then applies edits. */
	function rejectAndEdit(...edits: Edit[]): { debounce: Debounce; after: Text } {
		const debounce = new Debounce();
		debounce.rejected(0, "file:///a", inTwo);
		const change = Change.of(edits, text.length);
		debounce.changed("file:///a", change);
		return { debounce, after: change.apply(text) };
	}

	test.each([
		["on that line", "file:///a", inTwo, 0, true],
		["at its end", "file:///a", afterTwo, 4999, true],
		["after five seconds", "file:///a", inTwo, 5000, false],
		["after the clock was set back", "file:///a", inTwo, -MINUTE_MS, false],
		["on another line", "file:///a", inSix, 0, false],
		["in another document", "file:///b", inTwo, 0, false],
		["in the same document with a different spelling of its URI", "file:///%61", inTwo, 0, true],
	])("cools down for five seconds, unlike other lines: %s", (_, uri, offset, nowMs, isCoolingDown) => {
		expect(rejectAndEdit().debounce.isCoolingDown(uri, text, offset, nowMs)).toBe(isCoolingDown);
	});

	test("is not cooling down after an acceptance", () => {
		const debounce = new Debounce();
		debounce.accepted(0);
		expect(debounce.isCoolingDown("file:///a", text, inOne, 0)).toBe(false);
	});

	test.each<[string, Edit, number]>([
		["a line is added above", { from: 0, to: 0, insert: "new\n" }, 2],
		["a line above is deleted", { from: 0, to: 4, insert: "" }, 0],
		["a line is added below", { from: 8, to: 8, insert: "new\n" }, 1],
		["a line break is inserted after the offset", { from: 6, to: 6, insert: "\n" }, 1],
		["a line break is inserted at the offset", { from: 5, to: 5, insert: "\n" }, 1],
		["the whole text is replaced", { from: 0, to: 11, insert: "1\n2" }, 0],
	])("is still the only line that is cooling down when %s", (_, edit, line) => {
		const { debounce, after } = rejectAndEdit(edit);
		const quiet = Array.from({ length: after.lineCount }, (_, i) => {
			return debounce.isCoolingDown("file:///a", after, after.lineStart(i), 1);
		});
		expect(quiet.map((isCoolingDown, i) => (isCoolingDown ? i : -1)).filter((i) => i >= 0)).toEqual([line]);
	});

	test("does not move with changes in other documents", () => {
		const { debounce } = rejectAndEdit();
		debounce.changed("file:///b", Change.of([{ from: 0, to: 0, insert: "new\n" }], 3));
		expect(debounce.isCoolingDown("file:///a", text, inTwo, 0)).toBe(true);
	});

	test("is forgotten if the offset is outside the text", () => {
		const { debounce } = rejectAndEdit();
		expect(debounce.isCoolingDown("file:///a", Text.of("one"), 0, 0)).toBe(false);
		debounce.changed("file:///a", Change.of([{ from: 0, to: 0, insert: "0123456789\n" }], 3));
		expect(debounce.isCoolingDown("file:///a", Text.of("0123456789\none"), 0, 0)).toBe(false);
	});

	test("is remembered only for the newest sixteen rejections", () => {
		const debounce = new Debounce();
		const lines = Text.of("\n".repeat(20));
		for (let line = 0; line < 20; line++) debounce.rejected(0, "a", line);
		const isCoolingDown = Array.from({ length: 20 }, (_, line) => debounce.isCoolingDown("a", lines, line, 0));
		expect(isCoolingDown).toEqual([...Array(4).fill(false), ...Array(16).fill(true)]);
	});

	test("is the line that contains the letter at the rejected offset", () => {
		// The mark occurs only once, so the model can search for it. Edits do not touch it.
		const someCase = fc.record({
			lines: fc.array(fc.constantFrom("", "a", "bc"), { minLength: 1, maxLength: 6 }),
			at: fc.nat(),
			edits: fc.array(
				fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.constantFrom("", "x", "\n", "y\n")),
			),
		});
		fc.assert(
			fc.property(someCase, ({ lines, at, edits }) => {
				const plain = lines.join("\n");
				const offset = at % (plain.length + 1);
				let now = Text.of(`${plain.slice(0, offset)}!${plain.slice(offset)}`);
				const debounce = new Debounce();
				debounce.rejected(0, "a", offset);
				for (const [place, length, insert] of edits) {
					const mark = now.toString().indexOf("!");
					const from = Math.floor(place * now.length);
					const to = Math.min(from + length, now.length);
					// After an insertion right before the mark, either line is correct.
					if (from <= mark && to >= mark) continue;
					const change = Change.of([{ from, to, insert }], now.length);
					debounce.changed("a", change);
					now = change.apply(now);
				}
				const line = now.toString().split("!")[0]?.split("\n").length ?? 0;
				for (let i = 0; i <= now.length; i++) {
					expect(debounce.isCoolingDown("a", now, i, 1)).toBe(now.lineAt(i) === line - 1);
				}
			}),
		);
	});
});
