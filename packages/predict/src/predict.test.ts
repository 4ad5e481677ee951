import { someText } from "@segue/testing/arbitrary";
import { EnginePlayer } from "@segue/testing/players/scene-player";
import { storiesOn } from "@segue/testing/players/stories";
import { PROPERTY_RUNS } from "@segue/testing/setup/tier";
import { Change, type Document, splitsCharacter, Text } from "@segue/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConsideredCandidate, History, Memory, predict, type Scene, type Suggestion } from "./index.js";
import { sceneOf } from "./scene.js";

const story = storiesOn(() => new EnginePlayer());
const eagerStory = storiesOn(() => new EnginePlayer({ eagerness: "high" }));
const cautiousStory = storiesOn(() => new EnginePlayer({ eagerness: "low" }));
const askedStory = storiesOn(() => new EnginePlayer({ eagerness: "low", trigger: "manual" }));
const diagnosticStory = storiesOn(() => new EnginePlayer({ trigger: "diagnostic" }));

describe("the gate", () => {
	story(
		"reports an empty history",
		`
		--- user
		const cnt▮ = 0
		--- suggests nothing (no-history)
	`,
	);

	diagnosticStory(
		"fixes an error before the first edit",
		`
		--- file size.ts
		export const size = 1
		--- user main.ts
		show(size▮)
		     ^^^^ error: Cannot find name 'size'.
		--- suggests
		‹→import { size } from "./size"

		▮›show(size)
	`,
	);

	askedStory(
		"jumps to an error before the first edit, on a manual request",
		`
		--- editor can jump
		--- user
		open(▮)
		show(size)
		     ^^^^ error: Cannot find name 'size'.
		--- suggests jump main.ts
		open()
		show(▮size)
	`,
	);

	story(
		"offers neither a fix nor a jump on an automatic request before the first edit",
		`
		--- editor can jump
		--- file size.ts
		export const size = 1
		--- user main.ts
		open(▮)
		show(size)
		     ^^^^ error: Cannot find name 'size'.
		--- suggests nothing (no-history)
	`,
	);

	story(
		"reports an empty history when all edits were undone",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- user
		const ‹sum→total▮› = 0
		log(total)
		--- suggests nothing (no-history)
	`,
	);

	story(
		"suggests nothing in a secret file",
		`
		--- user .env.local
		const ‹total→sum▮› = 0
		log(total)
		--- suggests nothing (secret-file)
	`,
	);

	story(
		"does not copy a secret into another file",
		`
		--- user .env
		KEY = ‹old→SECRET123▮›
		OTHER = ‹old→SECRET123›
		--- user notes.ts
		KEY = old
		a‹→b▮›
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"does not read a binary file",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total, "\0")
		--- suggests nothing (binary-file)
	`,
	);

	story(
		"does not read a minified file",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		${"f(total);".repeat(600)}
		--- suggests nothing (minified-file)
	`,
	);

	story(
		"does not search a minified file",
		`
		--- file all.ts
		import { total } from "./main"
		${"f(size);".repeat(700)}
		--- user main.ts
		export const ‹total→sum▮› = 0
		--- suggests nothing (nothing-found)
	`,
	);

	story(
		"searches a file with long handwritten lines",
		`
		--- file all.ts
		import { total } from "./main"
		${"f(size);".repeat(500)}
		--- user main.ts
		export const ‹total→sum▮› = 0
		--- suggests all.ts
		import { ‹total→sum▮› } from "./main"
		${"f(size);".repeat(500)}
	`,
	);

	story(
		"reads long handwritten lines",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		${"f(size);".repeat(500)}
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		${"f(size);".repeat(500)}
	`,
	);

	cautiousStory(
		"requires more confidence at low eagerness",
		`
		--- user main.py
		‹print→log.info›("small‹→ %d▮›", len(small))
		print("large", len(large))
		print(len(backup))
		print(customer, total)
		--- suggests nothing (below-threshold)
	`,
	);

	story(
		"does not mention an edit that is not worth requesting",
		`
		--- user
		interface User {
		⇥id: number;
		}
		function find(id: number‹→, all: boolean▮›) {}
		--- suggests nothing (nothing-found)
	`,
	);

	askedStory(
		"offers low-confidence suggestions on a manual request",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
	`,
	);
});

describe("the memory", () => {
	eagerStory(
		"does not offer a rejected suggestion again",
		`
		--- user
		const ‹total→sum▮› = 0
		one(total)
		two(total)
		six(total)
		ten(total)
		--- suggests
		const sum = 0
		one(‹total→sum▮›)
		two(total)
		six(total)
		ten(total)
		--- user rejects (rejected)
		--- suggests
		const sum = 0
		one(total)
		two(‹total→sum▮›)
		six(total)
		ten(total)
		--- user rejects (rejected)
		--- suggests
		const sum = 0
		one(total)
		two(total)
		six(‹total→sum▮›)
		ten(total)
		--- user rejects (rejected)
		--- user
		const sum = 0
		one(total)
		two(total)
		six(total)
		ten(total▮)
		--- suggests nothing (rule-retired)
	`,
	);

	story(
		"offers a replaced or cancelled suggestion again",
		`
		--- user
		const ‹total→sum▮› = 0
		log(total)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		--- user rejects (cancelled)
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
		--- user rejects
		--- suggests
		const sum = 0
		log(‹total→sum▮›)
	`,
	);
});

describe("a name renamed at its declaration", () => {
	test.each([
		["is not searched for if the history does not match the text", "log(total)", "log(total)", "other-history"],
		[
			"is not found in a line of thousands of characters",
			undefined,
			`${"f(total);".repeat(500)}const total=0;`,
			"nothing-found",
		],
		["is not searched for in a file that is too large", undefined, "log(total)\n".repeat(500_000), "too-large-file"],
	])("%s", (_, now, rest, silence) => {
		const text = Text.of(`const total = 0\n${rest}`);
		const before = { uri: "a.ts", languageId: "typescript", version: 0, text };
		const change = Change.of([{ from: 6, to: 11, insert: "sum" }], text.length);
		const history = History.empty.changed(before, change, { atMs: 0, isAccepted: false });
		const after = now === undefined ? change.apply(text) : Text.of(now);
		expect(predict(sceneOf({ ...before, text: after }, history, 9), Memory.empty)).toEqual({ silence });
	});
});

describe("after any edits, the engine", () => {
	// Similar lines, so that rules are found, with all line breaks and surrogate pairs.
	const someLine = fc.constantFrom(
		"const total = one(total)",
		"\tconst total = one(total)",
		"let sum = total + 😀total",
		"one(total, 'total')",
		"two(sum, total) // total",
		"",
	);
	const someSource = fc
		.array(fc.tuple(someLine, fc.constantFrom("\n", "\r\n", "\r")), { minLength: 1, maxLength: 12 })
		.map((lines) => lines.flat().join(""));
	const someWord = fc.oneof(fc.constantFrom("total", "sum", "count", "one", "x😀", "(ctx, "), someText());
	const someEdit = fc.record({
		at: fc.double({ min: 0, max: 1, noNaN: true }),
		word: someWord,
		isAccepted: fc.boolean(),
	});

	/** Replaces the next word at a relative position, or inserts at the end. */
	function changeAt(text: Text, at: number, word: string): Change {
		const offset = Math.floor(at * text.length);
		const words = [...text.toString().matchAll(/\w+/g)];
		const near = words.find(({ index, 0: found }) => index + found.length >= offset);
		const [from, to] = near ? [near.index, near.index + near[0].length] : [text.length, text.length];
		return Change.of([{ from, to, insert: word }], text.length);
	}

	const someScene = fc
		.tuple(someSource, someSource, fc.array(someEdit, { minLength: 1, maxLength: 6 }))
		.map(([source, other, edits]): Scene => {
			let document: Document = { uri: "a.ts", languageId: "typescript", version: 0, text: Text.of(source) };
			const neighbour = { ...document, uri: "b.ts", text: Text.of(other) };
			let history = History.empty;
			let cursor = 0;
			for (const [i, { at, word, isAccepted }] of edits.entries()) {
				const change = changeAt(document.text, at, word);
				history = history.changed(document, change, { atMs: i * 700, isAccepted });
				document = { ...document, version: i + 1, text: change.apply(document.text) };
				cursor = change.map(change.edits[0]?.to ?? 0, "after");
			}
			return { ...sceneOf(document, history, cursor), neighbours: [neighbour], trigger: "manual" };
		});

	function suggestionsIn(scene: Scene): readonly Suggestion[] {
		const prediction = predict(scene, Memory.empty);
		return "silence" in prediction ? [] : prediction.suggestions;
	}

	test("edits only whole characters within the text, and keeps the cursor inside it", () => {
		let shown = 0;
		fc.assert(
			fc.property(someScene, (scene) => {
				for (const suggestion of suggestionsIn(scene)) {
					if (suggestion.kind !== "edit") continue;
					shown++;
					const { text } = [scene.document, ...scene.neighbours].find(({ uri }) => uri === suggestion.uri) as Document;
					const change = Change.of(suggestion.edits, text.length);
					for (const { from, to } of change.edits) {
						expect(splitsCharacter(text, from) || splitsCharacter(text, to)).toBe(false);
					}
					const after = change.apply(text);
					expect(after.equals(text)).toBe(false);
					expect(splitsCharacter(after, suggestion.cursor)).toBe(false);
				}
			}),
		);
		expect(shown).toBeGreaterThan(PROPERTY_RUNS / 10);
	});

	test("never restores the text before one of the user's edits", () => {
		fc.assert(
			fc.property(someScene, (scene) => {
				for (const suggestion of suggestionsIn(scene)) {
					if (suggestion.kind !== "edit" || suggestion.uri !== scene.document.uri) continue;
					const after = Change.of(suggestion.edits, scene.document.text.length).apply(scene.document.text);
					expect(scene.history.events.map(({ before }) => before.toString())).not.toContain(after.toString());
				}
			}),
		);
	});

	test("offers at most three suggestions, starting with one of the most confident, and is deterministic", () => {
		fc.assert(
			fc.property(someScene, (scene) => {
				const prediction = predict(scene, Memory.empty);
				const suggestions = "silence" in prediction ? [] : prediction.suggestions;
				expect(suggestions.length).toBeLessThanOrEqual(3);
				// Sites in the current document come first, even if the most confident one is in another document.
				const near = suggestions.filter(({ uri }) => uri === suggestions[0]?.uri);
				const chances = near.map(({ confidence }) => confidence);
				expect(Math.max(0, ...chances) - (chances[0] ?? 0)).toBeLessThan(0.15);
				const copy = (document: Document) => ({ ...document, text: Text.of(document.text.toString()) });
				const again = { ...scene, document: copy(scene.document), neighbours: scene.neighbours.map(copy) };
				expect(predict(again, Memory.empty)).toEqual(prediction);
			}),
		);
	});
});

describe("a manual request", () => {
	askedStory(
		"does not copy a comment to another line",
		`
		--- user
		open(file)‹→ // closed by the caller▮›
		open(other)
		--- suggests nothing (nothing-found)
	`,
	);

	askedStory(
		"does not apply the new format of one number to another",
		`
		--- user test_area.py
		assert area(3) == ‹9→9.0▮›
		assert area(4) == 16
		--- suggests nothing (nothing-found)
	`,
	);

	askedStory(
		"does not swap names inside a function whose parameters were reordered",
		`
		--- user
		function blend(‹front: Layer, back→back: Layer, front▮›: Layer) {
		  return front.over(back.size)
		}
		--- suggests nothing (nothing-found)
	`,
	);

	askedStory(
		"does not offer a name that is already declared",
		`
		--- user
		let ‹lines→rows▮› = 0
		let rows = 0
		for (const part of parts) lines += 1
		--- suggests nothing (name-taken)
	`,
	);
});

describe("an observer of the engine", () => {
	test("receives all candidates, most confident first, with the objection to each that is not shown", () => {
		const text = Text.of("const cnt = 0\nlog(cnt)\nlog(cnt)\n");
		const before: Document = { uri: "file:///a.ts", languageId: "typescript", version: 1, text };
		const change = Change.of([{ from: 6, to: 9, insert: "count" }], text.length);
		const after: Document = { ...before, version: 2, text: change.apply(text) };
		const circumstances = { atMs: 0, isAccepted: false, after: after.text };
		const history = History.empty.opened(before).changed(before, change, circumstances);
		const scene = sceneOf(after, history, 11);
		const seen: ConsideredCandidate[][] = [];
		const prediction = predict(scene, Memory.empty, { watch: (considered) => seen.push([...considered]) });
		expect(prediction).toEqual(predict(scene, Memory.empty));
		expect(seen).toHaveLength(1);
		const [considered = []] = seen;
		const chances = considered.map(({ confidence }) => confidence);
		expect(chances).toEqual(chances.toSorted((a, b) => b - a));
		const suggestions = considered.flatMap(({ suggestion }) => suggestion ?? []);
		expect("suggestions" in prediction && prediction.suggestions).toEqual(expect.arrayContaining(suggestions));
		expect(suggestions.length).toBeGreaterThan(0);

		const rejected = suggestions.reduce((memory, one) => memory.rejected(one, "rejected"), Memory.empty);
		predict(scene, rejected, { watch: (all) => seen.push([...all]) });
		expect(seen[1]?.map(({ objection }) => objection)).toContain("rejected-before");
		for (const { objection, suggestion, confidence } of seen.flat()) {
			if (suggestion !== undefined) expect(objection).toBeUndefined();
			if (confidence < 0.5) expect(objection).toBeDefined();
		}
	});
});

test("a manual request offers only one low-confidence suggestion", () => {
	const before = 'print("small", len(small))\nprint("large", len(large))\nprint(len(backup))\nprint(customer, total)\n';
	const document = { uri: "main.py", languageId: "python", version: 1, text: Text.of(before) };
	const change = Change.of([{ from: 0, to: 14, insert: 'log.info("small %d",' }], before.length);
	const history = History.empty.changed(document, change, { atMs: 0, isAccepted: false });
	const now = { ...document, version: 2, text: change.apply(document.text) };
	const scene = { ...sceneOf(now, history, 20), eagerness: "low" as const };
	expect(predict(scene, Memory.empty)).toMatchObject({ silence: expect.anything() });
	expect(predict({ ...scene, trigger: "manual" }, Memory.empty)).toMatchObject({ suggestions: [{ kind: "edit" }] });
});

test("a manual request lowers the threshold only in the current document", () => {
	const text = (code: string) => Text.of(code);
	const own = {
		uri: "avatar.tsx",
		languageId: "typescriptreact",
		version: 1,
		text: text("type Props = {\n  url: string;\n};\n"),
	};
	const other = {
		uri: "team.tsx",
		languageId: "typescriptreact",
		version: 1,
		text: text("type Member = { url: string };\n"),
	};
	const change = Change.of([{ from: 17, to: 20, insert: "src" }], own.text.length);
	const history = History.empty.changed(own, change, { atMs: 0, isAccepted: false });
	const now = { ...own, version: 2, text: change.apply(own.text) };
	const scene = { ...sceneOf(now, history, 20), neighbours: [other], eagerness: "low", trigger: "manual" } as const;
	const prediction = predict(scene, Memory.empty);
	const elsewhere = "suggestions" in prediction ? prediction.suggestions.filter(({ uri }) => uri === other.uri) : [];
	expect(elsewhere).toEqual([]);
	const considered: ConsideredCandidate[] = [];
	predict(scene, Memory.empty, { watch: (all) => void considered.push(...all) });
	expect(considered.some(({ document }) => document.uri === other.uri)).toBe(true);
});
