import { readPicture } from "@segue/story";
import { someText } from "@segue/testing/arbitrary";
import { Change, type Document, type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Origin } from "./origin.js";
import type { EditorSuggestion } from "./suggestion.js";
import { type ChangeAuthor, SuggestionQueue, type UserDecision } from "./suggestion-queue.js";

const A = "file:///project/a.ts";
const B = "file:///project/b.ts";

/** A queue for two documents, and its decisions: `1 rejected`, `2 accepted typed`. */
class Fixture {
	readonly verdicts: string[] = [];
	readonly queue = new SuggestionQueue((verdict) => this.verdicts.push(wordsOf(verdict)));
	readonly texts = new Map<string, Text>();

	constructor(a = "", b = "") {
		this.texts.set(A, Text.of(a));
		this.texts.set(B, Text.of(b));
	}

	answer(...suggestions: EditorSuggestion[]): void {
		this.answerAfter(undefined, ...suggestions);
	}

	/**
	 * Adds a response to a request that followed an edit to the first document. `before` is the text before that edit.
	 */
	answerAfter(before: string | undefined, ...suggestions: EditorSuggestion[]): void {
		const origin = before === undefined ? undefined : originOf(Text.of(before), this.texts.get(A) as Text);
		const answered = { isManual: false, origin, isOutdated: false };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	answerAsked(...suggestions: EditorSuggestion[]): void {
		const answered = { isManual: true, origin: undefined, isOutdated: false };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	/** Adds a response that arrives after the user has edited something else. */
	answerLate(...suggestions: EditorSuggestion[]): void {
		const answered = { isManual: false, origin: undefined, isOutdated: true };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	/** Applies drawn edits on behalf of the user or another author. */
	draw(drawn: string, uri = A, hand: ChangeAuthor = "user"): void {
		const { before, edits } = readPicture(drawn);
		expect(before).toBe(this.texts.get(uri)?.toString());
		this.edit(uri, edits, hand);
	}

	edit(uri: string, edits: readonly Edit[], hand: ChangeAuthor): void {
		const before = this.texts.get(uri) as Text;
		const change = Change.of(edits, before.length);
		this.texts.set(uri, change.apply(before));
		this.queue.changed(uri, change, before, hand);
	}

	get shown(): string | undefined {
		return this.queue.current?.suggestion.id;
	}

	document(uri: string): Document | undefined {
		const text = this.texts.get(uri);
		return text && { uri, languageId: "typescript", version: 1, text };
	}
}

/** Returns the origin for an edit that changes the first document from one text to the other. */
function originOf(before: Text, after: Text): Origin | undefined {
	const { head, tail } = before.common(after);
	const edit = { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
	return Origin.of([{ uri: A, before, after, change: Change.of([edit], before.length) }], () => after);
}

function wordsOf(verdict: UserDecision): string {
	const { id } = verdict.suggestion;
	if (verdict.kind === "rejected") return `${id} ${verdict.reason ?? "without a reason"}`;
	return `${id} accepted${verdict.isPartial ? " in part" : ""}${verdict.isTyped ? " typed" : ""}`;
}

/** Creates a suggestion with the drawn edits and cursor. */
function suggestion(id: string, drawn: string, uri = A): EditorSuggestion {
	const { edits, selection } = readPicture(drawn);
	return { id, uri, why: undefined, fileText: undefined, kind: "edit", edits, cursor: selection?.head ?? 0 };
}

describe("a shown suggestion", () => {
	test.for<[string, string, string, string | undefined]>([
		["shrinks as the user types it", "a‹→bc▮›", "a‹→b▮›", undefined],
		["is accepted when all of it is typed", "a‹→bc▮›", "a‹→bc▮›", "1 accepted typed"],
		["is rejected by typing something else there", "a‹→bc▮›", "a‹→x▮›", "1 rejected"],
		["is ignored when the text it replaces is deleted", "‹abc→x▮›\nd", "‹abc\n→›d", "1 ignored"],
		["moves with edits elsewhere", "a\nb‹→c▮›", "‹→x›a\nb", undefined],
	])("%s", ([, drawn, user, verdict]) => {
		const fixture = new Fixture(readPicture(drawn).before);
		fixture.answer(suggestion("1", drawn));
		fixture.draw(user);
		expect(fixture.verdicts).toEqual(verdict === undefined ? [] : [verdict]);
		expect(fixture.shown).toBe(verdict === undefined ? "1" : undefined);
	});

	test.for<[string, string, string, boolean]>([
		["stays when a different one arrives", "a‹→bc▮›", "a‹→x▮›", false],
		["stays when a shorter one arrives", "a‹→bc▮›", "a‹→b▮›", false],
		["is replaced by an equal one", "a‹→bc▮›", "a‹→bc▮›", true],
		["is replaced by one that extends it", "a‹→bc▮›", "a‹→bcd▮›", true],
	])("%s", ([, first, second, isReplaced]) => {
		const fixture = new Fixture("a");
		fixture.answer(suggestion("1", first));
		fixture.answer(suggestion("2", second));
		expect([fixture.shown, fixture.verdicts]).toEqual(isReplaced ? ["2", ["1 replaced"]] : ["1", ["2 replaced"]]);
	});

	test("is replaced by any other suggestion after a manual request or other edits", () => {
		const fixture = new Fixture("a\nb", "c");
		fixture.answer(suggestion("1", "a‹→x▮›\nb"));
		fixture.answerAsked(suggestion("2", "a‹→y▮›\nb"));
		fixture.draw("c‹→!›", B);
		fixture.answer(suggestion("3", "a‹→z▮›\nb"));
		fixture.draw("a\nb‹→!›");
		fixture.answer(suggestion("4", "a‹→w▮›\nb!"));
		expect([fixture.shown, fixture.verdicts]).toEqual(["4", ["1 replaced", "2 replaced", "3 replaced"]]);
	});

	test("stays after an empty response while it is up to date, even if it is partly typed", () => {
		const fixture = new Fixture("a");
		fixture.answer(suggestion("1", "a‹→bc▮›"));
		fixture.answer();
		fixture.draw("a‹→b›");
		fixture.answer();
		expect([fixture.shown, fixture.verdicts]).toEqual(["1", []]);
	});

	test.for<[string, (fixture: Fixture) => void]>([
		["its document was edited elsewhere", (fixture) => fixture.draw("a\nb‹→!›")],
		["another document was edited", (fixture) => fixture.draw("c‹→!›", B)],
		["a formatter changed another line", (fixture) => fixture.draw("a\nb‹→!›", A, "others")],
		["the user typed it at one of two cursors", (fixture) => fixture.draw("a‹→x›\nb‹→!›")],
	])("is withdrawn, together with the waiting ones, by an empty response after %s", ([, edit]) => {
		const fixture = new Fixture("a\nb", "c");
		fixture.answer(suggestion("1", "a‹→xyz▮›\nb"), suggestion("2", "‹→w▮›a\nb"));
		edit(fixture);
		expect(fixture.shown).toBe("1");
		expect(fixture.queue.isOutdated).toBe(true);
		fixture.answer();
		expect([fixture.shown, fixture.queue.isOutdated]).toEqual([undefined, false]);
		expect(fixture.verdicts).toEqual(["1 without a reason", "2 without a reason"]);
	});

	test("is withdrawn by an empty response, or replaced by another suggestion, if it arrived late", () => {
		const fixture = new Fixture("a\nb");
		fixture.answerLate(suggestion("1", "a‹→x▮›\nb"));
		fixture.answer(suggestion("2", "a‹→y▮›\nb"));
		fixture.answerLate();
		expect([fixture.shown, fixture.verdicts]).toEqual(["2", ["1 replaced"]]);
		fixture.draw("a\nb‹→!›");
		fixture.answer();
		expect(fixture.verdicts).toEqual(["1 replaced", "2 without a reason"]);
	});

	test("stays outdated when the suggestion before it is accepted", () => {
		const fixture = new Fixture("a\nb\nc");
		fixture.answer(suggestion("1", "‹a→x▮›\nb\nc"), suggestion("2", "a\n‹b→x▮›\nc"));
		fixture.draw("a\nb\nc‹→!›");
		const first = fixture.queue.take();
		fixture.draw("‹a→x›\nb\nc!", A, "suggestion");
		if (first !== undefined) fixture.queue.taken(first, false);
		expect([fixture.shown, fixture.queue.isOutdated]).toEqual(["2", true]);
		fixture.answer();
		expect(fixture.verdicts).toEqual(["1 accepted", "2 without a reason"]);
	});

	test.for<[string, string, boolean]>([
		["appends to it", "tota‹→l›\ncnt", false],
		["prepends a letter", "‹→a›tota\ncnt", false],
		["writes inside it", "to‹→o›ta\ncnt", false],
		["deletes its end", "tot‹a→›\ncnt", false],
		["deletes it", "‹tota→›\ncnt", false],
		["inserts a line break after it", "tota‹→\n›\ncnt", true],
		["writes an operator after it", "tota‹→ += 1›\ncnt", true],
		["writes a line before it", "‹→// first\n›tota\ncnt", true],
	])("ends immediately, without a reason, when the user changes the word it is derived from: %s", ([, user, stays]) => {
		const fixture = new Fixture("tota\ncnt");
		fixture.answerAfter("cnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›"));
		fixture.draw(user);
		expect([fixture.shown, fixture.verdicts]).toEqual(stays ? ["1", []] : [undefined, ["1 without a reason"]]);
	});

	test("ends when the user types a new word in place of one deleted by the edit it is derived from", () => {
		const fixture = new Fixture("let  = 0\ncnt");
		fixture.answerAfter("let cnt = 0\ncnt", suggestion("1", "let  = 0\n‹cnt→▮›"));
		fixture.draw("let ‹→n› = 0\ncnt");
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 without a reason"]]);
	});

	test("ends when the word it is derived from is changed after lines were inserted before it", () => {
		const fixture = new Fixture("tota\ncnt");
		fixture.answerAfter("cnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›"));
		fixture.draw("‹→\n\n›tota\ncnt");
		expect(fixture.shown).toBe("1");
		fixture.draw("\n\ntota‹→l›\ncnt");
		expect(fixture.shown).toBeUndefined();
	});

	test.for<[string, string, string, string[]]>([
		["ends, together with the waiting ones, when its origin is undone", "‹count→cnt›\ncnt", A, ["1 ignored", "2"]],
		["stays when a later edit is undone", "count‹!→›\ncnt", A, []],
		["stays when the reverse of its origin is applied to another document", "‹count→cnt›\ncnt", B, []],
	])("%s", ([, user, uri, verdicts]) => {
		const { before } = readPicture(user);
		const fixture = new Fixture("count\ncnt", before);
		fixture.answerAfter("cnt\ncnt", suggestion("1", "count\n‹cnt→count▮›"), suggestion("2", "count\n‹cnt→counts▮›"));
		if (before.includes("!")) fixture.draw("count‹→!›\ncnt");
		fixture.draw(user, uri, "others");
		expect(fixture.verdicts).toEqual(verdicts.map((one) => one.replace(/^2$/, "2 without a reason")));
		expect(fixture.shown).toBe(verdicts.length === 0 ? "1" : undefined);
	});

	test("stays when typing it restores the text before its origin", () => {
		const fixture = new Fixture("wid");
		fixture.answerAfter("width", suggestion("1", "wid‹→th = 1▮›"));
		fixture.draw("wid‹→th›");
		expect([fixture.shown, fixture.verdicts]).toEqual(["1", []]);
	});

	test("is not ignored when only an earlier origin is undone", () => {
		const fixture = new Fixture("count\ncnt");
		fixture.answerAfter("cnt\ncnt", suggestion("1", "count\n‹cnt→count▮›"));
		fixture.draw("‹count→cent›\ncnt");
		fixture.answerAfter("count\ncnt", suggestion("2", "cent\n‹cnt→cent▮›"));
		fixture.draw("‹cent→cnt›\ncnt");
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 without a reason", "2 without a reason"]]);
	});

	test("ends, together with the waiting ones, when its document closes", () => {
		const fixture = new Fixture("a", "b");
		fixture.answer(suggestion("1", "a‹→x▮›"), suggestion("2", "a‹→y▮›"), suggestion("3", "b‹→z▮›", B));
		fixture.queue.closed("file:///project/%61.ts");
		expect([fixture.shown, fixture.verdicts]).toEqual([
			undefined,
			["2 without a reason", "1 ignored", "3 without a reason"],
		]);
	});

	test("becomes outdated when the document of its origin closes", () => {
		const fixture = new Fixture("tota", "cnt");
		fixture.answerAfter("cnt", suggestion("1", "‹cnt→tota▮›", B));
		fixture.queue.closed(A);
		expect([fixture.shown, fixture.queue.isOutdated]).toEqual(["1", true]);
		fixture.answer();
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 without a reason"]]);
	});

	test("is partly accepted, once, if the user accepts a part and dismisses the rest", () => {
		const fixture = new Fixture("a");
		fixture.answer(suggestion("1", "a‹→b c▮›"));
		fixture.draw("a‹→b›", A, "suggestion");
		expect(fixture.verdicts).toEqual([]);
		fixture.queue.dismiss("rejected");
		expect(fixture.verdicts).toEqual(["1 accepted in part"]);
	});

	test("is accepted as a whole, once, if the user accepts all parts", () => {
		const fixture = new Fixture("a");
		fixture.answer(suggestion("1", "a‹→b c▮›"));
		fixture.draw("a‹→b›", A, "suggestion");
		fixture.draw("ab‹→ c›", A, "suggestion");
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 accepted"]]);
	});

	test("is ignored, not rejected, when a formatter or undo writes something else in its place", () => {
		const fixture = new Fixture("a");
		fixture.answer(suggestion("1", "a‹→b▮›"));
		fixture.draw("a‹→x›", A, "others");
		expect(fixture.verdicts).toEqual(["1 ignored"]);
	});

	test("remembers the last position seen, even if it moves", () => {
		const fixture = new Fixture("ab");
		fixture.queue.visit(1);
		fixture.answer(suggestion("1", "ab‹→c▮›"));
		expect(fixture.queue.current?.seenTo).toBeUndefined();
		fixture.queue.visit(2);
		expect(fixture.queue.current?.seenTo).toBe(2);
		fixture.draw("‹→x›ab", A, "user");
		expect(fixture.queue.current?.seenTo).toBe(3);
		fixture.draw("xab‹→c›", A, "user");
		expect(fixture.queue.current).toBeUndefined();
	});
});

describe("with several suggestions", () => {
	const three = () => [
		suggestion("1", "‹a→x▮›\na\na"),
		suggestion("2", "a\n‹a→x▮›\na"),
		suggestion("3", "a\na\n‹a→x▮›"),
	];

	test("the next one is shown, rebased, when the first is accepted", () => {
		const fixture = new Fixture("a\na\na");
		fixture.answer(...three());
		const first = fixture.queue.take();
		fixture.draw("‹a→xyz›\na\na");
		if (first !== undefined) fixture.queue.taken(first, false);
		expect(fixture.shown).toBe("2");
		expect(fixture.queue.current?.suggestion).toMatchObject({ edits: [{ from: 4, to: 5, insert: "x" }] });
		fixture.draw("xyz\n‹a→x›\na");
		expect([fixture.shown, fixture.verdicts]).toEqual(["3", ["1 accepted", "2 accepted typed"]]);
	});

	test("all end when the first is rejected, but only the first counts as rejected", () => {
		const fixture = new Fixture("a\na\na");
		fixture.answer(...three());
		fixture.queue.dismiss("rejected");
		expect([fixture.shown, fixture.verdicts]).toEqual([
			undefined,
			["1 rejected", "2 without a reason", "3 without a reason"],
		]);
	});

	test("the waiting ones are replaced by a new response", () => {
		const fixture = new Fixture("a\na\na");
		fixture.answer(...three());
		fixture.answerAsked(suggestion("4", "‹a→y▮›\na\na"));
		expect([fixture.shown, fixture.verdicts]).toEqual(["4", ["1 replaced", "2 replaced", "3 replaced"]]);
	});

	test("a waiting one ends without a reason when the user types something else there", () => {
		const fixture = new Fixture("a\na\na");
		fixture.answer(...three());
		fixture.draw("a\n‹a→b›\na");
		expect([fixture.shown, fixture.verdicts]).toEqual(["1", ["2 without a reason"]]);
	});

	test("none of the others is shown if the first could not be applied", () => {
		const fixture = new Fixture("a\na\na");
		fixture.answer(...three());
		const first = fixture.queue.take();
		if (first !== undefined) fixture.queue.failed(first, undefined);
		expect([fixture.shown, fixture.verdicts]).toEqual([
			undefined,
			["1 without a reason", "2 without a reason", "3 without a reason"],
		]);
	});
});

describe("a waiting suggestion", () => {
	function waiting(): Fixture {
		const fixture = new Fixture("tota\ncnt\ncnt");
		const second = suggestion("2", "tota\ncnt\n‹cnt→tota▮›");
		fixture.answerAfter("cnt\ncnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›\ncnt"), second);
		return fixture;
	}

	test("is withdrawn when the word it is derived from changes while the first is being applied", () => {
		const fixture = waiting();
		const first = fixture.queue.take();
		fixture.draw("tota\n‹cnt→tota›\ncnt", A, "suggestion");
		fixture.draw("tota‹→l›\ntota\ncnt");
		if (first !== undefined) fixture.queue.taken(first, false);
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["2 without a reason", "1 accepted"]]);
	});

	test("is outdated by an edit elsewhere while the first is being applied, but not by the accepted edit", () => {
		for (const [edit, isOutdated] of [
			["tota\ntota\ncnt", false],
			["tota\ntota‹→!›\ncnt", true],
		] as const) {
			const fixture = waiting();
			const first = fixture.queue.take();
			fixture.draw("tota\n‹cnt→tota›\ncnt", A, "suggestion");
			if (isOutdated) fixture.draw(edit);
			if (first !== undefined) fixture.queue.taken(first, false);
			expect([fixture.shown, fixture.queue.isOutdated]).toEqual(["2", isOutdated]);
		}
	});

	test("is withdrawn when one change completes the first and changes the word that both are derived from", () => {
		const fixture = waiting();
		fixture.draw("tota‹→l›\n‹cnt→tota›\ncnt");
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 accepted typed", "2 without a reason"]]);
	});

	test("is outdated when one change completes the first and edits something else", () => {
		const fixture = new Fixture("a\nb\nc\nd");
		fixture.answer(suggestion("1", "‹a→x▮›\nb\nc\nd"), suggestion("2", "a\n‹b→x▮›\nc\nd"));
		fixture.draw("‹a→x›\nb\nc\nd‹→!›");
		expect([fixture.shown, fixture.queue.isOutdated]).toEqual(["2", true]);
	});
});

describe("a suggestion for a file that is not open", () => {
	const ofFile = (text: string) => ({
		...suggestion("1", "a‹→b▮›", "file:///project/%61.ts"),
		fileText: Text.of(text),
	});

	test("stays when the file is opened with the same text, and uses the editor's URI", () => {
		const fixture = new Fixture("a");
		fixture.answer(ofFile("a"));
		fixture.queue.opened(fixture.document(A) as Document);
		expect(fixture.queue.current?.suggestion.uri).toBe(A);
	});

	test("is ignored when the file is opened with different text", () => {
		const fixture = new Fixture("z");
		fixture.answer(ofFile("a"));
		fixture.queue.opened(fixture.document(A) as Document);
		expect([fixture.shown, fixture.verdicts]).toEqual([undefined, ["1 ignored"]]);
	});
});

test("each id is accepted only once", () => {
	const { queue } = new Fixture();
	expect([queue.isFirst("1"), queue.isFirst("2"), queue.isFirst("1")]).toEqual([true, true, false]);
	for (let i = 0; i < 10_000; i++) queue.isFirst(`later ${i}`);
	expect(queue.isFirst("2")).toBe(true);
});

test("every suggestion gets exactly one decision, whatever happens", () => {
	type Step = (fixture: Fixture, state: { count: number; taken: EditorSuggestion[] }) => void;
	const someUri = fc.constantFrom(A, B);
	const someHand = fc.constantFrom<ChangeAuthor[]>("user", "suggestion", "others");
	const place = (at: number, text: Text) => at % (text.length + 1);
	const someAnswer: fc.Arbitrary<Step> = fc
		.tuple(fc.array(fc.tuple(someUri, fc.nat(), fc.nat(2), someText()), { maxLength: 3 }), fc.boolean())
		.map(([places, isManual]) => (fixture, state) => {
			const fresh = places.map(([uri, at, length, insert]): EditorSuggestion => {
				const text = fixture.texts.get(uri) as Text;
				const from = place(at, text);
				const edits = [{ from, to: Math.min(from + length, text.length), insert: `${insert}!` }];
				const about = { id: `${++state.count}`, uri, why: undefined, fileText: undefined };
				return at % 5 === 0 ? { ...about, kind: "jump", at: from } : { ...about, kind: "edit", edits, cursor: 0 };
			});
			if (isManual) fixture.answerAsked(...fresh);
			else fixture.answer(...fresh);
		});
	const someEdit: fc.Arbitrary<Step> = fc
		.tuple(someUri, fc.nat(), fc.nat(2), someText(), someHand)
		.map(([uri, at, length, insert, hand]) => (fixture) => {
			const text = fixture.texts.get(uri) as Text;
			const from = place(at, text);
			fixture.edit(uri, [{ from, to: Math.min(from + length, text.length), insert }], hand);
		});
	/** Types the beginning of the suggestion, as users do. */
	const someTyping: fc.Arbitrary<Step> = fc.tuple(fc.nat(3), someHand).map(([length, hand]) => (fixture) => {
		const shown = fixture.queue.current?.suggestion;
		if (shown?.kind !== "edit") return;
		const [edit] = shown.edits;
		if (edit !== undefined) fixture.edit(shown.uri, [{ ...edit, insert: edit.insert.slice(0, length + 1) }], hand);
	});
	const someStep: fc.Arbitrary<Step> = fc.oneof(
		someAnswer,
		someEdit,
		someTyping,
		fc.constantFrom<Step[]>(
			({ queue }, state) => state.taken.push(...[queue.take()].filter((one) => one !== undefined)),
			({ queue }, { taken }) => taken.splice(0, 1).forEach((one) => void queue.taken(one, false)),
			({ queue }, { taken }) => taken.splice(0, 1).forEach((one) => void queue.failed(one, "rejected")),
			({ queue }) => queue.visit(1),
			({ queue }) => queue.dismiss("rejected"),
			({ queue }) => queue.closed(B),
			(fixture) => fixture.queue.opened(fixture.document(B) as Document),
		),
	);
	fc.assert(
		fc.property(fc.array(someStep, { maxLength: 40 }), (steps) => {
			const fixture = new Fixture("a\nb\nc\n", "d\ne\n");
			const state = { count: 0, taken: [] };
			for (const step of steps) {
				step(fixture, state);
				const decided = fixture.verdicts.map((words) => words.split(" ")[0]);
				expect(decided).not.toContain(fixture.shown);
			}
			for (const one of state.taken) fixture.queue.taken(one, false);
			fixture.queue.closed(A);
			fixture.queue.closed(B);
			const decided = fixture.verdicts.map((words) => Number(words.split(" ")[0])).toSorted((a, b) => a - b);
			expect(decided).toEqual(Array.from({ length: state.count }, (_, i) => i + 1));
			expect(fixture.shown).toBeUndefined();
		}),
	);
});
