import type { ModelHunk } from "@segue/predict";
import { type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerCache, CachedAnswer, type RebasedAnswer } from "./answer-cache.js";

const URI = "file:///project/a.ts";

/** Finds the rest of a cached reply after the document has changed. */
function rebasedFor(text: string, base: string, edits: readonly Edit[]): RebasedAnswer | undefined {
	const answer = new CachedAnswer(URI, Text.of(base), 0);
	const hunks: ModelHunk[] = edits.map((edit) => ({ edits: [edit], isCut: false }));
	answer.grow({ hunks, window: { from: 0, to: base.length }, isWhole: true });
	const cache = new AnswerCache();
	cache.add(answer);
	return cache.find(URI, Text.of(text))[0];
}

/** Applies edits, which must be in order. */
function written(base: string, edits: readonly Edit[]): string {
	let [text, at] = ["", 0];
	for (const { from, to, insert } of edits) {
		expect(from).toBeGreaterThanOrEqual(at);
		text += base.slice(at, from) + insert;
		at = to;
	}
	return text + base.slice(at);
}

const editsOf = (rebased: RebasedAnswer | undefined) => rebased?.hunks.flatMap(({ edits }) => edits);

describe("The rest of a cached reply", () => {
	test("stays in place after accepting lines identical to those below", () => {
		const base = "foo();\n\n}\nbar();\n}\n";
		const first = { from: 0, to: 0, insert: "foo();\n\n" };
		const second = { from: 7, to: 8, insert: "x = 1;\nbar();\n}\n" };
		const rebased = rebasedFor(written(base, [first]), base, [first, second]);
		expect(editsOf(rebased)).toEqual([{ ...second, from: 15, to: 16 }]);
	});

	const lines = fc.array(fc.constantFrom("foo();\n", "\n", "}\n", "bar();\n"), { maxLength: 5 });
	/** Unchanged lines, the lines replaced after them, and how much of the replacement the user has already made. */
	const place = fc.record({
		stay: lines,
		go: fc.oneof(fc.constant([]), lines),
		come: lines,
		did: fc.constantFrom("nothing" as const, "all" as const, "begin" as const),
		letters: fc.nat(12),
	});

	test("leads to the same result as the whole reply, even if lines repeat", () => {
		let [taken, carried] = [0, 0];
		fc.assert(
			fc.property(fc.array(place, { minLength: 1, maxLength: 4 }), lines, (places, rest) => {
				let base = "";
				let beginner: Edit | undefined;
				const edits: Edit[] = [];
				const done: Edit[] = [];
				for (const { stay, go, come, did, letters } of places) {
					const from = base.length + stay.join("").length;
					base += stay.join("") + go.join("");
					const edit = { from, to: base.length, insert: come.join("") };
					if (base.slice(from) === edit.insert) continue;
					edits.push(edit);
					if (did === "all") done.push(edit);
					else if (did === "begin" && beginner === undefined && edit.to === from) {
						beginner = { ...edit, insert: edit.insert.slice(0, letters) };
						done.push(beginner);
					}
				}
				base += rest.join("");
				const text = written(base, done);
				if (text === base) return;
				const rebased = rebasedFor(text, base, edits);
				taken++;
				if (rebased === undefined) return;
				carried++;
				expect(written(text, editsOf(rebased) ?? [])).toBe(written(base, edits));
			}),
		);
		expect(carried).toBeGreaterThan(taken * 0.5);
	});
});
