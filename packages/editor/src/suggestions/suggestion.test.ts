import type * as acp from "@segue/protocol/acp";
import { drawPicture, readPicture } from "@segue/story";
import { someChange, someEdits, someText } from "@segue/testing/arbitrary";
import { PROPERTY_RUNS } from "@segue/testing/setup/tier";
import { Change, type Edit, offsetOf, type Position, positionAt, rangeAt, splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	carrySuggestion,
	type EditorSuggestion,
	extendsOther,
	readSuggestion,
	type SuggestionTarget,
} from "./suggestion.js";

const A = "file:///project/a.ts";
const ENCODINGS = ["utf-8", "utf-16", "utf-32"] as const;
const ALL_KINDS = new Set<Exclude<acp.SuggestionKind, "edit">>(["jump", "rename", "searchAndReplace"]);

type EditSuggestion = Extract<EditorSuggestion, { kind: "edit" }>;
type WireEdit = Extract<acp.Suggestion, { kind: "edit" }>;

/** Returns the wire form of a drawn suggestion, and the text that it applies to. */
function wireOf(drawn: string, encoding: acp.PositionEncoding): { raw: WireEdit; text: Text } {
	const { before, edits, selection } = readPicture(drawn);
	const text = Text.of(before);
	const after = Change.of(edits, text.length).apply(text);
	const raw: WireEdit = {
		id: "1",
		kind: "edit",
		uri: A,
		edits: edits.map(({ from, to, insert }) => ({ range: rangeAt(text, from, to, encoding), newText: insert })),
		...(selection && { cursorPosition: positionAt(after, selection.head, encoding) }),
	};
	return { raw, text };
}

/** Creates an edit from the four numbers of its range and its text. */
function edit(numbers: string, newText: string): WireEdit["edits"][number] {
	const [line = 0, character = 0, endLine = 0, endCharacter = 0] = numbers.split(" ").map(Number);
	return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, newText };
}

function read(raw: acp.Suggestion, text: Text | undefined, encoding: acp.PositionEncoding = "utf-16") {
	const target = text && { text, version: 1 };
	return readSuggestion(raw, target, { encoding, kinds: ALL_KINDS });
}

function sound(raw: acp.Suggestion, text: Text, encoding: acp.PositionEncoding = "utf-16"): EditorSuggestion {
	const result = read(raw, text, encoding);
	if ("invalid" in result) throw new Error(result.invalid);
	return result;
}

/** Reads a drawn suggestion, such as `a‹b→c▮›`. */
function suggested(drawn: string): { suggestion: EditSuggestion; text: Text } {
	const { raw, text } = wireOf(drawn, "utf-16");
	return { suggestion: sound(raw, text) as EditSuggestion, text };
}

function draw({ edits, cursor }: EditSuggestion, text: Text): string {
	const selection = { anchor: cursor, head: cursor };
	return drawPicture({ before: text.toString(), edits, selection, diagnostics: [] });
}

describe("a suggestion is read", () => {
	test.for(
		[
			"let a = ‹→1▮›",
			"let ‹a→b▮› = 1\nlog(‹a→b›)",
			"‹// old\n→▮›one\ntwo",
			"😀‹é→漢▮›😀\n‹→𝒳›",
			"one␍\n‹two→2▮›␍\nthree",
			"a‹→▮\nb\n›c",
		].flatMap((drawn) => ENCODINGS.map((encoding) => [drawn, encoding] as const)),
	)("as it is drawn: %j in %s", ([drawn, encoding]) => {
		const { raw, text } = wireOf(drawn, encoding);
		expect(draw(sound(raw, text, encoding) as EditSuggestion, text)).toBe(drawn);
	});

	test("as an insertion if it only completes the text", () => {
		const text = Text.of("const count = ");
		const raw: acp.Suggestion = { id: "1", kind: "edit", uri: A, edits: [edit("0 0 0 14", "const count = 0\n")] };
		expect(draw(sound(raw, text) as EditSuggestion, text)).toBe("const count = ‹→0\n▮›");
	});

	test.for<[string, string, string, string, string]>([
		["\\r\\n", "one\r\ntwo\r\n", "0 3 0 3", "\nnew\r\nmore\rlast", "one\r\nnew\r\nmore\r\nlast\r\ntwo\r\n"],
		["\\r", "one\rtwo", "0 3 0 3", "\r\nnew", "one\rnew\rtwo"],
		["\\n", "one\ntwo", "0 3 0 3", "\r\nnew", "one\nnew\ntwo"],
		["no line ending", "one", "0 3 0 3", "\r\nnew", "one\nnew"],
		["\\r\\n, where only line endings would differ", "a\r\nb", "0 0 1 1", "a\nB", "a\r\nB"],
	])("with its document's line endings: %s", ([, before, numbers, newText, after]) => {
		const raw: acp.Suggestion = { id: "1", kind: "edit", uri: A, edits: [edit(numbers, newText)] };
		const text = Text.of(before);
		const { edits } = sound(raw, text) as EditSuggestion;
		expect(Change.of(edits, text.length).apply(text).toString()).toBe(after);
	});

	test.for<[string, { line: number; character: number } | undefined, string]>([
		["to the given position in the text after the edits", { line: 1, character: 1 }, "a‹→X\nY\n›b"],
		["to the end of the line if its character is past it", { line: 0, character: 50 }, "a‹→X\nY\n›b"],
		["to the end of the text if its line is past it", { line: 50, character: 0 }, "a‹→X\nY\n›b"],
		["after the last edit by default", undefined, "a‹→X\nY\n›b"],
	])("with its cursor moved %s", ([, cursorPosition, drawn]) => {
		const { raw, text } = wireOf(drawn, "utf-16");
		const { cursor } = sound({ ...raw, cursorPosition }, text) as EditSuggestion;
		const expected = cursorPosition === undefined ? 5 : { 0: 2, 1: 4, 50: 6 }[cursorPosition.line];
		expect(cursor).toBe(expected);
	});

	test("with the agent's explanation, and with the text of a file that is not open", () => {
		const text = Text.of("one");
		const raw = { id: "1", kind: "jump", uri: A, position: { line: 0, character: 0 } } as const;
		const why = (segue: unknown) => sound({ ...raw, _meta: { segue } }, text).why;
		expect(why({ why: "like the line above" })).toBe("like the line above");
		expect([why({ why: 5 }), why(null), why("x"), why(7)]).toEqual([undefined, undefined, undefined, undefined]);
		const file: SuggestionTarget = { text, version: undefined };
		expect(readSuggestion(raw, file, { encoding: "utf-16", kinds: ALL_KINDS })).toMatchObject({ fileText: text });
	});
});

describe("a suggestion is invalid", () => {
	const text = Text.of("one\n😀é\nthree");
	test.for<[string, WireEdit["edits"], acp.PositionEncoding, string]>([
		["its end is before its start", [edit("0 2 0 1", "")], "utf-16", "an edit ends before it begins"],
		["its end is on an earlier line", [edit("1 0 0 3", "")], "utf-16", "an edit ends before it begins"],
		["it starts inside a surrogate pair", [edit("1 1 1 2", "")], "utf-16", "an edit splits a character"],
		["it ends inside a surrogate pair", [edit("1 0 1 1", "x")], "utf-16", "an edit splits a character"],
		["it starts inside a UTF-8 sequence", [edit("1 2 1 4", "")], "utf-8", "an edit splits a character"],
		["it ends inside the last character of a line", [edit("1 0 1 5", "")], "utf-8", "an edit splits a character"],
		["it has no edits", [], "utf-16", "it changes nothing"],
		["its edits overlap", [edit("0 0 0 2", "a"), edit("0 1 0 3", "b")], "utf-16", "its edits overlap"],
		[
			"an insertion follows a replacement with the same start",
			[edit("0 0 0 2", "a"), edit("0 0 0 0", "b")],
			"utf-16",
			"its edits overlap",
		],
		["it replaces text with itself", [edit("0 0 0 3", "one")], "utf-16", "it changes nothing"],
		["its edits cancel each other out", [edit("0 0 0 1", ""), edit("0 1 0 1", "o")], "utf-16", "it changes nothing"],
	])("if %s", ([, edits, encoding, invalid]) => {
		expect(read({ id: "1", kind: "edit", uri: A, edits }, text, encoding)).toEqual({ invalid });
	});

	test("but not if several insertions have the same position: they keep their order, and a replacement may follow", () => {
		const edits = [edit("0 0 0 0", "a"), edit("0 0 0 0", "b"), edit("0 0 0 3", "c")];
		const { edits: made } = sound({ id: "1", kind: "edit", uri: A, edits }, text) as EditSuggestion;
		expect(Change.of(made, text.length).apply(text).line(0)).toBe("abc");
	});

	describe.each(ENCODINGS)("in %s", (encoding) => {
		const lines = Text.of("one\r\n😀é\nthree\n");
		const end = lines.lineCount - 1;
		/** The last position of each line. */
		const inside = [0, 1, 2, end].map((line) => positionAt(lines, lines.lineEnd(line), encoding));
		const outside = [
			...inside.map(({ line, character }) => ({ line, character: character + 1 })),
			{ line: 0, character: 2 ** 32 - 1 },
			{ line: end + 1, character: 0 },
			{ line: 2 ** 32 - 1, character: 2 ** 32 - 1 },
		];
		const start = { line: 0, character: 0 };
		const edits = (range: WireEdit["edits"][number]["range"]): acp.Suggestion => {
			return { id: "1", kind: "edit", uri: A, edits: [{ range, newText: "x" }] };
		};
		const jump = (position: Position): acp.Suggestion => ({ id: "1", kind: "jump", uri: A, position });
		const rename = (position: Position): acp.Suggestion => {
			return { id: "1", kind: "rename", uri: A, position, newName: "x" };
		};

		test.for(outside)("if a position is outside the document: %j", (position) => {
			const outsideOf = (what: string) => ({ invalid: `${what} is outside the document` });
			expect(read(edits({ start, end: position }), lines, encoding)).toEqual(outsideOf("an edit"));
			expect(read(edits({ start: position, end: position }), lines, encoding)).toEqual(outsideOf("an edit"));
			expect(read(jump(position), lines, encoding)).toEqual(outsideOf("its position"));
			expect(read(rename(position), lines, encoding)).toEqual(outsideOf("its position"));
		});

		test.for(inside)("but not if a position is at the end of a line: %j", (position) => {
			const at = offsetOf(lines, position, encoding);
			expect(read(edits({ start: position, end: position }), lines, encoding)).toMatchObject({
				edits: [{ from: at, to: at, insert: "x" }],
			});
			expect(read(jump(position), lines, encoding)).toMatchObject({ kind: "jump", at });
			expect(read(rename(position), lines, encoding)).toMatchObject({ kind: "rename", at });
		});

		// UTF-32 positions cannot split a character.
		test.skipIf(encoding === "utf-32")("if a jump or a rename splits a character", () => {
			const position = { line: 1, character: 1 };
			expect(read(jump(position), lines, encoding)).toEqual({ invalid: "its position splits a character" });
			expect(read(rename(position), lines, encoding)).toEqual({ invalid: "its position splits a character" });
		});
	});

	const position = { line: 0, character: 0 };
	test.for<[string, acp.Suggestion, Text | undefined, string]>([
		["its file cannot be read", { id: "1", kind: "jump", uri: A, position }, undefined, "its file cannot be read"],
		[
			"it is for a different version",
			{ id: "1", kind: "jump", uri: A, position, _meta: { segue: { version: 2 } } },
			text,
			"it is for version 2, not 1",
		],
		[
			"the new name is empty",
			{ id: "1", kind: "rename", uri: A, position, newName: " " },
			text,
			"the new name is empty",
		],
		[
			"its search text is empty",
			{ id: "1", kind: "searchAndReplace", uri: A, search: "", replace: "x" },
			undefined,
			"its search text is empty",
		],
		[
			"its regular expression is invalid",
			{ id: "1", kind: "searchAndReplace", uri: A, search: "(", replace: "x", isRegex: true },
			undefined,
			"its regular expression is invalid",
		],
	])("if %s", ([, raw, target, invalid]) => {
		expect(read(raw, target)).toEqual({ invalid });
	});

	test.for(["jump", "rename", "searchAndReplace"] as const)("if %s suggestions are not enabled", (kind) => {
		const raw = { id: "1", uri: A, position, newName: "x", search: "x", replace: "y", kind } as acp.Suggestion;
		const agreement = { encoding: "utf-16", kinds: new Set([...ALL_KINDS].filter((one) => one !== kind)) } as const;
		const target = { text, version: 1 };
		expect(readSuggestion(raw, target, agreement)).toEqual({ invalid: `${kind} suggestions are not enabled` });
		expect(read(raw, text)).toMatchObject({ kind });
	});
});

describe("a suggestion is rebased", () => {
	test.for<[string, string, string, string]>([
		["over typing its beginning", "a = ‹→one▮›", "a = ‹→on▮›", "a = on‹→e▮›"],
		["over a change before it", "a = ‹→one▮›", "‹→let ›a =·", "let a = ‹→one▮›"],
		["over a change after it", "‹→one▮› = a", " = a‹→;›", "‹→one▮› = a;"],
		["over changes before and after it", "a\n‹b→c▮›\nd", "‹→X\n›a\nb\nd‹→\nY›", "X\na\n‹b→c▮›\nd\nY"],
		["with a cursor elsewhere", "0\n‹a→b›\nlog(▮)", "‹→X\n›0\na\n‹→Y›log()", "X\n0\n‹a→b›\nYlog(▮)"],
		["over typing it at the start of the next line", "a‹→\nbc▮›\nd", "a\n‹→b›d", "a\nb‹→c▮\n›d"],
		["with a cursor between two changes", "0\n‹a→b›\nl(▮)\nz", "‹→X\n›0\na\nl()\nz‹→Y›", "X\n0\n‹a→b›\nl(▮)\nzY"],
		["over a deletion that is part of it", "‹abc→x▮›", "a‹bc→›", "‹a→x▮›"],
		["over all of its edits but the last", "‹→1›\n‹→2▮›", "‹→1›\n", "1\n‹→2▮›"],
	])("%s", ([, drawn, user, expected]) => {
		const { suggestion, text } = suggested(drawn);
		const { before, edits } = readPicture(user);
		expect(before).toBe(text.toString());
		const change = Change.of(edits, text.length);
		const carried = carrySuggestion(suggestion, change, text);
		if (typeof carried === "string") throw new Error(carried);
		expect(draw(carried.suggestion as EditSuggestion, change.apply(text))).toBe(expected);
	});

	test.for<[string, string, string, string[]]>([
		["no edit in a change that types it", "a = ‹→one▮›", "a = ‹→on▮›", []],
		["all edits in a change to another line", "a = ‹→one▮›\nb", "a =·\nb‹→c▮›", ["c"]],
		["the other edits in a change that types part of it", "a = ‹→one▮›\nb", "a = ‹→on›\nb‹→c▮›", ["c"]],
		["the other edits in a change that completes it", "a = ‹→one▮›\nb", "a = ‹→one›\nb‹→c▮›", ["c"]],
	])("and the edits made elsewhere are returned: %s", ([, drawn, user, expected]) => {
		const { suggestion, text } = suggested(drawn);
		const { edits } = readPicture(user);
		const carried = carrySuggestion(suggestion, Change.of(edits, text.length), text);
		expect(typeof carried === "string" ? carried : carried.elsewhere.map(({ insert }) => insert)).toEqual(expected);
	});

	test("until a change completes it", () => {
		const { suggestion, text } = suggested("a = ‹→one▮›");
		const { edits } = readPicture("a = ‹→one▮›");
		const completed = carrySuggestion(suggestion, Change.of(edits, text.length), text);
		expect(completed).toEqual({ suggestion: undefined, elsewhere: [] });
	});

	test.for<[string, string, string]>([
		["a = ‹→one▮›", "a = ‹→t▮›", "contradicted"],
		["a = ‹one→two▮›", "a‹ = one→›", "invalidated"],
	])("%j and then %j: it is %s", ([drawn, user, expected]) => {
		const { suggestion, text } = suggested(drawn);
		const { edits } = readPicture(user);
		expect(carrySuggestion(suggestion, Change.of(edits, text.length), text)).toBe(expected);
	});

	test.for<[string, string, number | "invalidated"]>([
		["and its position moves with lines inserted before it", "‹→0\n›one\ntwo\nthree", 7],
		["and its position stays the same when text after it changes", "one\ntwo\nth‹→i›ree", 5],
		["and its position moves with a change at the end of the previous line", "one‹→!›\ntwo\nthree", 6],
		["but a change to its line invalidates it", "one\ntwo‹→!›\nthree", "invalidated"],
		["but deleting the line break before it invalidates it", "one‹\n→ ›two\nthree", "invalidated"],
		["but deleting its line invalidates it", "‹one\ntwo→›\nthree", "invalidated"],
	])("%s", ([, user, expected]) => {
		const { before, edits } = readPicture(user);
		const text = Text.of(before);
		const at = before.indexOf("two") + 1;
		const place = { id: "1", uri: A, why: undefined, fileText: undefined, at };
		for (const suggestion of [
			{ ...place, kind: "jump" },
			{ ...place, kind: "rename", newName: "x" },
		] as const) {
			const carried = carrySuggestion(suggestion, Change.of(edits, text.length), text);
			expect(typeof carried === "string" ? carried : (carried.suggestion as { at: number }).at).toBe(expected);
		}
	});

	test("without any change if it is a search, wherever the document changes", () => {
		const text = Text.of("one");
		const raw: acp.Suggestion = { id: "1", kind: "searchAndReplace", uri: A, search: "o", replace: "0" };
		const suggestion = sound(raw, text);
		const edits = [{ from: 0, to: 3, insert: "" }];
		expect(carrySuggestion(suggestion, Change.of(edits, 3), text)).toEqual({ suggestion, elsewhere: edits });
	});
});

describe("a suggestion extends another", () => {
	test.for<[string, string, boolean]>([
		["a‹→b▮›", "a‹→b▮›", true],
		["a‹→bcd▮›", "a‹→bc▮›", true],
		["a‹→bc▮›", "a‹→bcd▮›", false],
		["a‹→bc▮›", "a‹→x▮›", false],
		["‹a→b›\n‹a→b▮›", "‹a→b▮›\na", true],
		["‹a→b▮›\na", "‹a→b›\n‹a→b▮›", false],
		["‹→x▮›a\na", "a\n‹→y▮›a", false],
	])("%j %j: %s", ([one, other, expected]) => {
		const { suggestion, text } = suggested(one);
		expect(extendsOther(suggestion, { ...suggested(other).suggestion, id: "2", why: "so" }, text)).toBe(expected);
	});

	test("that is not an edit only if both are equal", () => {
		const text = Text.of("one\ntwo");
		const jump = (line: number) =>
			sound({ id: `${line}`, kind: "jump", uri: A, position: { line, character: 0 } }, text);
		expect(extendsOther(jump(0), { ...jump(0), id: "x" }, text)).toBe(true);
		expect(extendsOther(jump(0), jump(1), text)).toBe(false);
		expect(extendsOther(jump(0), suggested("‹→x▮›one\ntwo").suggestion, text)).toBe(false);
	});
});

describe("any suggestion", () => {
	const someEncoding = fc.constantFrom(...ENCODINGS);
	const someNumber = fc.oneof({ weight: 9, arbitrary: fc.nat(6) }, fc.constantFrom(50, 2 ** 32 - 1));
	/** Usually a position inside the text, sometimes an arbitrary position. */
	const somePosition = (text: Text, encoding: acp.PositionEncoding) =>
		fc.oneof(
			{ weight: 9, arbitrary: fc.nat(text.length).map((offset) => positionAt(text, offset, encoding)) },
			fc.record({ line: someNumber, character: someNumber }),
		);
	const someWireEdit = (text: Text, encoding: acp.PositionEncoding) =>
		fc
			.tuple(somePosition(text, encoding), somePosition(text, encoding), someText())
			.map(([start, end, newText]): WireEdit["edits"][number] => ({ range: { start, end }, newText }));

	test("is invalid, or changes the text, splits no character, and can be applied by any editor", () => {
		const someCase = fc.tuple(someText(), someEncoding).chain(([before, encoding]) => {
			const text = Text.of(before);
			return fc.record({
				text: fc.constant(text),
				encoding: fc.constant(encoding),
				edits: fc.array(someWireEdit(text, encoding), { maxLength: 2 }),
				cursorPosition: fc.option(fc.record({ line: someNumber, character: someNumber })),
			});
		});
		let soundCount = 0;
		fc.assert(
			fc.property(someCase, ({ text, encoding, edits, cursorPosition }) => {
				const result = read({ id: "1", kind: "edit", uri: A, edits, cursorPosition }, text, encoding);
				if ("invalid" in result || result.kind !== "edit") return;
				soundCount++;
				const change = Change.of(result.edits, text.length);
				expect(change.edits).toEqual(result.edits);
				for (const { from, to } of result.edits) {
					expect([splitsCharacter(text, from), splitsCharacter(text, to)]).toEqual([false, false]);
				}
				const after = change.apply(text);
				expect(after.equals(text)).toBe(false);
				expect(result.cursor).toBeGreaterThanOrEqual(0);
				expect(result.cursor).toBeLessThanOrEqual(after.length);
			}),
		);
		expect(soundCount).toBeGreaterThan(PROPERTY_RUNS / 10);
	});

	test("changes the text as described, with the document's line endings", () => {
		const someCase = fc.tuple(someText(), fc.constantFrom("\n", "\r\n", "\r")).chain(([words, lineEnd]) => {
			const text = Text.of(words.replace(/\r\n|\n|\r/g, lineEnd));
			return fc.tuple(fc.constant(text), someWholeEdits(text));
		});
		fc.assert(
			fc.property(someCase, someEncoding, ([text, made], encoding) => {
				const lineEnd = /\r\n|\n|\r/.exec(text.toString())?.[0] ?? "\n";
				const edits = made.map(({ from, to, insert }) => ({
					range: rangeAt(text, from, to, encoding),
					newText: insert,
				}));
				const naive = made.map((one) => ({ ...one, insert: one.insert.replace(/\r\n|\n|\r/g, lineEnd) }));
				const expected = Change.of(naive, text.length).apply(text).toString();
				const result = read({ id: "1", kind: "edit", uri: A, edits }, text, encoding);
				if ("invalid" in result) expect([result.invalid, expected]).toEqual(["it changes nothing", text.toString()]);
				else
					expect(
						Change.of((result as EditSuggestion).edits, text.length)
							.apply(text)
							.toString(),
					).toBe(expected);
			}),
		);
	});

	test("gives the same text and cursor whether it is accepted before or after another change", () => {
		let carriedCount = 0;
		const someCase = someText().chain((before) => {
			const text = Text.of(before);
			return fc.tuple(fc.constant(text), someWholeEdits(text), someChange(text), fc.nat());
		});
		fc.assert(
			fc.property(someCase, ([text, edits, change, seed]) => {
				const suggested = Change.of(edits, text.length);
				if (suggested.edits.length === 0) return;
				const cursor = seed % (suggested.lengthAfter + 1);
				const about = { id: "1", uri: A, why: undefined, fileText: undefined };
				const suggestion: EditorSuggestion = { ...about, kind: "edit", edits: suggested.edits, cursor };
				const result = carrySuggestion(suggestion, change, text);
				if (typeof result === "string" || result.suggestion?.kind !== "edit") return;
				const carried = result.suggestion;
				const after = change.apply(text);
				const both = Change.of(carried.edits, after.length).apply(after);
				expect(carried.cursor).toBeLessThanOrEqual(both.length);
				const isApart = change.edits.every((own) =>
					suggested.edits.every(({ from, to }) => own.to < from || own.from > to),
				);
				if (!isApart) return;
				carriedCount++;
				const mapped = change.edits.map((own) => suggested.mapEdit(own, "after") as Edit);
				const later = Change.of(mapped, suggested.lengthAfter);
				expect(both.toString()).toBe(later.apply(suggested.apply(text)).toString());
				expect(carried.cursor).toBe(later.map(cursor, "after"));
			}),
		);
		expect(carriedCount).toBeGreaterThan(PROPERTY_RUNS / 20);
	});
});

/** Edits that split no character, in wire form. */
function someWholeEdits(text: Text): fc.Arbitrary<Edit[]> {
	return someEdits(text.length).map((edits) =>
		edits.filter(({ from, to }) => !splitsCharacter(text, from) && !splitsCharacter(text, to)),
	);
}
