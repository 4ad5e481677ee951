import type { DisplayedSuggestion, DocumentView, LineSource } from "@segue/editor";
import { afterOf, readPicture } from "@segue/story";
import { type Edit, Text } from "@segue/text";
import { describe, expect, test } from "vitest";
import {
	type BoxPart,
	layoutOf,
	type SuggestionLayout,
	sizeOf,
	withoutIndentation,
	withoutLinesAbove,
} from "./suggestion-layout.js";

const URI = "file:///project/main.ts";
const SEEN: DocumentView = { anchor: 0, head: 0 };

function linesOf(text: string): LineSource {
	const whole = Text.of(text);
	return {
		lineAt: (offset) => {
			const line = whole.lineAt(offset);
			return { from: whole.lineStart(line), to: whole.lineEnd(line) };
		},
		slice: (from, to) => whole.slice(from, to),
	};
}

/** Returns how the edits in a picture are drawn. */
function layout(source: string, as: DisplayedSuggestion["as"] = "diff", view = SEEN): SuggestionLayout | undefined {
	const { before, edits } = readPicture(source);
	return layoutOf(edit(edits, as), URI, linesOf(before), view);
}

function edit(edits: readonly Edit[], as: DisplayedSuggestion["as"], uri = URI): DisplayedSuggestion {
	const place = edits[0]?.from ?? 0;
	return { id: "1", uri, why: "Renaming `a`", fileText: undefined, kind: "edit", edits, cursor: 0, as, place };
}

function jump(at: number, uri = URI): DisplayedSuggestion {
	return { id: "1", uri, why: undefined, fileText: undefined, kind: "jump", at, as: "chip", place: at };
}

function kinds(parts: readonly BoxPart[]): string {
	return parts.map(({ text, isNew }) => (isNew ? `+${text}` : text)).join("|");
}

test("draws nothing of an edit to another file that is not shown as a chip", () => {
	const other = edit([{ from: 0, to: 1, insert: "b" }], "diff", "file:///project/other.ts");
	expect(layoutOf(other, URI, linesOf("a\n"), SEEN)).toBeUndefined();
});

describe("a suggestion is drawn", () => {
	test("as ghost text if it inserts at the cursor", () => {
		expect(layout("log(‹→value›)", "ghost")).toEqual({ kind: "ghost", at: 4, text: "value" });
		expect(layout("log(1)‹→\nlog(2)›\n", "ghost")).toEqual({ kind: "ghost", at: 6, text: "\nlog(2)" });
	});

	test("as a box if new lines start inside a line, where Monaco cannot draw ghost text", () => {
		expect(layout("log(‹→\n›1)", "ghost")?.kind).toBe("box");
	});

	test("inside the lines if no line is added", () => {
		expect(layout("a = ‹cnt→count›\nb = ‹cnt→›‹→ + 1›")).toEqual({
			kind: "inline",
			at: 4,
			removed: [
				{ from: 4, to: 7 },
				{ from: 12, to: 15 },
			],
			added: [
				{ at: 7, text: "count" },
				{ at: 15, text: " + 1" },
			],
		});
	});

	test("as removed text if whole lines are removed", () => {
		expect(layout("a\n‹b\nc\n→›d")).toEqual({ kind: "inline", at: 2, removed: [{ from: 2, to: 6 }], added: [] });
	});

	test("as the lines after the edits in a box if lines are added", () => {
		const source = "x\n  on(‹1→one›)‹→\n  on(2)›\ny";
		const box = layout(source);
		if (box?.kind !== "box") throw new Error("not a box");
		expect(kinds(box.parts)).toBe("  on(|+one|)|+\n  on(2)");
		expect(box.parts.map(({ text }) => text).join("")).toBe(
			afterOf(readPicture(source)).split("\n").slice(1, 3).join("\n"),
		);
		expect(box).toMatchObject({ at: 7, to: 9, removed: [{ from: 7, to: 8 }] });
	});

	test("without carriage returns and without an empty last line in a box", () => {
		const shown = edit([{ from: 1, to: 1, insert: "\r\nb\r\n" }], "diff");
		const box = layoutOf(shown, URI, linesOf("a\r\nc"), SEEN);
		expect(box?.kind === "box" && kinds(box.parts)).toBe("a|+\nb");
	});

	test.for([
		[0, "↑"],
		[9, "↓"],
		[3, "←"],
		[6, "→"],
	] as const)("as a chip with an arrow if offset %i is not visible (%s)", ([at, arrow]) => {
		const view = {
			...SEEN,
			visible: { from: 3, to: 8 },
			hidden: [
				{ from: 3, to: 3 },
				{ from: 6, to: 7 },
			],
		};
		const shown = edit([{ from: at, to: at, insert: "x" }], "chip");
		const chip = layoutOf(shown, URI, linesOf("ab\nabcde\nab"), view);
		expect(chip).toEqual({ kind: "chip", arrow, file: undefined, label: "Renaming `a`" });
	});

	test("as a chip with the name of another file", () => {
		const shown = edit([{ from: 0, to: 0, insert: "x" }], "chip", "file:///project/my%20page.ts");
		expect(layoutOf(shown, URI, linesOf("a"), SEEN)).toMatchObject({ kind: "chip", arrow: "→", file: "my page.ts" });
	});

	test("as a mark at the target of a jump, or as a chip if the target is not visible", () => {
		expect(layoutOf(jump(2), URI, linesOf("abc"), SEEN)).toEqual({ kind: "target", at: 2 });
		const view = { ...SEEN, visible: { from: 0, to: 1 } };
		expect(layoutOf(jump(2), URI, linesOf("abc"), view)).toMatchObject({ arrow: "↓", label: "Jump there" });
		expect(layoutOf(jump(2, "file:///project/b.ts"), URI, linesOf("abc"), SEEN)).toMatchObject({ file: "b.ts" });
	});
});

test("removes the indentation that all lines of a box share", () => {
	const parts = [
		{ text: "\t\ta", isNew: false },
		{ text: "b\n\t", isNew: true },
		{ text: "\t\tc\n\n\t\td", isNew: false },
	];
	expect(kinds(withoutIndentation(parts))).toBe("a|+b\n|\tc\n\nd");
});

test("removes unchanged lines above inserted ones from a box below them", () => {
	const above = { text: "a", isNew: false };
	expect(kinds(withoutLinesAbove([above, { text: "\nb", isNew: true }]))).toBe("+b");
	expect(kinds(withoutLinesAbove([above, { text: "b\n", isNew: true }]))).toBe("a|+b\n");
});

test("measures a box with tabs and wide characters in columns", () => {
	expect(sizeOf([{ text: "a\tb\n漢字😀é", isNew: true }], 4)).toEqual({ lines: 2, columns: 7 });
});
