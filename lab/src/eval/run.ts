import type { Outliner } from "@segue/agent/outline/outliner";
import { candidatesOf, type NoSuggestionReason, type Prediction, predict } from "@segue/predict";
import { Change, type Document } from "@segue/text";
import type { Case } from "./cases.js";
import type { Label } from "./commit-progress.js";
import { type ReplayAnswer, type ReplayMode, type ReplayState, replay } from "./replay.js";

/** The engine's results for a case. */
export interface CaseResult {
	readonly id: string;
	readonly language: string;
	/** Number of steps to predict. */
	readonly steps: number;
	readonly states: readonly StateResult[];
}

/** The engine's result in a state. */
export interface StateResult {
	/** Number of finished steps. */
	readonly made: number;
	readonly isFinal: boolean;
	readonly shown: ShownSuggestion | undefined;
	/** The reason for no suggestion. */
	readonly silence: string | undefined;
	/** The best candidate, with no confidence threshold applied. */
	readonly best: { readonly label: Label; readonly confidence: number } | undefined;
	/** Whether any candidate before the gate is exact. */
	readonly isFound: boolean;
	/** Time taken by the prediction. */
	readonly ms: number;
}

interface ShownSuggestion {
	readonly label: Label;
	readonly predictor: string;
	readonly confidence: number;
	/** Number of steps that the suggestion completes. */
	readonly steps: number;
	readonly why: string;
}

/** Replays a case on the embedded engine. `now` is used only for timing. */
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

// Reasons without any candidates.
const UNFOUND: readonly string[] = [
	"secret-file",
	"no-history",
	"other-history",
	"nothing-found",
] satisfies NoSuggestionReason[];

function resultOf({ state, prediction, shown: seen }: ReplayAnswer, ms: number): StateResult {
	const { made, isFinal } = state;
	const shown = seen && { ...detailsOf(prediction), label: seen.judgement.label, steps: seen.judgement.steps.length };
	const silence = shown ? undefined : "silence" in prediction ? prediction.silence : "unfit";
	// Another prediction takes as long as the first, so request it only if there may be candidates.
	const isUnfound = silence !== undefined && UNFOUND.includes(silence);
	const best = isUnfound ? undefined : (shown ?? bestOf(state));
	const isFound = !isFinal && !isUnfound && (best?.label === "exact" || hasExact(state));
	return { made, isFinal, shown, silence, best, isFound, ms };
}

/**
 * Details of the shown suggestion. This is always the engine's first suggestion, because the session can show any kind
 * of suggestion.
 */
function detailsOf(prediction: Prediction): Pick<ShownSuggestion, "predictor" | "confidence" | "why"> {
	const [first] = "suggestions" in prediction ? prediction.suggestions : [];
	if (first === undefined) throw new Error("the prediction has no suggestion");
	return { predictor: first.predictor, confidence: first.confidence, why: first.why };
}

/** Returns the best suggestion. A manual request returns it regardless of its confidence. */
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
