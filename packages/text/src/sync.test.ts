import { someChange, someText } from "@segue/testing/arbitrary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Change, type Edit } from "./change.js";
import { type Encoding, offsetsOf } from "./position.js";
import { type ContentChange, contentChangesOf, readContentChanges, type SyncKind } from "./sync.js";
import { Text } from "./text.js";

function applyContentChanges(text: Text, changes: readonly ContentChange[], encoding: Encoding): Text {
	return readContentChanges(text, changes, encoding).apply(text);
}

/** Reads a content change in short notation: `line:character-line:character=text`, or `=text` for the whole text. */
function read(short: string): ContentChange {
	const [, range = "", text = ""] = /^(.*?)=(.*)$/s.exec(short) ?? expect.fail(short);
	if (range === "") return { text };
	const [line, character, endLine, endCharacter] = range.split(/[:-]/).map(Number) as [number, number, number, number];
	return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, text };
}

function expectSynced(plain: string, changes: readonly string[], after: string, encoding: Encoding = "utf-16"): void {
	const text = Text.of(plain);
	expect(applyContentChanges(text, changes.map(read), encoding).toString()).toBe(after);
	expect(text.toString()).toBe(plain);
}

test("replaces a range", () => expectSynced("one\ntwo", ["0:1-1:1=X"], "oXwo"));
test("treats a change without a range as the whole text", () => expectSynced("one", ["=two\r\n"], "two\r\n"));
test("treats a null range as no range", () =>
	expect(applyContentChanges(Text.of("one"), [{ range: null, text: "two" }], "utf-8").toString()).toBe("two"));
test("applies each change to the result of the previous one", () =>
	expectSynced("ab", ["0:1-0:1=x", "0:2-0:2=y", "0:0-0:1="], "xyb"));
test("applies ranges to a preceding whole text", () =>
	expectSynced("old", ["0:0-0:1=?", "=new\n", "1:0-1:0=!"], "new\n!"));
test("recognizes line endings made by earlier changes", () =>
	expectSynced("ab", ["0:1-0:1=\r", "1:0-1:0=\n", "1:0-1:1=B"], "a\r\nB"));
test("changes nothing when there are no changes", () => expectSynced("a", [], "a"));
test("swaps a reversed range", () => expectSynced("one\ntwo", ["1:1-0:1=X"], "oXwo"));
test("clamps a range past the end of a line", () => expectSynced("one\r\ntwo", ["0:2-0:99=X"], "onX\r\ntwo"));
test("clamps a range past the end of the text", () => expectSynced("one\n", ["7:0-8:3=two"], "one\ntwo"));
test("counts characters in the given encoding", () => {
	expectSynced("é😀b", ["0:3-0:4=X"], "é😀X", "utf-16");
	expectSynced("é😀b", ["0:2-0:3=X"], "é😀X", "utf-32");
	expectSynced("é😀b", ["0:6-0:7=X"], "é😀X", "utf-8");
});
test("rounds down the ends of a range that are inside a character", () => {
	expectSynced("a😀b", ["0:2-0:2=X"], "aX😀b", "utf-16");
	expectSynced("a😀b", ["0:3-0:4=X"], "aX😀b", "utf-8");
});

test("throws for an invalid position", () => {
	const text = Text.of("one\ntwo");
	const start = { line: 0, character: -1 };
	const changes = [read("0:0-0:1=O"), { range: { start, end: { line: 0, character: 1 } }, text: "" }];
	const error = new RangeError("line 0, character -1 is not a position");
	expect(() => applyContentChanges(text, changes, "utf-8")).toThrow(error);
	expect(text.toString()).toBe("one\ntwo");
});

const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-16", "utf-32"];

function expectSent(plain: string, edits: readonly Edit[], changes: readonly string[]): void {
	const text = Text.of(plain);
	const change = Change.of(edits, plain.length);
	const sent = contentChangesOf(text, change, "incremental", "utf-16");
	expect(sent).toEqual(changes.map(read));
	expect(applyContentChanges(text, sent, "utf-16").toString()).toBe(change.apply(text).toString());
}

function edit(from: number, to: number, insert: string): Edit {
	return { from, to, insert };
}

test("sends the last edit first", () =>
	expectSent("abc", [edit(0, 1, "x"), edit(2, 3, "\n")], ["0:2-0:3=\n", "0:0-0:1=x"]));
test("merges adjacent edits", () => expectSent("\ra", [edit(0, 1, ""), edit(1, 2, "\n")], ["0:0-1:1=\n"]));
test("sends a whole line ending instead of half", () => {
	expectSent("a\r\nb", [edit(2, 3, "")], ["0:1-1:0=\r"]);
	expectSent("a\r\nb", [edit(1, 2, "")], ["0:1-1:0=\n"]);
	expectSent("a\r\nb", [edit(2, 2, "-")], ["0:1-1:0=\r-\n"]);
});
test("sends a whole surrogate pair instead of half", () => expectSent("😀", [edit(1, 2, "\ude01")], ["0:0-0:2=😁"]));
test("merges edits to the two halves of a line ending", () =>
	expectSent("\r\n", [edit(0, 1, "a"), edit(1, 2, "b")], ["0:0-1:0=ab"]));
test("sends nothing for an empty change, except as full text", () => {
	const none = Change.of([], 1);
	expect(contentChangesOf(Text.of("a"), none, "incremental", "utf-8")).toEqual([]);
	expect(contentChangesOf(Text.of("a"), none, "full", "utf-8")).toEqual([{ text: "a" }]);
});

test.each(ENCODINGS)("synchronizes a peer after any change with either kind of sync, in %s", (encoding) =>
	fc.assert(
		fc.property(
			someText().chain((plain) => fc.tuple(fc.constant(Text.of(plain)), someChange(Text.of(plain)))),
			fc.constantFrom<SyncKind>("incremental", "full"),
			([text, change], kind) => {
				const sent = contentChangesOf(text, change, kind, encoding);
				expect(applyContentChanges(text, sent, encoding).toString()).toBe(change.apply(text).toString());
				if (kind === "full") expect(sent).toEqual([{ text: change.apply(text).toString() }]);
			},
		),
	),
);

test.each(ENCODINGS)("applies any changes like consecutive edits to a plain string, in %s", (encoding) => {
	const somePosition = fc.record({ line: fc.nat(4), character: fc.nat(12) });
	const someRange = fc.option(fc.record({ start: somePosition, end: somePosition }), { freq: 6, nil: undefined });
	const someChanges = fc.array(fc.record({ range: someRange, text: someText() }), { maxLength: 4 });
	fc.assert(
		fc.property(someText(), someChanges, (start, changes) => {
			let plain = start;
			for (const { range, text } of changes) {
				const { from, to } = range ? offsetsOf(Text.of(plain), range, encoding) : { from: 0, to: plain.length };
				plain = plain.slice(0, from) + text + plain.slice(to);
			}
			expect(applyContentChanges(Text.of(start), changes, encoding).toString()).toBe(plain);
		}),
	);
});
