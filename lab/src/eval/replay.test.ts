import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Prediction, Suggestion } from "@segue/predict";
import { expect, test } from "vitest";
import type { Case } from "./cases.js";
import { type ReplayState, replay, statesOf } from "./replay.js";

const outliner = await inProcessOutliner();

/** A commit that changes four lines in two files, with one context file. */
const kase: Case = {
	id: "made/up 1",
	language: "typescript",
	files: { "src/b c.ts": "one(x)\ntwo(x)\n", "a.ts": "😀 three(x)\nfour(x)\n" },
	context: { "context.py": "five(x)\n" },
	steps: [
		{ path: "src/b c.ts", oldStart: 0, oldLines: ["one(x)"], newLines: ["one(y)"] },
		{ path: "src/b c.ts", oldStart: 1, oldLines: ["two(x)"], newLines: ["two(y)", "half(y)"] },
		{ path: "a.ts", oldStart: 0, oldLines: ["😀 three(x)"], newLines: ["😁 three(y)"] },
		{ path: "a.ts", oldStart: 1, oldLines: ["four(x)"], newLines: ["four(y)"] },
	],
	stepOrder: [0, 2, 1, 3],
	stepEvalAt: [1, 3],
};

/** Suggests replacing a string in the first open document that contains it. Each pair of strings is a separate rule. */
function suggest({ scene }: ReplayState, old: string, now: string): Prediction {
	const document = [scene.document, ...scene.neighbours].find(({ text }) => text.toString().includes(old));
	const from = document?.text.toString().indexOf(old) ?? -1;
	if (document === undefined) return { silence: "nothing-found" };
	const edit = { from, to: from + old.length, insert: now };
	const about = {
		predictor: "repeat",
		rules: [`${old}→${now}`],
		confidence: 0.5,
		why: "",
		cursor: 0,
		key: old,
	} as const;
	const suggestion: Suggestion = { kind: "edit", uri: document.uri, edits: [edit], ...about };
	return { suggestions: [suggestion] };
}

test("a state has the documents, cursor and history of the steps so far", () => {
	const states = statesOf(kase, outliner);
	expect(states.map(({ made, isFinal }) => [made, isFinal])).toEqual([
		[1, false],
		[3, false],
		[4, true],
	]);
	const scene = states[1]?.scene as ReplayState["scene"];
	expect(scene.document).toMatchObject({ uri: "file:///workspace/made_up_1/src/b%20c.ts", version: 3 });
	expect(scene.document.text.toString()).toBe("one(y)\ntwo(y)\nhalf(y)\n");
	expect(scene.cursor).toBe("one(y)\ntwo(y)\nhalf(y)".length);
	expect(scene.neighbours.map(({ uri, languageId }) => [uri.split("/").pop(), languageId])).toEqual([
		["a.ts", "typescript"],
		["context.py", "python"],
	]);
	expect(scene.neighbours[0]?.text.toString()).toBe("😁 three(y)\nfour(x)\n");
	expect(scene.history.files.map(({ start }) => start.toString())).toEqual(Object.values(kase.files).toReversed());
});

test("a state can still label texts after the replay has continued", () => {
	const [first] = statesOf(kase, outliner);
	const labels = ["😁 three(y)\nfour(x)\n", "😀 three(y)\nfour(x)\n", "😀 three(x)\n", "😀 three(x)\nfour(x)\n"];
	expect(labels.map((text) => first?.label("file:///workspace/made_up_1/a.ts", text))).toEqual([
		"exact",
		"partial",
		"loc",
		"noop",
	]);
	expect(first?.label("file:///workspace/made_up_1/context.py", "five(y)\n")).toBe("wrong");
	expect(first?.label("file:///elsewhere.ts", "")).toBe("wrong");
});

test("a forced replay makes every step and ignores suggestions", () => {
	const shifts: number[] = [];
	const answers = replay(kase, "forced", outliner, (state) => {
		shifts.push(state.memory.shiftOf(["four(x)→four(y)"]));
		return suggest(state, "four(x)", "four(y)");
	});
	expect(answers.map(({ shown }) => shown?.judgement)).toEqual([
		{ label: "exact", steps: [3] },
		{ label: "exact", steps: [3] },
		undefined,
	]);
	expect(shifts[0]).toBe(0);
	expect(shifts[1]).toBeLessThan(0);
	expect(shifts[2]).toBeLessThan(shifts[1] as number);
});

test("an interactive replay accepts exact suggestions and continues with the remaining steps", () => {
	const accepted: boolean[] = [];
	const answers = replay(kase, "interactive", outliner, (state) => {
		accepted.push(state.scene.history.events.at(-1)?.isAccepted ?? false);
		return suggest(state, "four(x)", "four(y)");
	});
	expect(answers.map(({ state, shown }) => [state.made, state.isFinal, shown?.judgement.label])).toEqual([
		[1, false, "exact"],
		[2, false, undefined],
		[3, false, undefined],
		[4, true, undefined],
	]);
	expect(accepted).toEqual([false, true, false, false]);
});

test("an interactive replay rejects suggestions that are not exact", () => {
	const rejected: boolean[] = [];
	const answers = replay(kase, "interactive", outliner, (state) => {
		rejected.push(state.memory.isRejected("five(x)"));
		return suggest(state, "five(x)", "five(y)");
	});
	expect(answers.map(({ shown }) => shown?.judgement.label)).toEqual(["wrong", "wrong", "wrong", "wrong"]);
	expect(rejected).toEqual([false, true, true, true]);
});

test("several edits in a file with \\r\\n line ends are applied correctly", () => {
	const windows: Case = {
		...kase,
		files: { "w.ts": "a(x)\r\nb(x)\r\nc(x)\r\n" },
		steps: [
			{ path: "w.ts", oldStart: 0, oldLines: ["a(x)\r"], newLines: ["a(y)\r"] },
			{ path: "w.ts", oldStart: 1, oldLines: ["b(x)\r", "c(x)\r"], newLines: ["b(y)\r", "c(y)\r", "d(y)\r"] },
		],
		stepOrder: [0, 1],
		stepEvalAt: [1],
	};
	const edits = [
		{ from: 8, to: 9, insert: "y" },
		{ from: 14, to: 15, insert: "y" },
		{ from: 16, to: 16, insert: "\r\nd(y)" },
	];
	const [answer] = replay(windows, "forced", outliner, (state) => {
		expect(state.scene.cursor).toBe(state.isFinal ? 22 : 4);
		const prediction = suggest(state, "(x)", "(y)") as { suggestions: [Suggestion & { kind: "edit" }] };
		return "silence" in prediction ? prediction : { suggestions: [{ ...prediction.suggestions[0], edits }] };
	});
	expect(answer?.shown?.judgement).toEqual({ label: "exact", steps: [1] });
});
