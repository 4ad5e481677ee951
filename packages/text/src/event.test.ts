import { someChange, someLongText, someText } from "@segue/testing/arbitrary";
import { runs } from "@segue/testing/setup/tier";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Change, type Edit } from "./change.js";
import { type Event, printEvent, recordChange, refine, type Step, writtenBy } from "./event.js";
import { Text } from "./text.js";
import { printUnified } from "./unified.js";

const EVENTS_MAX = 4;

type How = Partial<Pick<Step, "atMs" | "isAccepted" | "isApart">>;

function stepOf(uri: string, text: Text, edits: readonly Edit[], how: How = {}): Step {
	const change = Change.of(edits, text.length);
	const document = { uri, languageId: "typescript", version: 1, text };
	return { document, change, after: change.apply(text), atMs: 0, isAccepted: false, ...how };
}

/** Edits documents and collects the resulting events. */
class Writer {
	events: readonly Event[] = [];
	private readonly texts: Map<string, Text>;

	constructor(sources: Readonly<Record<string, string>>) {
		this.texts = new Map(Object.entries(sources).map(([uri, source]) => [uri, Text.of(source)]));
	}

	text(uri: string): Text {
		return this.texts.get(uri) ?? expect.fail(uri);
	}

	change(uri: string, edits: readonly Edit[], how: How = {}) {
		const step = stepOf(uri, this.text(uri), edits, how);
		this.events = recordChange(this.events, step, EVENTS_MAX);
		this.texts.set(uri, step.after);
	}

	/** Replaces the first occurrence of a string. */
	replace(uri: string, old: string, insert: string, how: How = {}) {
		const from = this.text(uri).toString().indexOf(old);
		this.change(uri, [{ from, to: from + old.length, insert }], how);
	}

	log(): string[] {
		return this.events.map(({ uri, before, after, isAccepted }) => {
			return `${uri}: ${before} → ${after}${isAccepted ? " (accepted)" : ""}`;
		});
	}
}

const LINES = Array.from({ length: 40 }, (_, i) => `line ${i};`).join("\n");

describe("events", () => {
	test("merge typing without a pause", () => {
		const writer = new Writer({ a: "" });
		for (const [i, insert] of [..."abc"].entries())
			writer.change("a", [{ from: i, to: i, insert }], { atMs: i * 1000 });
		expect(writer.log()).toEqual(["a:  → abc"]);
		expect(writer.events[0]).toMatchObject({ languageId: "typescript", atMs: 2000 });
	});

	test.each<[string, (writer: Writer) => void]>([
		["a longer pause", (writer) => writer.replace("a", "line 21;", "21", { atMs: 1001 })],
		["a location far below", (writer) => writer.replace("a", "line 29;", "29")],
		["a location far above", (writer) => writer.replace("a", "line 11;", "11")],
		["another document", (writer) => writer.replace("b", "x", "y")],
		["an accepted suggestion", (writer) => writer.replace("a", "line 21;", "21", { isAccepted: true })],
		["a separate step", (writer) => writer.replace("a", "line 21;", "21", { isApart: true })],
	])("are split by %s", (_, act) => {
		const writer = new Writer({ a: LINES, b: "x" });
		writer.replace("a", "line 20;", "20");
		act(writer);
		expect(writer.events).toHaveLength(2);
	});

	test.each(["line 12;", "line 28;"])("merge changes that are eight lines apart: %s", (line) => {
		const writer = new Writer({ a: LINES });
		writer.replace("a", "line 20;", "20");
		writer.replace("a", line, "here");
		expect(writer.events).toHaveLength(1);
	});

	test("of a document and its copy stay separate", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two");
		const step = stepOf("b", writer.text("a"), [{ from: 3, to: 3, insert: "!" }]);
		expect(recordChange(writer.events, step, EVENTS_MAX)).toHaveLength(2);
	});

	test("of a document that was changed externally in between stay separate", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two");
		const step = stepOf("a", Text.of("six"), [{ from: 3, to: 3, insert: "!" }]);
		expect(recordChange(writer.events, step, EVENTS_MAX)).toHaveLength(2);
	});

	test("merge only a limited number of changes made by a macro", () => {
		const writer = new Writer({ a: "-\n".repeat(100) });
		for (let line = 0; line < 100; line++) writer.change("a", [{ from: 3 * line, to: 3 * line, insert: "x" }]);
		expect(writer.text("a").toString()).toBe("x-\n".repeat(100));
		expect(writer.events.map(({ change }) => change.edits.length)).toEqual([65, 35]);
	});

	test("disappear when the original text is restored", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "ones");
		writer.replace("a", "ones", "one", { atMs: 10 });
		expect(writer.events).toEqual([]);
	});

	test.each([
		["a selection in a line", "one two", "two", "2;\nthree"],
		["selected lines", "one\ntwo\nthree", "two\nthree", "2;\n3;\n4;"],
	])("keep a paste over %s apart from what is typed next", (_title, text, selected, insert) => {
		const writer = new Writer({ a: text });
		writer.replace("a", selected, insert);
		writer.replace("a", "one", "1");
		expect(writer.events).toHaveLength(2);
	});

	test.each([
		["the text of the whole file", "one\ntwo\n", "one\ntwo!\n"],
		["the whole file, with adjacent lines changed by two cursors", "one\ntwo\n", "one!\ntwo!\n"],
		["a selection, by the Enter key", "\tone two", "\tone \n\t"],
	])("do not take an edit that replaces %s for a paste", (_title, before, after) => {
		const writer = new Writer({ a: before });
		writer.change("a", [{ from: 0, to: before.length, insert: after }]);
		writer.replace("a", "one", "1");
		expect(writer.events).toHaveLength(1);
	});

	test("keep a paste apart from what is typed before and after it", () => {
		const writer = new Writer({ a: "one" });
		writer.change("a", [{ from: 3, to: 3, insert: ";" }]);
		writer.change("a", [{ from: 4, to: 4, insert: "\none" }]);
		writer.change("a", [{ from: 8, to: 8, insert: "x" }]);
		writer.change("a", [{ from: 9, to: 9, insert: "y" }]);
		expect(writer.log()).toEqual(["a: one → one;", "a: one; → one;\none", "a: one;\none → one;\nonexy"]);
	});

	test("merge typed lines", () => {
		const writer = new Writer({ a: "if" });
		for (const insert of [":", "\n\t", "x", "\n", "y"]) {
			const at = writer.text("a").length;
			writer.change("a", [{ from: at, to: at, insert }]);
		}
		expect(writer.log()).toEqual(["a: if → if:\n\tx\ny"]);
	});

	test("disappear when a paste is undone", () => {
		const writer = new Writer({ a: "one\n" });
		writer.change("a", [{ from: 4, to: 4, insert: "two\n" }]);
		writer.replace("a", "two\n", "");
		expect(writer.events).toEqual([]);
	});

	test("disappear even when a different one of several equal characters is deleted", () => {
		const writer = new Writer({ a: "aaab" });
		writer.change("a", [{ from: 0, to: 0, insert: "a" }]);
		writer.change("a", [{ from: 2, to: 3, insert: "" }]);
		expect(writer.events).toEqual([]);
	});

	test("are not created for a change without effect", () => {
		const writer = new Writer({ a: LINES });
		writer.replace("a", LINES, LINES);
		expect(writer.events).toEqual([]);
	});

	test("record which of them were accepted suggestions", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two", { isAccepted: true });
		expect(writer.log()).toEqual(["a: one → two (accepted)"]);
	});

	test("contain only the differences if the whole text is sent", () => {
		const writer = new Writer({ a: LINES });
		writer.replace("a", LINES, LINES.replace("line 7;", "seven"));
		expect(writer.events[0]?.change.edits).toMatchObject([{ insert: "seven\n" }]);
	});

	test("are limited to the newest, with consistent texts and changes", () => {
		const someSteps = fc.array(
			fc.record({
				uri: fc.constantFrom("a", "b"),
				at: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3)),
				insert: someText(),
				pauseMs: fc.nat(2000),
				isAccepted: fc.boolean(),
			}),
			{ size: "medium" },
		);
		fc.assert(
			fc.property(someLongText(), someSteps, (source, steps) => {
				const writer = new Writer({ a: source.slice(0, 3000), b: "" });
				const ends = new Map<string, string>();
				let atMs = 0;
				for (const { uri, at, insert, pauseMs, isAccepted } of steps) {
					const { length } = writer.text(uri);
					const from = Math.floor(at[0] * length);
					atMs += pauseMs;
					writer.change(uri, [{ from, to: Math.min(from + at[1], length), insert }], { atMs, isAccepted });
					ends.set(uri, writer.text(uri).toString());
				}
				expect(writer.events.length).toBeLessThanOrEqual(EVENTS_MAX);
				for (const { before, change, after } of writer.events) {
					expect(change.apply(before).toString()).toBe(after.toString());
					expect(after.toString()).not.toBe(before.toString());
				}
				for (const uri of ["a", "b"]) {
					const own = writer.events.filter((event) => event.uri === uri);
					// Events that disappeared in between had restored their initial text.
					for (const [i, { after }] of own.entries()) {
						expect(after.toString()).toBe(own[i + 1]?.before.toString() ?? ends.get(uri));
					}
				}
			}),
			{ numRuns: runs(200) },
		);
	});
});

test("a refined change leads to the same text and cannot be refined further", () => {
	const someCase = someText().chain((source) => fc.tuple(fc.constant(Text.of(source)), someChange(Text.of(source))));
	fc.assert(
		fc.property(someCase, ([text, change]) => {
			const fine = refine(change, text);
			expect(fine.apply(text).toString()).toBe(change.apply(text).toString());
			expect(refine(fine, text).edits).toEqual(fine.edits);
		}),
	);
});

test("the ranges written by a change refer to the text after the change", () => {
	const someCase = someText().chain((source) => fc.tuple(fc.constant(Text.of(source)), someChange(Text.of(source))));
	fc.assert(
		fc.property(someCase, ([text, change]) => {
			const after = change.apply(text);
			const written = writtenBy(change).map(({ from, to }) => after.slice(from, to));
			expect(written).toEqual(change.edits.map(({ insert }) => insert));
		}),
	);
});

describe("the diff of an event", () => {
	const eventOf = (before: Text, change: Change): Event => {
		const after = change.apply(before);
		return { uri: "a", languageId: "", before, after, change, atMs: 0, isAccepted: false, isPaste: false };
	};

	test("numbers lines from the start of the text", () => {
		const text = Text.of(LINES);
		const from = LINES.indexOf("line 20;");
		const event = eventOf(text, Change.of([{ from, to: from + 8, insert: "twenty\nand one" }], text.length));
		const hunk = ["@@ -18,7 +18,8 @@", " line 17;", " line 18;", " line 19;", "-line 20;", "+twenty", "+and one"];
		expect(printEvent(event, "a/x", "b/x")).toBe(
			["--- a/x", "+++ b/x", ...hunk, " line 21;", " line 22;", " line 23;", ""].join("\n"),
		);
	});

	test("equals the diff of its two texts", () => {
		const someLines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "a\r\n", "\n", "@@ -1 +1 @@\n", "a\r@@ -1 +1"), {
			maxLength: 30,
			size: "max",
		});
		const someCase = fc.tuple(someLines, fc.constantFrom("", "a", "a\r")).chain(([lines, end]) => {
			const text = Text.of(lines.join("") + end);
			return fc.tuple(fc.constant(text), someChange(text));
		});
		fc.assert(
			fc.property(someCase, ([before, change]) => {
				fc.pre(change.edits.length > 0);
				const event = eventOf(before, change);
				expect(printEvent(event, "a/x", "b/x")).toBe(printUnified(`${before}`, `${event.after}`, "a/x", "b/x"));
			}),
		);
	});
});
