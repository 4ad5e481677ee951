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

/** What is offered to a user of two documents, and what became of it: `1 rejected`, `2 accepted typed`. */
class Desk {
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

	/** An answer to a request after the user edited the first document, which had this text before. */
	answerAfter(before: string | undefined, ...suggestions: EditorSuggestion[]): void {
		const origin = before === undefined ? undefined : originOf(Text.of(before), this.texts.get(A) as Text);
		const answered = { isManual: false, origin, isOutdated: false };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	answerAsked(...suggestions: EditorSuggestion[]): void {
		const answered = { isManual: true, origin: undefined, isOutdated: false };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	/** An answer to a request after which the user has edited something else. */
	answerLate(...suggestions: EditorSuggestion[]): void {
		const answered = { isManual: false, origin: undefined, isOutdated: true };
		this.queue.answered(suggestions, answered, (uri) => this.document(uri));
	}

	/** The user, or whoever it is, does what a picture shows. */
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

/** The edit that led from one text of the first document to another. */
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

/** The suggestion of a picture. */
function suggestion(id: string, drawn: string, uri = A): EditorSuggestion {
	const { edits, selection } = readPicture(drawn);
	return { id, uri, why: undefined, fileText: undefined, kind: "edit", edits, cursor: selection?.head ?? 0 };
}

describe("a suggestion that is shown", () => {
	test.for<[string, string, string, string | undefined]>([
		["shrinks with every letter of it that is typed", "a‹→bc▮›", "a‹→b▮›", undefined],
		["is accepted when all of it is typed", "a‹→bc▮›", "a‹→bc▮›", "1 accepted typed"],
		["is rejected by typing something else there", "a‹→bc▮›", "a‹→x▮›", "1 rejected"],
		["is ignored when what it rests on goes", "‹abc→x▮›\nd", "‹abc\n→›d", "1 ignored"],
		["moves with edits elsewhere", "a\nb‹→c▮›", "‹→x›a\nb", undefined],
	])("%s", ([, drawn, user, verdict]) => {
		const desk = new Desk(readPicture(drawn).before);
		desk.answer(suggestion("1", drawn));
		desk.draw(user);
		expect(desk.verdicts).toEqual(verdict === undefined ? [] : [verdict]);
		expect(desk.shown).toBe(verdict === undefined ? "1" : undefined);
	});

	test.for<[string, string, string, boolean]>([
		["stays when another one comes", "a‹→bc▮›", "a‹→x▮›", false],
		["stays when a shorter one comes", "a‹→bc▮›", "a‹→b▮›", false],
		["goes for one that says the same", "a‹→bc▮›", "a‹→bc▮›", true],
		["goes for one that says more", "a‹→bc▮›", "a‹→bcd▮›", true],
	])("%s", ([, first, second, isReplaced]) => {
		const desk = new Desk("a");
		desk.answer(suggestion("1", first));
		desk.answer(suggestion("2", second));
		expect([desk.shown, desk.verdicts]).toEqual(isReplaced ? ["2", ["1 replaced"]] : ["1", ["2 replaced"]]);
	});

	test("goes for any other that the user asks for, or once they edit something else", () => {
		const desk = new Desk("a\nb", "c");
		desk.answer(suggestion("1", "a‹→x▮›\nb"));
		desk.answerAsked(suggestion("2", "a‹→y▮›\nb"));
		desk.draw("c‹→!›", B);
		desk.answer(suggestion("3", "a‹→z▮›\nb"));
		desk.draw("a\nb‹→!›");
		desk.answer(suggestion("4", "a‹→w▮›\nb!"));
		expect([desk.shown, desk.verdicts]).toEqual(["4", ["1 replaced", "2 replaced", "3 replaced"]]);
	});

	test("stays when an empty answer comes while it is up to date: shown or typed", () => {
		const desk = new Desk("a");
		desk.answer(suggestion("1", "a‹→bc▮›"));
		desk.answer();
		desk.draw("a‹→b›");
		desk.answer();
		expect([desk.shown, desk.verdicts]).toEqual(["1", []]);
	});

	test.for<[string, (desk: Desk) => void]>([
		["its document was edited elsewhere", (desk) => desk.draw("a\nb‹→!›")],
		["another document was edited", (desk) => desk.draw("c‹→!›", B)],
		["a formatter changed another line", (desk) => desk.draw("a\nb‹→!›", A, "others")],
		["one of two cursors typed it", (desk) => desk.draw("a‹→x›\nb‹→!›")],
	])("is withdrawn by an empty answer after %s, and what waits with it", ([, edit]) => {
		const desk = new Desk("a\nb", "c");
		desk.answer(suggestion("1", "a‹→xyz▮›\nb"), suggestion("2", "‹→w▮›a\nb"));
		edit(desk);
		expect(desk.shown).toBe("1");
		expect(desk.queue.isOutdated).toBe(true);
		desk.answer();
		expect([desk.shown, desk.queue.isOutdated]).toEqual([undefined, false]);
		expect(desk.verdicts).toEqual(["1 without a reason", "2 without a reason"]);
	});

	test("is withdrawn by an empty answer if it was late itself, and replaced by another", () => {
		const desk = new Desk("a\nb");
		desk.answerLate(suggestion("1", "a‹→x▮›\nb"));
		desk.answer(suggestion("2", "a‹→y▮›\nb"));
		desk.answerLate();
		expect([desk.shown, desk.verdicts]).toEqual(["2", ["1 replaced"]]);
		desk.draw("a\nb‹→!›");
		desk.answer();
		expect(desk.verdicts).toEqual(["1 replaced", "2 without a reason"]);
	});

	test("stays outdated when the one before it is taken", () => {
		const desk = new Desk("a\nb\nc");
		desk.answer(suggestion("1", "‹a→x▮›\nb\nc"), suggestion("2", "a\n‹b→x▮›\nc"));
		desk.draw("a\nb\nc‹→!›");
		const first = desk.queue.take();
		desk.draw("‹a→x›\nb\nc!", A, "suggestion");
		if (first !== undefined) desk.queue.taken(first, false);
		expect([desk.shown, desk.queue.isOutdated]).toEqual(["2", true]);
		desk.answer();
		expect(desk.verdicts).toEqual(["1 accepted", "2 without a reason"]);
	});

	test.for<[string, string, boolean]>([
		["types on", "tota‹→l›\ncnt", false],
		["puts a letter before it", "‹→a›tota\ncnt", false],
		["writes inside it", "to‹→o›ta\ncnt", false],
		["deletes its end", "tot‹a→›\ncnt", false],
		["deletes it", "‹tota→›\ncnt", false],
		["breaks the line after it", "tota‹→\n›\ncnt", true],
		["writes an operator after it", "tota‹→ += 1›\ncnt", true],
		["writes a line before it", "‹→// first\n›tota\ncnt", true],
	])("goes at once, without a reason, when the user changes the word it is derived from: %s", ([, user, stays]) => {
		const desk = new Desk("tota\ncnt");
		desk.answerAfter("cnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›"));
		desk.draw(user);
		expect([desk.shown, desk.verdicts]).toEqual(stays ? ["1", []] : [undefined, ["1 without a reason"]]);
	});

	test("goes when a word is typed where the edit that it is derived from has deleted one", () => {
		const desk = new Desk("let  = 0\ncnt");
		desk.answerAfter("let cnt = 0\ncnt", suggestion("1", "let  = 0\n‹cnt→▮›"));
		desk.draw("let ‹→n› = 0\ncnt");
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 without a reason"]]);
	});

	test("goes when the word it is derived from is changed after lines were inserted before it", () => {
		const desk = new Desk("tota\ncnt");
		desk.answerAfter("cnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›"));
		desk.draw("‹→\n\n›tota\ncnt");
		expect(desk.shown).toBe("1");
		desk.draw("\n\ntota‹→l›\ncnt");
		expect(desk.shown).toBeUndefined();
	});

	test.for<[string, string, string, string[]]>([
		["goes when the user undoes what it came from, and what waits with it", "‹count→cnt›\ncnt", A, ["1 ignored", "2"]],
		["stays when what the user undoes was done since", "count‹!→›\ncnt", A, []],
		["stays when another document becomes what its own was", "‹count→cnt›\ncnt", B, []],
	])("%s", ([, user, uri, verdicts]) => {
		const { before } = readPicture(user);
		const desk = new Desk("count\ncnt", before);
		desk.answerAfter("cnt\ncnt", suggestion("1", "count\n‹cnt→count▮›"), suggestion("2", "count\n‹cnt→counts▮›"));
		if (before.includes("!")) desk.draw("count‹→!›\ncnt");
		desk.draw(user, uri, "others");
		expect(desk.verdicts).toEqual(verdicts.map((one) => one.replace(/^2$/, "2 without a reason")));
		expect(desk.shown).toBe(verdicts.length === 0 ? "1" : undefined);
	});

	test("stays when the user types on as it says and so comes to the text that it came from", () => {
		const desk = new Desk("wid");
		desk.answerAfter("width", suggestion("1", "wid‹→th = 1▮›"));
		desk.draw("wid‹→th›");
		expect([desk.shown, desk.verdicts]).toEqual(["1", []]);
	});

	test("is not ignored when only the edit is undone that an earlier one is derived from", () => {
		const desk = new Desk("count\ncnt");
		desk.answerAfter("cnt\ncnt", suggestion("1", "count\n‹cnt→count▮›"));
		desk.draw("‹count→cent›\ncnt");
		desk.answerAfter("count\ncnt", suggestion("2", "cent\n‹cnt→cent▮›"));
		desk.draw("‹cent→cnt›\ncnt");
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 without a reason", "2 without a reason"]]);
	});

	test("is gone when its document is, and what waits with it", () => {
		const desk = new Desk("a", "b");
		desk.answer(suggestion("1", "a‹→x▮›"), suggestion("2", "a‹→y▮›"), suggestion("3", "b‹→z▮›", B));
		desk.queue.closed("file:///project/%61.ts");
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["2 without a reason", "1 ignored", "3 without a reason"]]);
	});

	test("becomes outdated when the document of the edit that it is derived from closes", () => {
		const desk = new Desk("tota", "cnt");
		desk.answerAfter("cnt", suggestion("1", "‹cnt→tota▮›", B));
		desk.queue.closed(A);
		expect([desk.shown, desk.queue.isOutdated]).toEqual(["1", true]);
		desk.answer();
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 without a reason"]]);
	});

	test("is accepted once, in part, if the user takes a part of it and leaves the rest", () => {
		const desk = new Desk("a");
		desk.answer(suggestion("1", "a‹→b c▮›"));
		desk.draw("a‹→b›", A, "suggestion");
		expect(desk.verdicts).toEqual([]);
		desk.queue.dismiss("rejected");
		expect(desk.verdicts).toEqual(["1 accepted in part"]);
	});

	test("is accepted once, as a whole, if the user takes all of it part by part", () => {
		const desk = new Desk("a");
		desk.answer(suggestion("1", "a‹→b c▮›"));
		desk.draw("a‹→b›", A, "suggestion");
		desk.draw("ab‹→ c›", A, "suggestion");
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 accepted"]]);
	});

	test("is ignored, and not rejected, when a formatter or undo writes something else in its place", () => {
		const desk = new Desk("a");
		desk.answer(suggestion("1", "a‹→b▮›"));
		desk.draw("a‹→x›", A, "others");
		expect(desk.verdicts).toEqual(["1 ignored"]);
	});

	test("remembers up to where the user has seen it, wherever that moves", () => {
		const desk = new Desk("ab");
		desk.queue.visit(1);
		desk.answer(suggestion("1", "ab‹→c▮›"));
		expect(desk.queue.current?.seenTo).toBeUndefined();
		desk.queue.visit(2);
		expect(desk.queue.current?.seenTo).toBe(2);
		desk.draw("‹→x›ab", A, "user");
		expect(desk.queue.current?.seenTo).toBe(3);
		desk.draw("xab‹→c›", A, "user");
		expect(desk.queue.current).toBeUndefined();
	});
});

describe("of several suggestions", () => {
	const three = () => [
		suggestion("1", "‹a→x▮›\na\na"),
		suggestion("2", "a\n‹a→x▮›\na"),
		suggestion("3", "a\na\n‹a→x▮›"),
	];

	test("the first is shown, and the next one, rebased, when it is accepted", () => {
		const desk = new Desk("a\na\na");
		desk.answer(...three());
		const first = desk.queue.take();
		desk.draw("‹a→xyz›\na\na");
		if (first !== undefined) desk.queue.taken(first, false);
		expect(desk.shown).toBe("2");
		expect(desk.queue.current?.suggestion).toMatchObject({ edits: [{ from: 4, to: 5, insert: "x" }] });
		desk.draw("xyz\n‹a→x›\na");
		expect([desk.shown, desk.verdicts]).toEqual(["3", ["1 accepted", "2 accepted typed"]]);
	});

	test("all go when the first is rejected, and only that one counts", () => {
		const desk = new Desk("a\na\na");
		desk.answer(...three());
		desk.queue.dismiss("rejected");
		expect([desk.shown, desk.verdicts]).toEqual([
			undefined,
			["1 rejected", "2 without a reason", "3 without a reason"],
		]);
	});

	test("those that waited are replaced by a new answer", () => {
		const desk = new Desk("a\na\na");
		desk.answer(...three());
		desk.answerAsked(suggestion("4", "‹a→y▮›\na\na"));
		expect([desk.shown, desk.verdicts]).toEqual(["4", ["1 replaced", "2 replaced", "3 replaced"]]);
	});

	test("one that waits goes quietly when the user writes something else there", () => {
		const desk = new Desk("a\na\na");
		desk.answer(...three());
		desk.draw("a\n‹a→b›\na");
		expect([desk.shown, desk.verdicts]).toEqual(["1", ["2 without a reason"]]);
	});

	test("none is shown in place of one that could not be taken", () => {
		const desk = new Desk("a\na\na");
		desk.answer(...three());
		const first = desk.queue.take();
		if (first !== undefined) desk.queue.failed(first, undefined);
		expect([desk.shown, desk.verdicts]).toEqual([
			undefined,
			["1 without a reason", "2 without a reason", "3 without a reason"],
		]);
	});
});

describe("a suggestion that waits", () => {
	function waiting(): Desk {
		const desk = new Desk("tota\ncnt\ncnt");
		const second = suggestion("2", "tota\ncnt\n‹cnt→tota▮›");
		desk.answerAfter("cnt\ncnt\ncnt", suggestion("1", "tota\n‹cnt→tota▮›\ncnt"), second);
		return desk;
	}

	test("is withdrawn when the user types on at the word it is derived from while the first is being accepted", () => {
		const desk = waiting();
		const first = desk.queue.take();
		desk.draw("tota\n‹cnt→tota›\ncnt", A, "suggestion");
		desk.draw("tota‹→l›\ntota\ncnt");
		if (first !== undefined) desk.queue.taken(first, false);
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["2 without a reason", "1 accepted"]]);
	});

	test("is outdated when the user edits elsewhere while the first is being accepted, but not by the accepted edit", () => {
		for (const [edit, isOutdated] of [
			["tota\ntota\ncnt", false],
			["tota\ntota‹→!›\ncnt", true],
		] as const) {
			const desk = waiting();
			const first = desk.queue.take();
			desk.draw("tota\n‹cnt→tota›\ncnt", A, "suggestion");
			if (isOutdated) desk.draw(edit);
			if (first !== undefined) desk.queue.taken(first, false);
			expect([desk.shown, desk.queue.isOutdated]).toEqual(["2", isOutdated]);
		}
	});

	test("is withdrawn when one change completes the first and changes the word that both are derived from", () => {
		const desk = waiting();
		desk.draw("tota‹→l›\n‹cnt→tota›\ncnt");
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 accepted typed", "2 without a reason"]]);
	});

	test("is outdated when one change completes the first and edits something else", () => {
		const desk = new Desk("a\nb\nc\nd");
		desk.answer(suggestion("1", "‹a→x▮›\nb\nc\nd"), suggestion("2", "a\n‹b→x▮›\nc\nd"));
		desk.draw("‹a→x›\nb\nc\nd‹→!›");
		expect([desk.shown, desk.queue.isOutdated]).toEqual(["2", true]);
	});
});

describe("what is suggested for a file that is not open", () => {
	const ofFile = (text: string) => ({
		...suggestion("1", "a‹→b▮›", "file:///project/%61.ts"),
		fileText: Text.of(text),
	});

	test("stays when the file is opened with the same text, and goes by the name that the editor has for it", () => {
		const desk = new Desk("a");
		desk.answer(ofFile("a"));
		desk.queue.opened(desk.document(A) as Document);
		expect(desk.queue.current?.suggestion.uri).toBe(A);
	});

	test("is ignored when the file is opened with another", () => {
		const desk = new Desk("z");
		desk.answer(ofFile("a"));
		desk.queue.opened(desk.document(A) as Document);
		expect([desk.shown, desk.verdicts]).toEqual([undefined, ["1 ignored"]]);
	});
});

test("an id is taken once", () => {
	const { queue } = new Desk();
	expect([queue.isFirst("1"), queue.isFirst("2"), queue.isFirst("1")]).toEqual([true, true, false]);
	for (let i = 0; i < 10_000; i++) queue.isFirst(`later ${i}`);
	expect(queue.isFirst("2")).toBe(true);
});

test("whatever happens, every suggestion ends in one verdict", () => {
	type Step = (desk: Desk, state: { count: number; taken: EditorSuggestion[] }) => void;
	const someUri = fc.constantFrom(A, B);
	const someHand = fc.constantFrom<ChangeAuthor[]>("user", "suggestion", "others");
	const place = (at: number, text: Text) => at % (text.length + 1);
	const someAnswer: fc.Arbitrary<Step> = fc
		.tuple(fc.array(fc.tuple(someUri, fc.nat(), fc.nat(2), someText()), { maxLength: 3 }), fc.boolean())
		.map(([places, isManual]) => (desk, state) => {
			const fresh = places.map(([uri, at, length, insert]): EditorSuggestion => {
				const text = desk.texts.get(uri) as Text;
				const from = place(at, text);
				const edits = [{ from, to: Math.min(from + length, text.length), insert: `${insert}!` }];
				const about = { id: `${++state.count}`, uri, why: undefined, fileText: undefined };
				return at % 5 === 0 ? { ...about, kind: "jump", at: from } : { ...about, kind: "edit", edits, cursor: 0 };
			});
			if (isManual) desk.answerAsked(...fresh);
			else desk.answer(...fresh);
		});
	const someEdit: fc.Arbitrary<Step> = fc
		.tuple(someUri, fc.nat(), fc.nat(2), someText(), someHand)
		.map(([uri, at, length, insert, hand]) => (desk) => {
			const text = desk.texts.get(uri) as Text;
			const from = place(at, text);
			desk.edit(uri, [{ from, to: Math.min(from + length, text.length), insert }], hand);
		});
	/** Types the beginning of what is shown, as users do. */
	const someTyping: fc.Arbitrary<Step> = fc.tuple(fc.nat(3), someHand).map(([length, hand]) => (desk) => {
		const shown = desk.queue.current?.suggestion;
		if (shown?.kind !== "edit") return;
		const [edit] = shown.edits;
		if (edit !== undefined) desk.edit(shown.uri, [{ ...edit, insert: edit.insert.slice(0, length + 1) }], hand);
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
			(desk) => desk.queue.opened(desk.document(B) as Document),
		),
	);
	fc.assert(
		fc.property(fc.array(someStep, { maxLength: 40 }), (steps) => {
			const desk = new Desk("a\nb\nc\n", "d\ne\n");
			const state = { count: 0, taken: [] };
			for (const step of steps) {
				step(desk, state);
				const decided = desk.verdicts.map((words) => words.split(" ")[0]);
				expect(decided).not.toContain(desk.shown);
			}
			for (const one of state.taken) desk.queue.taken(one, false);
			desk.queue.closed(A);
			desk.queue.closed(B);
			const decided = desk.verdicts.map((words) => Number(words.split(" ")[0])).toSorted((a, b) => a - b);
			expect(decided).toEqual(Array.from({ length: state.count }, (_, i) => i + 1));
			expect(desk.shown).toBeUndefined();
		}),
	);
});
