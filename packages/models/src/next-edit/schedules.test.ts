import type { Suggestion } from "@segue/predict";
import { EditModelFixture } from "@segue/testing/models/edit-model-fixture";
import type { ScriptedEditModel } from "@segue/testing/models/scripted-edit-model";
import { settled } from "@segue/testing/rpc/peers";
import { PROPERTY_RUNS, runs } from "@segue/testing/setup/tier";
import { Change, type Edit, Text } from "@segue/text";
import fc from "fast-check";
import { expect, test } from "vitest";

// An invariant for any order of events: a suggestion is valid for the text that it is shown for, and comes from the
// model.

type Request = ScriptedEditModel["requests"][number];

/** A step taken by the user or the model. Numbers select one of the current requests. */
type Step =
	| { readonly do: "type"; readonly insert: string }
	| { readonly do: "delete" }
	| { readonly do: "move"; readonly to: number }
	| { readonly do: "ask"; readonly isManual: boolean }
	| { readonly do: "cancel"; readonly which: number }
	| { readonly do: "write"; readonly which: number; readonly words: readonly string[]; readonly isWhole: boolean }
	| { readonly do: "nothing"; readonly which: number }
	| { readonly do: "fail"; readonly which: number }
	| { readonly do: "accept" }
	| { readonly do: "reject" };

const which = fc.nat(3);
const word = fc.constantFrom("", "", "a", "ab", "ba", "aab");
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("type" as const), insert: fc.constantFrom("a", "a", "b") }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), isManual: fc.boolean() }) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("write" as const),
			which,
			words: fc.array(word, { minLength: 5, maxLength: 5 }),
			isWhole: fc.boolean(),
		}),
	},
	fc.constantFrom({ do: "accept" as const }, { do: "reject" as const }, { do: "delete" as const }),
	fc.record({ do: fc.constant("move" as const), to: fc.nat(40) }),
	fc.record({ do: fc.constantFrom("cancel" as const, "nothing" as const, "fail" as const), which }),
);

/** Words that the model appends to some lines of a document. */
interface Writing {
	readonly request: Request;
	readonly words: readonly string[];
}

/** Returns the requested text after this many characters of each word have been typed at the end of its line. */
function typedTo({ request, words }: Writing, lengths: readonly number[]): string {
	const lines = request.input.text.toString().split("\n");
	return lines.map((line, i) => line + (words[i] ?? "").slice(0, lengths[i] ?? 0)).join("\n");
}

/** Returns the model's words as edits. */
function editsOf({ request: { input }, words }: Writing): Edit[] {
	return words.flatMap((insert, line) => {
		const at = input.text.lineEnd(line);
		return insert === "" ? [] : [{ from: at, to: at, insert }];
	});
}

/** Returns all combinations of how many characters of each word have been typed. */
function allLengths(words: readonly string[]): number[][] {
	return words.reduce<number[][]>(
		(before, one) => before.flatMap((lengths) => Array.from({ length: one.length + 1 }, (_, n) => [...lengths, n])),
		[[]],
	);
}

/**
 * Whether the user reached `text` by typing only parts of the words, and writing the rest of some words leads to
 * `after`.
 */
function isOf(writing: Writing, text: string, after: string): boolean {
	const { words } = writing;
	const ways = allLengths(words);
	return ways.some((typed) => {
		if (typedTo(writing, typed) !== text) return false;
		return ways.some((then) => {
			const isRest = then.every((length, i) => length === typed[i] || length === words[i]?.length);
			return isRest && typedTo(writing, then) === after;
		});
	});
}

/** Lines that are all distinct, and lines that are mostly equal, where typed text can be explained in several ways. */
const STARTS = ["one()\nlet x▮\nlet y\ntwo()\nend()", "a\na▮\na\n}\n}"];

test("suggestions come from the model for the current text and were not rejected, in any order of events", async () => {
	let shownCount = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { maxLength: 60, size: "max" }),
			fc.constantFrom(...STARTS),
			fc.boolean(),
			fc.boolean(),
			async (steps, start, speculates, isLocal) => {
				const fixture = new EditModelFixture(start, speculates);
				fixture.model.pendingMax = isLocal ? 1 : 2;
				const writings: Writing[] = [];
				const rejected = new Set<string>();
				const pending: AbortController[] = [];
				const faults: unknown[] = [];
				let askedCount = 0;
				let answeredCount = 0;
				let shown: { readonly suggestion: Suggestion; readonly text: string } | undefined;

				const ask = async (isManual: boolean) => {
					const { text } = fixture;
					const known = new Set(rejected);
					const controller = new AbortController();
					pending.push(controller);
					askedCount++;
					try {
						const prediction = await fixture.ask(isManual ? "manual" : "automatic", controller.signal);
						if ("silence" in prediction) expect(prediction.silence).not.toBe("");
						for (const suggestion of "suggestions" in prediction ? prediction.suggestions : []) {
							if (suggestion.kind !== "edit") continue;
							const after = applied(suggestion, text);
							expect(known).not.toContain(linesOf(text, after));
							if (suggestion.source === undefined) continue;
							expect(writings.some((writing) => isOf(writing, text, after))).toBe(true);
							shown = { suggestion, text };
							shownCount++;
						}
					} catch (error) {
						if (!controller.signal.aborted) faults.push(error);
					}
					answeredCount++;
				};
				for (const one of steps) {
					const open =
						"which" in one ? fixture.model.open[one.which % Math.max(fixture.model.open.length, 1)] : undefined;
					switch (one.do) {
						case "type":
							fixture.type(one.insert);
							break;
						case "delete":
							if (/[ab]/.test(fixture.text[fixture.cursor - 1] ?? ""))
								fixture.change([{ from: fixture.cursor - 1, to: fixture.cursor, insert: "" }]);
							break;
						case "move":
							fixture.cursor = one.to % (fixture.text.length + 1);
							break;
						case "ask":
							void ask(one.isManual);
							break;
						case "cancel":
							pending[one.which]?.abort();
							break;
						case "write": {
							if (open === undefined) break;
							const before = writings.find(({ request }) => request === open);
							const words = before?.words ?? one.words;
							if (before === undefined) writings.push({ request: open, words });
							const edits = editsOf({ request: open, words });
							open.edits(one.isWhole ? edits : edits.slice(0, one.which), one.isWhole);
							break;
						}
						case "nothing":
							open?.writesNothing("no-edit");
							break;
						case "fail":
							open?.fails(new DOMException("superseded", "AbortError"));
							break;
						case "accept":
							if (shown?.text === fixture.text) fixture.accept(shown.suggestion);
							shown = undefined;
							break;
						case "reject":
							if (shown === undefined) break;
							rejected.add(linesOf(shown.text, applied(shown.suggestion, shown.text)));
							fixture.reject(shown.suggestion);
							shown = undefined;
					}
					expect(fixture.model.open.length).toBeLessThanOrEqual(isLocal ? 1 : 2);
					await settled();
				}
				fixture.predictor.close();
				await settled();
				expect(faults).toEqual([]);
				expect(answeredCount).toBe(askedCount);
			},
		),
		// Each run is slow, because it waits after every step.
		{ numRuns: runs(200) },
	);
	expect(shownCount).toBeGreaterThan(PROPERTY_RUNS / 10);
});

function applied(suggestion: Suggestion, text: string): string {
	if (suggestion.kind !== "edit") throw new Error("not an edit");
	return Change.of(suggestion.edits, text.length).apply(Text.of(text)).toString();
}

/** Returns the range of changed lines, with its start and its new content. */
function linesOf(text: string, after: string): string {
	const [before, then] = [text.split("\n"), after.split("\n")];
	const isOther = (line: string, i: number) => line !== before[i];
	const first = then.findIndex(isOther);
	return [first, ...then.slice(first, then.findLastIndex(isOther) + 1)].join("\n");
}
