import { describe, expect, test } from "vitest";
import { afterOf, drawPicture, type Picture, type PictureDiagnostic, readPicture } from "./picture.js";

/**
 * Checks that a drawing is read as this picture and that the picture is drawn the same way. Omitted parts are empty.
 */
function check(drawn: string, picture: Partial<Picture> & { readonly before: string }, after = picture.before): void {
	const whole = { edits: [], selection: undefined, diagnostics: [], ...picture };
	expect(readPicture(drawn)).toEqual(whole);
	expect(drawPicture(whole)).toBe(drawn);
	expect(afterOf(whole)).toBe(after);
}

function checkRejected(drawn: string, ...parts: readonly string[]): void {
	for (const part of parts) expect(() => readPicture(drawn)).toThrow(part);
}

describe("A picture", () => {
	test("without marks is the file itself", () => {
		const texts = [
			"",
			"a",
			"a\nb",
			"a\n",
			"\n",
			"if (a < b | c > d) { return [-$0, '\\n'] }",
			"é 😀 · → ⟩",
			"  a",
			"---",
			"^^^",
		];
		for (const text of texts) check(text, { before: text });
	});

	test("shows the cursor", () => {
		check("▮", { before: "", selection: { anchor: 0, head: 0 } });
		check("a▮b", { before: "ab", selection: { anchor: 1, head: 1 } });
		check("a\n▮", { before: "a\n", selection: { anchor: 2, head: 2 } });
		check("😀▮", { before: "😀", selection: { anchor: 2, head: 2 } });
	});

	test("shows a selection and its direction", () => {
		check("a«bc▮»d", { before: "abcd", selection: { anchor: 1, head: 3 } });
		check("a«▮bc»d", { before: "abcd", selection: { anchor: 3, head: 1 } });
		check("a«b\n▮»c", { before: "ab\nc", selection: { anchor: 1, head: 3 } });
	});

	test("shows edits", () => {
		check("a‹b→c›d", { before: "abd", edits: [{ from: 1, to: 2, insert: "c" }] }, "acd");
		check("a‹→c›d", { before: "ad", edits: [{ from: 1, to: 1, insert: "c" }] }, "acd");
		check("a‹b→›d", { before: "abd", edits: [{ from: 1, to: 2, insert: "" }] }, "ad");
		check("‹a\nb→c\n\nd›\n", { before: "a\nb\n", edits: [{ from: 0, to: 3, insert: "c\n\nd" }] }, "c\n\nd\n");
		const pair = [
			{ from: 0, to: 1, insert: "x" },
			{ from: 1, to: 2, insert: "y" },
		];
		check("‹a→x›‹b→y›", { before: "ab", edits: pair }, "xy");
	});

	test("shows a cursor that touches an edit on its new side", () => {
		const at = (head: number) => ({ anchor: head, head });
		check(
			"‹cnt→count▮› = 0",
			{ before: "cnt = 0", edits: [{ from: 0, to: 3, insert: "count" }], selection: at(5) },
			"count = 0",
		);
		check("a‹b→▮c›", { before: "ab", edits: [{ from: 1, to: 2, insert: "c" }], selection: at(1) }, "ac");
		check("a‹b→▮›c", { before: "abc", edits: [{ from: 1, to: 2, insert: "" }], selection: at(1) }, "ac");
		check(
			"‹a→«b▮»›c",
			{ before: "ac", edits: [{ from: 0, to: 1, insert: "b" }], selection: { anchor: 0, head: 1 } },
			"bc",
		);
		check(
			"‹a→b›«c▮»",
			{ before: "ac", edits: [{ from: 0, to: 1, insert: "b" }], selection: { anchor: 1, head: 2 } },
			"bc",
		);
	});

	test("shows invisible tabs, line breaks and spaces", () => {
		check("⇥a⇥b", { before: "\ta\tb" });
		check("a␍\nb␍\n", { before: "a\r\nb\r\n" });
		check("a␍b␍", { before: "a\rb\r" });
		check("a b··\n·", { before: "a b  \n " });
		check("a ␍\n", { before: "a \r\n" });
		check("a ▮", { before: "a ", selection: { anchor: 2, head: 2 } });
		check("‹a·\n→ ›", { before: "a \n", edits: [{ from: 0, to: 3, insert: " " }] }, " ");
	});

	test("brackets text that would be read as a mark", () => {
		check("⟨▮⟩⟨«⟩⟨»⟩⟨‹⟩⟨›⟩⟨⇥⟩⟨␍⟩⟨⟨⟩⟩", { before: "▮«»‹›⇥␍⟨⟩" });
		check("→‹⟨→⟩→→›→", { before: "→→→", edits: [{ from: 1, to: 2, insert: "→" }] }, "→→→");
		check("· ⟨·⟩\n⟨·⟩·\n·a", { before: "· ·\n· \n·a" });
		check("⟨-⟩-- user\n ---\n --- user", { before: "--- user\n ---\n --- user" });
		check("⟨^⟩^^ error: a\n  ⟨^⟩ hint\n^ fault: a", { before: "^^^ error: a\n  ^ hint\n^ fault: a" });
	});
});

describe("A diagnostic", () => {
	function checkDiagnostics(drawn: string, text: string, ...diagnostics: readonly PictureDiagnostic[]): void {
		const picture = readPicture(drawn);
		expect(afterOf(picture)).toBe(text);
		expect(picture.diagnostics).toEqual(diagnostics);
		expect(drawPicture(picture)).toBe(drawn);
	}
	const error = (from: number, to: number, message = "x"): PictureDiagnostic => ({
		from,
		to,
		severity: "error",
		message,
	});

	test("is drawn below its text", () => {
		checkDiagnostics("let a\n    ^ error: x\nb", "let a\nb", error(4, 5));
		const several: PictureDiagnostic[] = [error(0, 3), { from: 0, to: 1, severity: "warning", message: "y: z" }];
		checkDiagnostics("let\n^^^ error: x\n^ warning: y: z", "let", ...several);
		checkDiagnostics("a\n^ info\n", "a\n", { from: 0, to: 1, severity: "info", message: "" });
		checkDiagnostics("a\n^ hint: ⟨‹⟩⇥·", "a", { from: 0, to: 1, severity: "hint", message: "‹\t " });
	});

	test("at the end of a line has its caret after the last character, or below the ␍", () => {
		checkDiagnostics("a\n ^ error: x\nb", "a\nb", error(1, 1));
		checkDiagnostics("a\nb\n ^ error: x", "a\nb", error(3, 3));
		checkDiagnostics("\n^ error: x", "", error(0, 0));
		checkDiagnostics("a␍\n ^ error: x\n", "a\r\n", error(1, 1));
		checkDiagnostics("a▮\n  ^ error: x\n", "a\n", error(1, 1));
	});

	test("counts the marks and brackets in its line, and one column for a wide character", () => {
		checkDiagnostics("‹cnt→count▮› = 0\n     ^^^^^ error: x", "count = 0", error(0, 5));
		checkDiagnostics("a‹b→c›d\n^^^^^^^ error: x", "acd", error(0, 3));
		checkDiagnostics("😀é = ⟨‹⟩\n     ^^^ error: x", "😀é = ‹", error(6, 7));
		checkDiagnostics("😀\n^ error: x", "😀", error(0, 2));
		checkDiagnostics("a‹\n→›b\n  ^ error: x", "ab", error(1, 2));
	});

	test("is drawn with only its first line, at least one column wide", () => {
		const draw = (before: string, ...diagnostics: PictureDiagnostic[]) =>
			drawPicture({ before, edits: [], selection: undefined, diagnostics });
		expect(draw("ab\ncd", error(1, 5, "one\ntwo"))).toBe("ab\n ^ error: one\ncd");
		expect(draw("ab\r\ncd", error(0, 5))).toBe("ab␍\n^^ error: x\ncd");
		expect(draw("ab", error(0, 0))).toBe("ab\n^ error: x");
	});
});

describe("Reading a picture", () => {
	test("rejects inconsistent marks and quotes the line", () => {
		checkRejected("a\n‹b‹→c›", "An edit starts inside another: ‹b‹→c›");
		checkRejected("‹a→b‹c→d››", "An edit starts inside another");
		checkRejected("a›", "An edit ends without a start: a›");
		checkRejected("‹a›", "An edit has no →: ‹a›");
		checkRejected("‹a→b", "An edit is not closed: ‹a");
		checkRejected("‹a▮→b›", "▮ is inside deleted text: ‹a▮→b›");
		checkRejected("▮a▮", "one cursor ▮", "has ▮…▮");
		for (const drawn of ["«a", "a»", "«a»", "«a»▮", "▮«a»", "«a▮b»", "«a▮»«b▮»"]) checkRejected(drawn, "one selection");
		checkRejected("a ⟨b", "The character ⟨ must be drawn as ⟨⟨⟩: a ⟨b");
		checkRejected("^ error: x", "A diagnostic needs a line above it: ^ error: x");
		checkRejected("a\n   ^ error: x", "There is no text above the carets:    ^ error: x");
	});

	test("rejects other drawings of the same picture and shows the right one", () => {
		const should = (drawn: string, right: string) =>
			checkRejected(drawn, `It should be drawn like this:\n${right}\nLine`);
		should("a ", "a·");
		should("\ta", "⇥a");
		should("a\r\n", "a␍\n");
		should("⟨a⟩", "a");
		should("--- user", "⟨-⟩-- user");
		should("‹→›a", "a");
		should("‹→a›‹→b›", "‹→ab›");
		should("‹a→b›▮", "‹a→b▮›");
		should("«‹a→b▮»›", "‹a→«b▮»›");
		should("«▮»", "▮");
		should("ab\n ^^ error: x", "ab\n ^ error: x");
		should("‹a→b›\n^^^^ error: x", "‹a→b›\n   ^ error: x");
		checkRejected("a\nb ", 'Line 2 was "b ".');
	});
});

test("Drawing rejects offsets outside the text and overlapping edits", () => {
	const draw = (picture: Partial<Picture>) =>
		drawPicture({ before: "abc", edits: [], selection: undefined, diagnostics: [], ...picture });
	expect(() => draw({ selection: { anchor: 4, head: 4 } })).toThrow("4–4 is not in a text of length 3");
	expect(() => draw({ diagnostics: [{ from: 1, to: 9, severity: "hint", message: "" }] })).toThrow("1–9 is not in");
	const overlapping = [
		{ from: 0, to: 2, insert: "x" },
		{ from: 1, to: 3, insert: "y" },
	];
	expect(() => draw({ edits: overlapping })).toThrow("edit 1–3 overlaps edit 0–2");
});
