import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, examplesOf, judge, Memory, type Scene } from "@segue/predict";
import { Change, type Document, type Edit } from "@segue/text";
import type { Case } from "./cases.js";
import { statesOf } from "./replay.js";

// Writes candidates with their texts, for experiments with other ways to rank them.

// Lines above and below a candidate.
const AROUND = 3;
// Enough for every feature that compares a candidate with the user's changes.
const HISTORY_MAX = 16;
// Enough to study what a state without a suggestion lacks.
const LEFT_MAX = 8;

/** Returns a JSON line for each state of a case, each followed by one for each candidate of the state. */
export function dumpCase(kase: Case, outliner: Outliner): string[] {
	return statesOf(kase, outliner).flatMap(({ scene, made, label, isFinal }) => {
		const state = { ...describeState(kase, scene, made), final: isFinal };
		const proposed = candidatesOf(scene, undefined, { comparesAll: true });
		const candidates = "silence" in proposed ? [] : proposed.candidates;
		const lines = candidates.flatMap(({ candidate, document }) => {
			const { proposal, features, predictor, confidence, rules, isDoubtful } = candidate;
			if (proposal.kind !== "edit") return [];
			const { objection } = judge(candidate, document, scene, Memory.empty);
			const after = Change.of(proposal.edits, document.text.length).apply(document.text).toString();
			const verdict = label(document.uri, after);
			return {
				type: "candidate",
				kind: proposal.kind,
				predictor,
				rules,
				chance: confidence,
				objection: objection === "below-threshold" ? undefined : objection,
				isDoubtful,
				right: verdict === "exact",
				label: verdict,
				features: Object.fromEntries([...features].filter(([, value]) => value !== 0)),
				edits: proposal.edits,
				...describeEdit(scene, document, proposal.edits),
			};
		});
		return [state, ...lines].map((line) => JSON.stringify(line));
	});
}

function describeState({ id, language, steps, stepOrder }: Case, scene: Scene, made: number) {
	const examples = examplesOf(scene.history).slice(-HISTORY_MAX);
	return {
		type: "state",
		id,
		repo: id.replace(/@.*$/, ""),
		language,
		k: made,
		cursorPath: pathOf(scene, scene.document.uri),
		cursorLine: scene.document.text.lineAt(scene.cursor),
		history: examples.map(({ file, before = "", after = "", at }) => {
			return { path: pathOf(scene, file.uri), line: file.now.lineAt(at), old: before, new: after };
		}),
		left: stepOrder.slice(made, made + LEFT_MAX).map((step) => steps[step]),
	};
}

function describeEdit(scene: Scene, { uri, text }: Document, edits: readonly Edit[]) {
	const first = text.lineAt(Math.min(...edits.map(({ from }) => from)));
	const last = text.lineAt(Math.max(...edits.map(({ to }) => to)));
	const after = Change.of(edits, text.length).apply(text);
	const linesBetween = (from: number, to: number) => {
		const lines: string[] = [];
		for (let line = Math.max(from, 0); line <= Math.min(to, text.lineCount - 1); line++) lines.push(text.line(line));
		return lines;
	};
	return {
		path: pathOf(scene, uri),
		line: first,
		oldText: linesBetween(first, last).join("\n"),
		newText: after.slice(text.lineStart(first), after.length - (text.length - text.lineEnd(last))),
		above: linesBetween(first - AROUND, first - 1),
		below: linesBetween(last + 1, last + AROUND),
	};
}

function pathOf({ workspace }: Scene, uri: string): string {
	return decodeURIComponent(uri.slice((workspace.uri ?? "").length + 1));
}
