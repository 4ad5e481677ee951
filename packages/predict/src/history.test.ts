import { someChange, someLongText, someText } from "@segue/testing/arbitrary";
import { runs } from "@segue/testing/setup/tier";
import { Change, type Document, printUnified, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { examplesOf, History } from "./index.js";

/** A user who edits documents, with the resulting history. */
class Writer {
	history = History.empty;
	private readonly documents = new Map<string, Document>();

	constructor(sources: Readonly<Record<string, string>>) {
		for (const [uri, source] of Object.entries(sources)) {
			this.documents.set(uri, { uri, languageId: "typescript", version: 0, text: Text.of(source) });
		}
	}

	document(uri: string): Document {
		return this.documents.get(uri) ?? expect.fail(uri);
	}

	change(uri: string, change: Change, atMs = 0, isAccepted = false): void {
		const document = this.document(uri);
		this.history = this.history.changed(document, change, { atMs, isAccepted });
		this.documents.set(uri, { ...document, version: document.version + 1, text: change.apply(document.text) });
	}

	/** Replaces the first occurrence of a string. */
	replace(uri: string, old: string, now: string, atMs = 0, isAccepted = false): void {
		const { text } = this.document(uri);
		const from = text.toString().indexOf(old);
		this.change(uri, Change.of([{ from, to: from + old.length, insert: now }], text.length), atMs, isAccepted);
	}

	/** Types a change, one character at a time. */
	type(uri: string, change: Change): void {
		let shift = 0;
		const step = (from: number, to: number, insert: string) => {
			this.change(uri, Change.of([{ from, to, insert }], this.document(uri).text.length));
		};
		for (const { from, to, insert } of change.edits) {
			for (let at = to; at > from; at--) step(at - 1 + shift, at + shift, "");
			for (let i = 0; i < insert.length; i++) step(from + shift + i, from + shift + i, insert[i] as string);
			shift += insert.length - (to - from);
		}
	}

	events(): string[] {
		return this.history.events.map(({ uri, before, after, isAccepted }) => {
			return `${uri}: ${before} → ${after}${isAccepted ? " (accepted)" : ""}`;
		});
	}

	examples(): string[] {
		return examplesOf(this.history).map(({ file, before, after }) => `${file.uri}: ${before} → ${after}`);
	}
}

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i};`).join("\n");

describe("events", () => {
	test("merge edits typed without a pause", () => {
		const writer = new Writer({ a: "" });
		for (const [i, letter] of [..."abc"].entries()) {
			writer.change("a", Change.of([{ from: i, to: i, insert: letter }], i), i * 1000);
		}
		expect(writer.events()).toEqual(["a:  → abc"]);
	});

	test.each([
		["a longer pause", { b: "x" }, (writer: Writer) => writer.replace("a", "line 1;", "1", 1001)],
		["a distant position", { b: "x" }, (writer: Writer) => writer.replace("a", "line 9;", "9")],
		["another document", { b: "x" }, (writer: Writer) => writer.replace("b", "x", "y")],
		["an accepted suggestion", { b: "x" }, (writer: Writer) => writer.replace("a", "line 1;", "1", 0, true)],
	])("are split by %s", (_, others, act) => {
		const writer = new Writer({ a: LINES, ...others });
		writer.replace("a", "line 0;", "0");
		act(writer);
		expect(writer.history.events).toHaveLength(2);
	});

	test("span up to eight lines", () => {
		const writer = new Writer({ a: LINES });
		writer.replace("a", "line 0;", "0");
		writer.replace("a", "line 8;", "8");
		expect(writer.history.events).toHaveLength(1);
	});

	test("disappear when the text is restored", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two");
		writer.replace("a", "two", "one", 10);
		expect(writer.events()).toEqual([]);
		expect(writer.examples()).toEqual([]);
	});

	test("mark accepted suggestions", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two", 0, true);
		expect(writer.events()).toEqual(["a: one → two (accepted)"]);
	});
});

describe("examples", () => {
	test("list each changed line, the most recently edited last", () => {
		const writer = new Writer({ a: "one\ntwo\nsix", b: "ten" });
		writer.replace("a", "six", "SIX");
		writer.replace("b", "ten", "TEN");
		writer.replace("a", "one", "ONE");
		expect(writer.examples()).toEqual(["a: six → SIX", "b: ten → TEN", "a: one → ONE"]);
	});

	test("distinguish a modified line from added ones around it", () => {
		const writer = new Writer({ a: "log(one, two)\nend" });
		writer.replace("a", "log(one, two)", "start()\nlog(one, two, six)");
		expect(writer.examples()).toEqual(["a: undefined → start()", "a: log(one, two) → log(one, two, six)"]);
	});

	test("list deleted lines", () => {
		const writer = new Writer({ a: "one\r\ntwo\r\nsix" });
		writer.replace("a", "two\r\n", "");
		expect(writer.examples()).toEqual(["a: two → undefined"]);
	});

	test("are marked if only accepted suggestions made them", () => {
		const writer = new Writer({ a: "one one\ntwo two\nsix six" });
		const accept = (old: string, now: string) => writer.replace("a", old, now, 0, true);
		writer.replace("a", "one", "ONE");
		accept("one", "ONE");
		accept("two", "TWO");
		accept("two", "TWO");
		accept("six", "SIX");
		writer.replace("a", "six", "SIX");
		const marked = examplesOf(writer.history).map(({ after, isAccepted }) => [after, isAccepted]);
		expect(marked).toEqual([
			["ONE ONE", false],
			["TWO TWO", true],
			["SIX SIX", false],
		]);
	});

	test("contain only the changed lines when the whole document is replaced", () => {
		const writer = new Writer({ a: LINES });
		writer.replace("a", LINES, LINES.replace("line 7;", "seven"));
		expect(writer.examples()).toEqual(["a: line 7; → seven"]);
		expect(writer.history.fileOf("a")?.touches).toHaveLength(1);
	});

	test("are dropped when another program changed the document", () => {
		const writer = new Writer({ a: "one" });
		writer.replace("a", "one", "two");
		const document = { uri: "a", languageId: "typescript", version: 9, text: Text.of("something else") };
		expect(examplesOf(writer.history.opened(document))).toEqual([]);
		expect(writer.history.opened(writer.document("a"))).toBe(writer.history);
	});

	test("do not depend on how the change was typed", () => {
		const someCase = someText().chain((source) => fc.tuple(fc.constant(source), someChange(Text.of(source))));
		fc.assert(
			fc.property(someCase, ([source, change]) => {
				const atOnce = new Writer({ a: source });
				const byHand = new Writer({ a: source });
				atOnce.change("a", change);
				byHand.type("a", change);
				expect(byHand.examples().toSorted()).toEqual(atOnce.examples().toSorted());
			}),
		);
	});

	test("have the position of each line and the edits from old to new", () => {
		const someCase = someText().chain((source) => fc.tuple(fc.constant(source), someChange(Text.of(source))));
		fc.assert(
			fc.property(someCase, ([source, change]) => {
				const writer = new Writer({ a: source });
				writer.change("a", change);
				for (const { file, before, after, at, edits } of examplesOf(writer.history)) {
					if (after !== undefined) expect(file.now.line(file.now.lineAt(at))).toBe(after);
					if (before === undefined || after === undefined) continue;
					expect(Change.of(edits, before.length).apply(Text.of(before)).toString()).toBe(after);
				}
			}),
		);
	});
});

test("a history is bounded and keeps the current text", () => {
	const someChanges = fc.array(fc.tuple(fc.nat(50), fc.double({ min: 0, max: 1, noNaN: true }), someText()), {
		minLength: 50,
		maxLength: 200,
		size: "max",
	});
	fc.assert(
		fc.property(someLongText(), someChanges, (source, changes) => {
			const sources = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`${i}`, source.slice(0, 2000)]));
			const writer = new Writer(sources);
			for (const [i, [file, at, insert]] of changes.entries()) {
				const { length } = writer.document(`${file}`).text;
				const from = Math.floor(at * length);
				const change = Change.of([{ from, to: Math.min(from + 3, length), insert }], length);
				writer.change(`${file}`, change, i * 500);
			}
			const { files, events } = writer.history;
			expect(events.length).toBeLessThanOrEqual(32);
			expect(files.length).toBeLessThanOrEqual(32);
			expect(examplesOf(writer.history).length).toBeLessThanOrEqual(64);
			for (const { uri, now, touches } of files) {
				expect(now.toString()).toBe(writer.document(uri).text.toString());
				expect(touches.length).toBeLessThanOrEqual(100);
				for (const { from, to } of touches) expect(0 <= from && from <= to && to <= now.length).toBe(true);
			}
		}),
		{ numRuns: runs(50) },
	);
});

describe("a history from diffs", () => {
	const document = (source: string): Document => ({
		uri: "a",
		languageId: "python",
		version: 1,
		text: Text.of(source),
	});
	const versions = ["one\ntwo\nsix\n", "one\nTWO\nsix\n", "one\nTWO\nsix\nten\n"] as const;
	const diffs = [0, 1].map((i) => ({
		uri: "a",
		diff: printUnified(versions[i] as string, versions[i + 1] as string, "a", "a"),
	}));

	const rebuilt = (sent: readonly { uri: string; diff: string }[], accepted?: string) => {
		return History.told([document(versions[2])], sent, (_before, change) => change.edits[0]?.insert === accepted);
	};

	test("leads back to the text from when editing began", () => {
		const history = rebuilt(diffs);
		expect(history.fileOf("a")?.start.toString()).toBe(versions[0]);
		expect(history.events.map(({ after }) => after.toString())).toEqual(versions.slice(1));
		expect(examplesOf(history).map(({ after }) => after)).toEqual(["TWO", "ten"]);
	});

	test.each([
		["does not apply", "@@ -1 +1 @@\n-three\n+four\n"],
		["cannot be parsed", "@@ nonsense"],
		["has several files", `${diffs[1]?.diff}${diffs[1]?.diff}`],
	])("skips a diff that %s, and keeps the rest", (_, diff) => {
		const [first, second] = diffs as [(typeof diffs)[0], (typeof diffs)[0]];
		const history = rebuilt([first, { uri: "a", diff }, second]);
		expect(history.fileOf("a")?.start.toString()).toBe(versions[0]);
	});

	test("skips a diff of an unknown document", () => {
		expect(rebuilt([{ uri: "b", diff: diffs[1]?.diff ?? "" }]).events).toEqual([]);
	});

	test("records later edits", () => {
		const change = Change.of([{ from: 0, to: 3, insert: "ONE" }], versions[2].length);
		const history = rebuilt(diffs).changed(document(versions[2]), change, { atMs: 0, isAccepted: false });
		expect(examplesOf(history).map(({ after }) => after)).toEqual(["TWO", "ten", "ONE"]);
	});

	test("marks the edits that the callback recognizes as accepted", () => {
		expect(rebuilt(diffs, "ten\n").events.map(({ isAccepted }) => isAccepted)).toEqual([false, true]);
	});

	test.each([
		["before them", "here", ["a: TWO", "a: ten", "b: SIX", "b: ONE"]],
		["after them", "told", ["b: SIX", "b: ONE", "a: TWO", "a: ten"]],
	] as const)("is merged with recorded edits to other documents, %s", (_, newest, expected) => {
		const writer = new Writer({ a: "one", b: "one\nsix" });
		writer.replace("b", "six", "SIX");
		writer.replace("b", "one", "ONE");
		const both = writer.history.joined(rebuilt(diffs), newest);
		const examples = examplesOf(both).map(({ file, after }) => `${file.uri}: ${after}`);
		expect(examples).toEqual(expected);
		expect(both.events.map(({ uri }) => uri)).toEqual(newest === "here" ? ["a", "a", "b"] : ["b", "a", "a"]);
	});

	test("records later edits after a merge", () => {
		const writer = new Writer({ b: "one\nsix" });
		writer.replace("b", "six", "SIX");
		writer.history = writer.history.joined(rebuilt(diffs), "told");
		writer.replace("b", "one", "ONE");
		expect(writer.examples().at(-1)).toBe("b: one → ONE");
	});
});
