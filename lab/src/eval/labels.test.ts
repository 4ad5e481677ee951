import { readFileSync } from "node:fs";
import path from "node:path";
import { inProcessOutliner } from "@segue/agent/node/in-process-outliner";
import type { Prediction } from "@segue/predict";
import { describe, expect, test } from "vitest";
import { type Case, parseCase, readCaseLines } from "./cases.js";
import { type ReplayMode, type ReplayState, replay } from "./replay.js";

// The cases contain the suggestions for each state, so the labels do not depend on an engine. The expected labels were
// written by the benchmark's own program, which replays cases on any agent and shares no code with ours:
//
//   node PROGRAM --mode forced --out forced.jsonl cases.jsonl -- node agent.mjs
//
// and likewise for `interactive`. The files contain the `final`, `label` and `items` of each state.
const folder = path.join(import.meta.dirname, "..", "..", "..", "packages", "testing", "fixtures", "labels");
const outliner = await inProcessOutliner();

/** A scripted suggestion. Each edit replaces the first occurrence of a string in the file. */
interface LabelledState {
	readonly path: string;
	readonly edits: readonly (readonly [old: string, now: string])[];
}

interface Labelled {
	readonly id: string;
	readonly states: readonly { readonly final: boolean; readonly label?: string; readonly items?: readonly number[] }[];
}

const cases = readCaseLines(path.join(folder, "cases.jsonl")).map((line) => {
	const { said } = JSON.parse(line.json) as { said: (LabelledState | null)[] };
	return { kase: parseCase("cases.jsonl", line), said };
});

function recorded(mode: ReplayMode): Labelled[] {
	const rows = readFileSync(path.join(folder, `${mode}.jsonl`), "utf8")
		.trim()
		.split("\n");
	return rows.map((row) => JSON.parse(row));
}

/** Makes the same suggestion as the recorded agent, or none if none of the replaced strings is in the file. */
function suggest({ scene }: ReplayState, said: LabelledState | null | undefined): Prediction {
	const document = [scene.document, ...scene.neighbours].find(({ uri }) => said && uri.endsWith(`/${said.path}`));
	if (said === null || said === undefined || document === undefined) return { silence: "nothing-found" };
	const text = document.text.toString();
	const edits = said.edits.flatMap(([old, insert]) => {
		const from = text.indexOf(old);
		return from === -1 ? [] : [{ from, to: from + old.length, insert }];
	});
	if (edits.length === 0) return { silence: "nothing-found" };
	const about = { predictor: "repeat", rules: [""], confidence: 1, why: "", cursor: 0, key: "" } as const;
	return { suggestions: [{ kind: "edit", uri: document.uri, edits, ...about }] };
}

function labelled(kase: Case, said: readonly (LabelledState | null)[], mode: ReplayMode): Labelled {
	const left = [...said];
	const answers = replay(kase, mode, outliner, (state) => suggest(state, left.shift()));
	const states = answers.map(({ state, shown }) => {
		const judged = shown && { label: shown.judgement.label, items: [...shown.judgement.steps] };
		return { final: state.isFinal, ...judged };
	});
	return { id: kase.id, states };
}

describe.each(["forced", "interactive"] as const)("the labels of a %s replay", (mode) => {
	const labels = recorded(mode);

	test.for(cases.map(({ kase, said }) => [kase.id, kase, said] as const))(
		"match those of the benchmark's own program: %s",
		([id, kase, said]) => {
			expect(labelled(kase, said, mode)).toEqual(labels.find((one) => one.id === id));
		},
	);

	// The session filters out suggestions without changes, so no state has `noop`.
	test("cover all cases and all labels", () => {
		expect(labels.map(({ id }) => id)).toEqual(cases.map(({ kase }) => kase.id));
		const all = new Set(labels.flatMap(({ states }) => states.map(({ label }) => label)));
		expect(all).toEqual(new Set(["exact", "partial", "loc", "trivial", "wrong", undefined]));
	});
});
