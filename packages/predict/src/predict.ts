import { type Document, isSecretUri, sameUri } from "@segue/text";
import type { Candidate, Predictor, Proposal } from "./candidate.js";
import { examplesOf } from "./example.js";
import { judge, type Objection, type Verdict } from "./gate.js";
import type { History } from "./history.js";
import type { Memory } from "./memory.js";
import { proposeRename } from "./rename.js";
import { proposeRepeats } from "./repeat.js";
import { documentOf, type Scene } from "./scene.js";

// More are not looked at, and each is shown with its own place.
const SUGGESTIONS_MAX = 3;

const PREDICTORS = [proposeRename, proposeRepeats];

/** What is offered to the user, best first; or why nothing is. */
export type Prediction = { readonly suggestions: readonly Suggestion[] } | { readonly silence: Silence };

/** What is offered to the user. The edits are those of a change: in order, apart, and inside the text. */
export type Suggestion = Proposal & {
	readonly predictor: Predictor;
	readonly rule: string;
	readonly confidence: number;
	readonly why: string;
	/** Where the cursor belongs after an edit, in the text after it; for other kinds, where it belongs now. */
	readonly cursor: number;
	/** Equal for suggestions that do the same in the same document. */
	readonly key: string;
};

/**
 * Why nothing is offered: the document is not for reading; the history is empty, or led to another text; nobody proposed
 * anything; or what was wrong with the best that was proposed.
 */
export type Silence = "secret-file" | "no-history" | "other-history" | "nothing-found" | Objection;

/** Predicts the next edit. The same scene and memory always give the same answer. */
export function predict(scene: Scene, memory: Memory): Prediction {
	if (isSecretUri(scene.document.uri)) return { silence: "secret-file" };
	const examples = examplesOf(scene.history).filter(({ file }) => !isSecretUri(file.uri));
	if (examples.length === 0) return { silence: "no-history" };
	const document = settle(scene.document, scene.history);
	if (document === undefined) return { silence: "other-history" };
	const neighbours: Document[] = [];
	for (const one of scene.neighbours) {
		const settled = isSecretUri(one.uri) ? undefined : settle(one, scene.history);
		if (settled !== undefined) neighbours.push(settled);
	}
	const open: Scene = { ...scene, document, neighbours };

	const judged = PREDICTORS.flatMap((propose) => propose(open, examples))
		.flatMap((candidate) => {
			const target = documentOf(open, candidate.proposal.uri);
			return target === undefined ? [] : [{ candidate, verdict: judge(candidate, target, open, memory) }];
		})
		.toSorted((a, b) => b.verdict.confidence - a.verdict.confidence);

	const suggestions: Suggestion[] = [];
	for (const { candidate, verdict } of judged) {
		const isNew = !suggestions.some((better) => meets(better, candidate.proposal));
		if (verdict.objection === undefined && isNew) suggestions.push(suggestionOf(candidate, verdict));
	}
	if (suggestions.length > 0) return { suggestions: suggestions.slice(0, SUGGESTIONS_MAX) };
	return { silence: judged[0]?.verdict.objection ?? "nothing-found" };
}

/**
 * A document with the very text that the history has for it, so that what is found out about a text is found out once;
 * undefined where the history has another.
 */
function settle(document: Document, history: History): Document | undefined {
	const { now: text = document.text } = history.fileOf(document.uri) ?? {};
	if (text === document.text) return document;
	return text.equals(document.text) ? { ...document, text } : undefined;
}

function suggestionOf({ proposal, predictor, rule, why }: Candidate, { confidence, cursor, key }: Verdict): Suggestion {
	// A member that is added after a spread takes the engine a microsecond, so what is spread comes last.
	return { predictor, rule, confidence, why, cursor, key, ...proposal };
}

/** Whether two proposals are for one place. What is not an edit is for the whole document. */
function meets(a: Proposal, b: Proposal): boolean {
	if (!sameUri(a.uri, b.uri)) return false;
	if (a.kind !== "edit" || b.kind !== "edit") return true;
	return a.edits.some((one) => b.edits.some((other) => one.from <= other.to && other.from <= one.to));
}
