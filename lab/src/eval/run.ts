import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, type NoSuggestionReason, type Prediction, predict } from "@segue/predict";
import { Change, type Document } from "@segue/text";
import type { Case } from "./cases.js";
import type { Label } from "./commit-progress.js";
import { type ReplayAnswer, type ReplayMode, type ReplayState, replay } from "./replay.js";

/** What the engine did with a case. */
export interface CaseResult {
	readonly id: string;
	readonly language: string;
	/** How many steps there were to predict. */
	readonly steps: number;
	readonly states: readonly StateResult[];
}

/** What the engine did in a state. */
export interface StateResult {
	/** How many steps of the commit are made. */
	readonly made: number;
	readonly isFinal: boolean;
	readonly shown: ShownSuggestion | undefined;
	/** Why nothing is shown. */
	readonly silence: string | undefined;
	/** What would be shown if no threshold were in its way. */
	readonly best: { readonly label: Label; readonly confidence: number } | undefined;
	/** Some candidate, before the gate, is exact. */
	readonly isFound: boolean;
	/** How long the prediction took. */
	readonly ms: number;
}

interface ShownSuggestion {
	readonly label: Label;
	readonly predictor: string;
	readonly confidence: number;
	/** How many steps of the commit it makes. */
	readonly steps: number;
	readonly why: string;
}

/** Replays a case on the embedded engine. `now` is only for measuring. */
export function runCase(kase: Case, mode: ReplayMode, outliner: Outliner, now: () => number): CaseResult {
	const times: number[] = [];
	const answers = replay(kase, mode, outliner, ({ scene, memory }) => {
		const began = now();
		const prediction = predict(scene, memory);
		times.push(now() - began);
		return prediction;
	});
	const states = answers.map((answer, i) => resultOf(answer, times[i] ?? 0));
	return { id: kase.id, language: kase.language, steps: kase.stepOrder.length - 1, states };
}

// There was nothing that the gate could have judged.
const UNFOUND: readonly string[] = [
	"secret-file",
	"no-history",
	"other-history",
	"nothing-found",
] satisfies NoSuggestionReason[];

function resultOf({ state, prediction, shown: seen }: ReplayAnswer, ms: number): StateResult {
	const { made, isFinal } = state;
	const shown = seen && { ...saidOf(prediction), label: seen.judgement.label, steps: seen.judgement.steps.length };
	const silence = shown ? undefined : "silence" in prediction ? prediction.silence : "unfit";
	// To ask the engine again takes as long as to ask it, so it is asked only where something could be found.
	const isUnfound = silence !== undefined && UNFOUND.includes(silence);
	const best = isUnfound ? undefined : (shown ?? bestOf(state));
	const isFound = !isFinal && !isUnfound && (best?.label === "exact" || hasExact(state));
	return { made, isFinal, shown, silence, best, isFound, ms };
}

/** What was said of the suggestion that is shown: the first, as all that the embedded engine suggests can be done. */
function saidOf(prediction: Prediction): Pick<ShownSuggestion, "predictor" | "confidence" | "why"> {
	const [first] = "suggestions" in prediction ? prediction.suggestions : [];
	if (first === undefined) throw new Error("what is shown was suggested");
	return { predictor: first.predictor, confidence: first.confidence, why: first.why };
}

/** Who asks by hand is shown the best, however unlikely it is. */
function bestOf({ scene, memory, label }: ReplayState): StateResult["best"] {
	const prediction = predict({ ...scene, trigger: "manual" }, memory);
	const [first] = "suggestions" in prediction ? prediction.suggestions : [];
	const document = [scene.document, ...scene.neighbours].find(({ uri }) => uri === first?.uri);
	if (first?.kind !== "edit" || document === undefined) return undefined;
	return { label: label(first.uri, textAfter(document, first.edits)), confidence: first.confidence };
}

/** Whether any candidate, before the gate, is exact. */
function hasExact({ scene, label }: ReplayState): boolean {
	const proposed = candidatesOf(scene);
	if ("silence" in proposed) return false;
	return proposed.candidates.some(({ candidate: { proposal }, document }) => {
		return proposal.kind === "edit" && label(document.uri, textAfter(document, proposal.edits)) === "exact";
	});
}

function textAfter({ text }: Document, edits: Parameters<typeof Change.of>[0]): string {
	return Change.of(edits, text.length).apply(text).toString();
}
