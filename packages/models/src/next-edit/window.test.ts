import { readPicture } from "@segue/story";
import { Change, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Window } from "./window.js";

/** Returns a window that contains every line of the text. */
function whole(text: string): Window {
	return Window.ofLines(Text.of(text), 0, 0, 1000);
}

const edited = (text: string, hunks: ReturnType<Window["hunksOf"]>) =>
	Change.of(
		hunks.flatMap(({ edits }) => edits),
		text.length,
	)
		.apply(Text.of(text))
		.toString();

test("a window has the lines around the cursor and returns the text around them", () => {
	const text = Text.of("a\nb\nc\nd\ne\nf");
	const window = Window.ofLines(text, text.lineStart(3), 1, 1);
	const wider = Window.ofLines(text, text.lineStart(3), 3, 3);
	expect(window.content).toBe("c\nd\ne");
	expect(window.withCursor("|")).toBe("c\n|d\ne");
	expect(window.before(wider)).toBe("a\nb\n");
	expect(window.after(wider)).toBe("\nf");
});

test("a window measured in tokens grows evenly within its budget", () => {
	const text = Text.of(Array.from({ length: 40 }, (_, i) => `line ${i + 10}`).join("\n"));
	const window = Window.ofTokens(text, text.lineStart(20), 28);
	expect([window.first, window.last]).toEqual([17, 23]);
	expect(Window.ofTokens(text, text.lineStart(1), 28).first).toBe(0);
	expect(Window.ofTokens(text, 0, 10_000).content).toBe(text.toString());
});

test.each([
	["a word", "log(‹a→b›)\nend()"],
	["an inserted line", "one()\n‹→two()\n›six()"],
	["an inserted line at the end", "one()‹→\ntwo()›"],
	["a deleted line", "one()\n‹two()\n→›six()"],
	["the last line", "one()‹\ntwo()→›"],
	["two places", "log(‹a→b›)\none()\ntwo()\nsix()\nlog(‹c→d›)"],
])("a rewritten window becomes edits: %s", (_, drawn) => {
	const { before, edits } = readPicture(drawn);
	const after = Change.of(edits, before.length).apply(Text.of(before)).toString();
	const hunks = whole(before).hunksOf({ text: after.replaceAll("\r\n", "\n"), end: "stop" });
	expect(hunks.flatMap((hunk) => hunk.edits)).toEqual(edits);
});

describe("while a model is writing", () => {
	const before = "one()\ntwo()\nsix()\nten()\nend()";
	test("a hunk is final after two unchanged lines", () => {
		const window = whole(before);
		const saying = (text: string) => window.hunksOf({ text, end: undefined });
		expect(saying("one(1)\ntwo()\nsix(")).toEqual([]);
		expect(saying("one(1)\ntwo()\nsix()\n")).toEqual(
			window.hunksOf({ text: before.replace("one(", "one(1"), end: "stop" }),
		);
	});

	test("a truncated reply deletes nothing after its end", () => {
		const hunks = whole(before).hunksOf({ text: "one()\ntwo()\nsix(7", end: "length" });
		expect(edited(before, hunks)).toBe(before.replace("six()", "six(7"));
		expect(hunks.map(({ isCut }) => isCut)).toEqual([true]);
	});
});

const someLines = fc.array(fc.constantFrom("", "}", "one()", "two(a)", "six😀", "\tten"), { maxLength: 8 });

test("hunks turn the window into any new content, and final hunks stay the same", () => {
	fc.assert(
		fc.property(someLines, someLines, fc.constantFrom("\n", "\r\n"), (old, now, own) => {
			const eol = old.length > 1 ? own : "\n";
			const before = old.join(eol);
			const window = whole(before);
			const all = window.hunksOf({ text: now.join("\n"), end: "stop" });
			expect(edited(before, all)).toBe(now.join(eol));
			for (let count = 0; count <= now.length; count++) {
				const text = now.slice(0, count).map((line) => `${line}\n`);
				const settled = window.hunksOf({ text: text.join(""), end: undefined });
				expect(all.slice(0, settled.length)).toEqual(settled);
			}
		}),
	);
});
