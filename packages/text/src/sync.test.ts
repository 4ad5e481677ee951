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

/** Reads a content change in short: `line:character-line:character=text`, or `=text` for a whole text. */
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
test("takes a change without a range as the whole text", () => expectSynced("one", ["=two\r\n"], "two\r\n"));
test("takes a range of null as no range", () =>
	expect(applyContentChanges(Text.of("one"), [{ range: null, text: "two" }], "utf-8").toString()).toBe("two"));
test("applies each change to the result of the one before", () =>
	expectSynced("ab", ["0:1-0:1=x", "0:2-0:2=y", "0:0-0:1="], "xyb"));
test("applies ranges to a whole text sent before them", () =>
	expectSynced("old", ["0:0-0:1=?", "=new\n", "1:0-1:0=!"], "new\n!"));
test("sees line ends that earlier changes made", () =>
	expectSynced("ab", ["0:1-0:1=\r", "1:0-1:0=\n", "1:0-1:1=B"], "a\r\nB"));
test("changes nothing when there are no changes", () => expectSynced("a", [], "a"));
test("turns a range that is written backwards round", () => expectSynced("one\ntwo", ["1:1-0:1=X"], "oXwo"));
test("takes a range past the end of a line as its end", () => expectSynced("one\r\ntwo", ["0:2-0:99=X"], "onX\r\ntwo"));
test("takes a range past the end of the text as its end", () => expectSynced("one\n", ["7:0-8:3=two"], "one\ntwo"));
test("counts characters in the encoding it is told", () => {
	expectSynced("é😀b", ["0:3-0:4=X"], "é😀X", "utf-16");
	expectSynced("é😀b", ["0:2-0:3=X"], "é😀X", "utf-32");
	expectSynced("é😀b", ["0:6-0:7=X"], "é😀X", "utf-8");
});
test("rounds both ends of a range inside a character down", () => {
	expectSynced("a😀b", ["0:2-0:2=X"], "aX😀b", "utf-16");
	expectSynced("a😀b", ["0:3-0:4=X"], "aX😀b", "utf-8");
});

test("throws at a position that is none, and leaves the text as it was", () => {
	const text = Text.of("one\ntwo");
	const start = { line: 0, character: -1 };
	const changes = [read("0:0-0:1=O"), { range: { start, end: { line: 0, character: 1 } }, text: "" }];
	const error = new RangeError("line 0, character -1 is not a position");
	expect(() => applyContentChanges(text, changes, "utf-8")).toThrow(error);
	expect(text.toString()).toBe("one\ntwo");
});

const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-16", "utf-32"];

function expectTold(plain: string, edits: readonly Edit[], changes: readonly string[]): void {
	const text = Text.of(plain);
	const change = Change.of(edits, plain.length);
	const told = contentChangesOf(text, change, "incremental", "utf-16");
	expect(told).toEqual(changes.map(read));
	expect(applyContentChanges(text, told, "utf-16").toString()).toBe(change.apply(text).toString());
}

function edit(from: number, to: number, insert: string): Edit {
	return { from, to, insert };
}

test("tells of the last edit first", () =>
	expectTold("abc", [edit(0, 1, "x"), edit(2, 3, "\n")], ["0:2-0:3=\n", "0:0-0:1=x"]));
test("tells of edits that touch as one", () => expectTold("\ra", [edit(0, 1, ""), edit(1, 2, "\n")], ["0:0-1:1=\n"]));
test("tells of half a line end as of the whole", () => {
	expectTold("a\r\nb", [edit(2, 3, "")], ["0:1-1:0=\r"]);
	expectTold("a\r\nb", [edit(1, 2, "")], ["0:1-1:0=\n"]);
	expectTold("a\r\nb", [edit(2, 2, "-")], ["0:1-1:0=\r-\n"]);
});
test("tells of half a surrogate pair as of the whole", () => expectTold("😀", [edit(1, 2, "\ude01")], ["0:0-0:2=😁"]));
test("tells of both halves of a line end as of one", () =>
	expectTold("\r\n", [edit(0, 1, "a"), edit(1, 2, "b")], ["0:0-1:0=ab"]));
test("tells of nothing in no content changes, except by full text", () => {
	const none = Change.of([], 1);
	expect(contentChangesOf(Text.of("a"), none, "incremental", "utf-8")).toEqual([]);
	expect(contentChangesOf(Text.of("a"), none, "full", "utf-8")).toEqual([{ text: "a" }]);
});

test.each(ENCODINGS)("takes a peer through any change by either kind, in %s", (encoding) =>
	fc.assert(
		fc.property(
			someText().chain((plain) => fc.tuple(fc.constant(Text.of(plain)), someChange(Text.of(plain)))),
			fc.constantFrom<SyncKind>("incremental", "full"),
			([text, change], kind) => {
				const told = contentChangesOf(text, change, kind, encoding);
				expect(applyContentChanges(text, told, encoding).toString()).toBe(change.apply(text).toString());
				if (kind === "full") expect(told).toEqual([{ text: change.apply(text).toString() }]);
			},
		),
	),
);

test.each(ENCODINGS)("applies any changes as a plain string takes them one after the other, in %s", (encoding) => {
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
